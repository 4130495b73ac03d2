#include "app/parts_internal.h"
#include "app/queues_internal.h"
#include "base/check.h"
#include "base/thread.h"
#include "store/queue_store.h"

#include <stdlib.h>
#include <string.h>

struct entry {
    struct queue_info info;
    bool current;
    int64_t virtual_key;
    int64_t persisted_key;
    char pool[POOL_BYTES_MAX + 1];
    char runtime_spec[RUNTIME_SPEC_BYTES_MAX + 1];
};

struct queue_table {
    struct mutex mutex;
    struct entry *entries[QUEUES_MAX]; /* an entry stays where it is until the app closes */
    int count;
};

/* ---- the memory ---- */

static struct entry *find(struct queue_table *table, int64_t id) {
    for (int i = 0; i < table->count; i++) {
        if (table->entries[i]->info.id.value == id) {
            return table->entries[i];
        }
    }
    return NULL;
}

static struct entry *add(struct queue_table *table, const struct queue_row *row) {
    CHECK(table->count < QUEUES_MAX);
    struct entry *entry = calloc(1, sizeof *entry);
    CHECK(entry != NULL);
    memcpy(entry->pool, row->pool, sizeof entry->pool);
    memcpy(entry->runtime_spec, row->runtime_spec, sizeof entry->runtime_spec);
    entry->info = (struct queue_info){
        .id = row->id,
        .pool = str_from(entry->pool),
        .runtime_spec = str_from(entry->runtime_spec),
    };
    table->entries[table->count++] = entry;
    return entry;
}

static void learn(struct queue_table *table, const struct queue_row *row) {
    struct entry *entry = find(table, row->id.value);
    entry = entry != NULL ? entry : add(table, row);
    entry->current = row->current;
    entry->persisted_key = row->virtual_key;
    if (entry->virtual_key < row->virtual_key) {
        entry->virtual_key = row->virtual_key;
    }
}

bool queues_reload(struct app *app, struct db *db, struct err *err) {
    struct queue_row *rows = calloc(QUEUES_MAX, sizeof rows[0]);
    CHECK(rows != NULL);
    int count = 0;
    bool read = queue_store_list(db, rows, &count, err);
    mutex_lock(&app->queues->mutex);
    for (int i = 0; read && i < count; i++) {
        learn(app->queues, &rows[i]);
    }
    mutex_unlock(&app->queues->mutex);
    free(rows);
    return read;
}

const struct queue_info *queues_of_pool(struct app *app, struct str pool) {
    const struct queue_info *found = NULL;
    mutex_lock(&app->queues->mutex);
    for (int i = 0; i < app->queues->count; i++) {
        const struct entry *entry = app->queues->entries[i];
        if (entry->current && str_eq(entry->info.pool, pool)) {
            found = &entry->info;
        }
    }
    mutex_unlock(&app->queues->mutex);
    return found;
}

const struct queue_info *queues_find(struct app *app, struct queue_id id) {
    mutex_lock(&app->queues->mutex);
    const struct entry *entry = find(app->queues, id.value);
    mutex_unlock(&app->queues->mutex);
    return entry != NULL ? &entry->info : NULL;
}

int queues_all(struct app *app, const struct queue_info **ret_queues) {
    mutex_lock(&app->queues->mutex);
    int count = app->queues->count;
    for (int i = 0; i < count; i++) {
        ret_queues[i] = &app->queues->entries[i]->info;
    }
    mutex_unlock(&app->queues->mutex);
    return count;
}

int64_t queues_virtual_key(struct app *app, struct queue_id id) {
    mutex_lock(&app->queues->mutex);
    const struct entry *entry = find(app->queues, id.value);
    int64_t key = entry != NULL ? entry->virtual_key : 0;
    mutex_unlock(&app->queues->mutex);
    return key;
}

void queues_advance(struct app *app, struct queue_id id, int64_t claimed_key) {
    mutex_lock(&app->queues->mutex);
    struct entry *entry = find(app->queues, id.value);
    if (entry != NULL && entry->virtual_key < claimed_key) {
        entry->virtual_key = claimed_key;
    }
    mutex_unlock(&app->queues->mutex);
}

/* ---- the database ---- */

static bool ensure_pool(struct db *db, struct str pool, struct err *err) {
    bool found = false;
    return pool_store_find(db, pool, &found, err) &&
           (found || pool_store_insert(db, pool, STR(RUNTIME_SPEC_DEFAULT), err));
}

bool queues_ensure(struct app *app, struct db *db, struct str pool, struct str runtime_spec,
                   struct queue_id *ret_id, struct err *err) {
    bool found = false;
    if (!ensure_pool(db, pool, err) ||
        !queue_store_find(db, pool, runtime_spec, ret_id, &found, err)) {
        return false;
    }
    if (found) {
        return true;
    }
    struct queue_row row = {.id = {id_take(&app->ids, ID_QUEUE)}};
    if (!str_to_c(pool, row.pool, sizeof row.pool, err) ||
        !str_to_c(runtime_spec, row.runtime_spec, sizeof row.runtime_spec, err)) {
        return false;
    }
    *ret_id = row.id;
    return queue_store_insert(db, &row, err);
}

static bool run_ensure(struct app *app, struct db *db, struct write_item **items, int count,
                       struct err *err) {
    size_t languages = app->languages != NULL ? language_count(app->languages) : 0;
    for (size_t i = 0; i < languages; i++) {
        struct queue_id ignored = {0};
        struct str pool = str_from(language_at(app->languages, i)->pool);
        if (!queues_ensure(app, db, pool, STR(RUNTIME_SPEC_DEFAULT), &ignored, err)) {
            return false;
        }
    }
    for (int i = 0; i < count; i++) {
        items[i]->ok = true;
    }
    return true;
}

static bool run_persist(struct app *app, struct db *db, struct write_item **items, int count,
                        struct err *err) {
    const struct queue_info *queues[QUEUES_MAX];
    int queue_count = queues_all(app, queues);
    for (int i = 0; i < queue_count; i++) {
        if (!queue_store_advance(db, queues[i]->id, queues_virtual_key(app, queues[i]->id), err)) {
            return false;
        }
    }
    for (int i = 0; i < count; i++) {
        items[i]->ok = true;
    }
    return true;
}

/* After the commit: what was persisted, and what other servers have added. */
static void reload_committed(struct app *app, struct write_item **items, int count) {
    (void)items;
    (void)count;
    struct err ignored = {0}; /* the next pass reads again */
    (void)!queues_reload(app, app->db, &ignored);
}

static const struct write_kind ensure_kind = {
    .name = "queue.ensure", .batch_max = 8, .run = run_ensure, .committed = reload_committed};
static const struct write_kind persist_kind = {
    .name = "queue.persist", .batch_max = 8, .run = run_persist, .committed = reload_committed};

static bool has_advanced(struct app *app) {
    bool advanced = false;
    mutex_lock(&app->queues->mutex);
    for (int i = 0; i < app->queues->count; i++) {
        const struct entry *entry = app->queues->entries[i];
        advanced = advanced || entry->virtual_key > entry->persisted_key;
    }
    mutex_unlock(&app->queues->mutex);
    return advanced;
}

bool queues_persist(struct app *app) {
    struct write_item item = {.kind = &persist_kind};
    struct err ignored = {0}; /* tried again at the next pass */
    return has_advanced(app) && app_write_wait(app, &item, &ignored);
}

/* ---- the part ---- */

bool queues_part_open(struct app *app, struct err *err) {
    app->queues = calloc(1, sizeof *app->queues);
    CHECK(app->queues != NULL);
    mutex_init(&app->queues->mutex);
    struct write_item item = {.kind = &ensure_kind};
    return app_write_wait(app, &item, err);
}

void queues_part_close(struct app *app) {
    if (app->queues == NULL) {
        return;
    }
    for (int i = 0; i < app->queues->count; i++) {
        free(app->queues->entries[i]);
    }
    mutex_done(&app->queues->mutex);
    free(app->queues);
}
