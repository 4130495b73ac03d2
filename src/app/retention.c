#include "app/maintainer_internal.h"
#include "app/parts_internal.h"
#include "app/retention_internal.h"
#include "base/check.h"
#include "base/limits.h"
#include "base/log.h"
#include "store/retention_store.h"

#include <stdlib.h>

#define PAGE_MAX 500
#define REMOVE_MAX 100 /* of one transaction: nobody waits long for it */
#define PAGES_MAX 20   /* of one kind and pass */

struct retention {
    int64_t after[RETENTION_KIND_COUNT]; /* up to where each kind was gone through */
};

struct removal {
    struct write_item item;
    enum retention_kind kind;
    int64_t keep_ms;
    int64_t keys[REMOVE_MAX];
    int count;
    int removed;
    bool held; /* this server may maintain */
};

static int64_t keep_ms_of(const struct app *app, enum retention_kind kind) {
    const struct app_settings *s = &app->settings;
    switch (kind) {
    case RETENTION_RUN_JOBS: return s->keep_runs_ms;
    case RETENTION_BODIES: return s->keep_bodies_ms;
    case RETENTION_NODE_EVENTS: return s->keep_node_events_ms;
    case RETENTION_AUDIT: return s->keep_audit_ms;
    case RETENTION_SESSIONS: return s->keep_sessions_ms;
    case RETENTION_KIND_COUNT: break;
    }
    CHECK(false);
    return 0;
}

static bool run(struct app *app, struct db *db, struct write_item **items, int count,
                struct err *err) {
    (void)count; /* one: batch_max */
    struct removal *removal = (struct removal *)items[0];
    int64_t now_ms = 0;
    removal->removed = 0;
    if (!maintainer_take(app, db, STR("retention"), &removal->held, err) ||
        !db_now(db, &now_ms, err)) {
        return false;
    }
    for (int i = 0; removal->held && i < removal->count; i++) {
        bool removed = false;
        if (!retention_store_remove(db, removal->kind, removal->keys[i], now_ms - removal->keep_ms,
                                    &removed, err)) {
            return false;
        }
        removal->removed += removed ? 1 : 0;
    }
    items[0]->ok = true;
    return true;
}

static const struct write_kind retention_kind = {.name = "retention", .batch_max = 1, .run = run};

static bool remove_some(struct app *app, struct removal *removal) {
    struct err err = {0};
    removal->item = (struct write_item){.kind = &retention_kind};
    if (app_write_wait(app, &removal->item, &err)) {
        return removal->held;
    }
    if (!atomic_load(&app->stopping)) {
        log_warn("retention.failed", LOG_STR("kind", retention_kind_name(removal->kind)),
                 LOG_ERR(&err));
    }
    return false;
}

static bool read_page(struct app *app, enum retention_kind kind, struct retention_page *page,
                      int64_t *ret_now_ms) {
    own(db_reader) reader = NULL;
    struct err ignored = {0}; /* read again at the next pass */
    return db_pool_take(app->readers, &reader, &ignored) &&
           db_now(reader->db, ret_now_ms, &ignored) &&
           retention_store_page(reader->db, kind, page, &ignored);
}

/* False when this kind's turn is over. The place to go on from moves only behind what was done. */
static bool do_page(struct app *app, enum retention_kind kind, int *removed) {
    struct retention_row rows[PAGE_MAX];
    struct retention_page page = {
        .after = app->retention->after[kind], .rows = rows, .max = PAGE_MAX};
    struct removal removal = {.kind = kind, .keep_ms = keep_ms_of(app, kind)};
    int64_t now_ms = 0;
    if (!read_page(app, kind, &page, &now_ms)) {
        return false;
    }
    for (int i = 0; i < page.count; i++) {
        bool over = rows[i].over_ms > 0 && rows[i].over_ms < now_ms - removal.keep_ms;
        if (over) {
            removal.keys[removal.count++] = rows[i].key;
        }
        bool last = i + 1 == page.count;
        if (removal.count == REMOVE_MAX || (last && removal.count > 0)) {
            if (!remove_some(app, &removal)) {
                return false;
            }
            *removed += removal.removed;
            removal.count = 0;
        }
        if (removal.count == 0) {
            app->retention->after[kind] = rows[i].key;
        }
    }
    if (page.count < PAGE_MAX) {
        app->retention->after[kind] = 0; /* from the beginning next time */
    }
    return page.count == PAGE_MAX;
}

bool retention_pass(struct app *app) {
    int removed = 0;
    for (int kind = 0; kind < RETENTION_KIND_COUNT; kind++) {
        int before = removed;
        for (int i = 0; i < PAGES_MAX && !atomic_load(&app->stopping); i++) {
            if (!do_page(app, (enum retention_kind)kind, &removed)) {
                break;
            }
        }
        if (removed > before) {
            log_info("retention.removed",
                     LOG_STR("kind", retention_kind_name((enum retention_kind)kind)),
                     LOG_I64("rows", removed - before));
        }
    }
    return removed > 0;
}

bool retention_part_open(struct app *app, struct err *err) {
    (void)err;
    app->retention = calloc(1, sizeof *app->retention);
    CHECK(app->retention != NULL);
    return true;
}

void retention_part_close(struct app *app) {
    free(app->retention);
}
