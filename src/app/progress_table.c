#include "app/progress_share_internal.h"
#include "app/progress_table_internal.h"
#include "app/watch_internal.h"
#include "base/check.h"
#include "base/limits.h"
#include "store/progress_store.h"

#define BATCH_MAX 128
#define BODY_BYTES_MAX (256 * KIB)
#define ARENA_BYTES_MAX ((size_t)256 * MIB)
#define OLD_MS 900000 /* as long as a server remembers what it was told */
#define SWEEP_MAX 256

bool progress_table_is_used(const struct app *app) {
    struct redis_wake_state redis = {0};
    return app->shared && !(app_redis_state(app, &redis) && redis.connected);
}

/* ---- writing ---- */

struct publication {
    struct write_item item;
    struct arena *arena;
    struct progress_news news;
    bool sweep;
};

static struct str text_of(const struct progress_item *item, struct submission_id submission,
                          struct arena *arena) {
    own_buf body = {0};
    struct err too_long = {0};
    buf_init(&body, BODY_BYTES_MAX);
    if (!progress_share_text(item, submission, &body, &too_long)) {
        struct progress_item bare = *item; /* the running case at least */
        bare.finished_count = 0;
        buf_clear(&body);
        CHECK(progress_share_text(&bare, submission, &body, &too_long));
    }
    return arena_str(arena, buf_str(&body));
}

static bool run_publication(struct app *app, struct db *db, struct write_item **items, int count,
                            struct err *err) {
    (void)app;
    (void)count; /* one: batch_max */
    struct publication *publication = (struct publication *)items[0];
    const struct progress_news *news = &publication->news;
    int64_t now_ms = 0;
    if (!db_now(db, &now_ms, err)) {
        return false;
    }
    for (int i = 0; i < news->gone_count; i++) {
        if (!progress_store_delete(db, news->gone[i], err)) {
            return false;
        }
    }
    for (int i = 0; i < news->count; i++) {
        const struct progress_item *item = &news->items[i];
        struct progress_row row = {
            .submission = news->submissions[i],
            .job = item->lease.job,
            .lease_epoch = item->lease.epoch,
            .sequence = item->sequence,
            .at_ms = now_ms,
            .body = text_of(item, news->submissions[i], publication->arena),
        };
        if (!progress_store_put(db, &row, err)) {
            return false;
        }
    }
    publication->item.ok = true;
    return !publication->sweep || progress_store_sweep(db, now_ms - OLD_MS, SWEEP_MAX, err);
}

static const struct write_kind publication_kind = {
    .name = "progress", .batch_max = 1, .run = run_publication};

static void publication_init(struct publication *publication, struct arena *arena) {
    *publication = (struct publication){
        .item = {.kind = &publication_kind},
        .arena = arena,
        .news = {.items = arena_array(arena, BATCH_MAX, sizeof(struct progress_item)),
                 .submissions = arena_array(arena, BATCH_MAX, sizeof(struct submission_id)),
                 .gone = arena_array(arena, BATCH_MAX, sizeof(struct submission_id)),
                 .max = BATCH_MAX}};
}

bool progress_publish(struct app *app) {
    own(arena) arena = arena_create(ARENA_BYTES_MAX);
    struct publication publication;
    struct err ignored = {0}; /* the next report, or the end, is shown */
    if (!progress_table_is_used(app)) {
        return false;
    }
    publication_init(&publication, arena);
    progress_take_news(app, arena, &publication.news);
    return publication.news.count + publication.news.gone_count > 0 &&
           app_write_wait(app, &publication.item, &ignored);
}

void progress_table_sweep(struct app *app) {
    own(arena) arena = arena_create(ARENA_BYTES_MAX);
    struct publication publication;
    struct err ignored = {0};
    if (app->shared) {
        publication_init(&publication, arena);
        publication.sweep = true;
        (void)!app_write_wait(app, &publication.item, &ignored);
    }
}

/* ---- reading ---- */

struct reading {
    struct app *app;
    struct arena *arena;
};

/* Whatever of it changes shows the viewer something else. */
static int64_t standing_of(struct db_stmt *row) {
    uint64_t standing = 14695981039346656037U; /* FNV-1a over the numbers */
    for (int column = 1; column <= 5; column++) {
        standing = (standing ^ (uint64_t)db_i64(row, column)) * 1099511628211U;
    }
    return (int64_t)(standing | 1); /* never 0, which is "not seen" */
}

static void take_row(void *context, struct db_stmt *row) {
    struct reading *reading = context;
    struct submission_id submission = {db_i64(row, 0)};
    bool reported = false;
    if (!db_is_null(row, 8) && db_i64(row, 6) == db_i64(row, 4)) { /* of the lease that runs */
        reported = progress_share_adopt(reading->app, db_blob(row, 8));
    }
    watches_note_standing(reading->app, submission, standing_of(row), reported);
}

void progress_look(struct app *app) {
    own(arena) arena = arena_create(ARENA_BYTES_MAX);
    own(db_reader) reader = NULL;
    struct err ignored = {0}; /* looked at again the next time */
    if (!progress_table_is_used(app)) {
        return;
    }
    int64_t *ids = arena_array(arena, SUBMISSION_WAITERS_MAX, sizeof ids[0]);
    int count = watches_list(app, ids, SUBMISSION_WAITERS_MAX);
    struct rows_value *keys = arena_array(arena, (size_t)count + 1, sizeof keys[0]);
    for (int i = 0; i < count; i++) {
        keys[i] = rows_i64(ids[i]);
    }
    struct reading reading = {app, arena};
    struct rows_read read = {.select = &progress_watch_select,
                             .values = keys,
                             .count = count,
                             .row = take_row,
                             .context = &reading};
    if (count > 0 && db_pool_take(app->readers, &reader, &ignored)) {
        (void)!db_read(reader->db, &read, 1, NULL, &ignored);
    }
}
