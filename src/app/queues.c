#include "app/parts_internal.h"
#include "app/queues_internal.h"
#include "app/runners_internal.h"
#include "base/check.h"
#include "base/thread.h"
#include "domain/turn.h"
#include "store/queue_store.h"

#include <stdlib.h>
#include <string.h>

struct entry {
    struct queue_info info;
    bool current;
    int64_t virtual_keys[PRIORITY_COUNT];
    int64_t persisted_keys[PRIORITY_COUNT];
    uint64_t offers;
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
    for (int p = 0; p < PRIORITY_COUNT; p++) {
        entry->persisted_keys[p] = row->virtual_keys[p];
        if (entry->virtual_keys[p] < row->virtual_keys[p]) {
            entry->virtual_keys[p] = row->virtual_keys[p];
        }
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

int64_t queues_virtual_key(struct app *app, struct queue_id id, enum job_priority priority) {
    mutex_lock(&app->queues->mutex);
    const struct entry *entry = find(app->queues, id.value);
    int64_t key = entry != NULL ? entry->virtual_keys[priority] : 0;
    mutex_unlock(&app->queues->mutex);
    return key;
}

void queues_advance(struct app *app, struct queue_id id, enum job_priority priority,
                    int64_t claimed_key) {
    mutex_lock(&app->queues->mutex);
    struct entry *entry = find(app->queues, id.value);
    if (entry != NULL && entry->virtual_keys[priority] < claimed_key) {
        entry->virtual_keys[priority] = claimed_key;
    }
    mutex_unlock(&app->queues->mutex);
}

void queues_order(struct app *app, struct queue_id id,
                  enum job_priority ret_order[PRIORITY_COUNT]) {
    mutex_lock(&app->queues->mutex);
    const struct entry *entry = find(app->queues, id.value);
    uint64_t offer = entry != NULL ? entry->offers : 0;
    mutex_unlock(&app->queues->mutex);
    turn_order(offer, ret_order);
}

void queues_offered(struct app *app, struct queue_id id) {
    mutex_lock(&app->queues->mutex);
    struct entry *entry = find(app->queues, id.value);
    if (entry != NULL) {
        entry->offers++;
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
    struct queue_row row = {.id = {runner_take_id(app, ID_QUEUE)}};
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

static bool persist_queue(struct app *app, struct db *db, struct queue_id id, struct err *err) {
    for (int p = 0; p < PRIORITY_COUNT; p++) {
        enum job_priority priority = (enum job_priority)p;
        int64_t key = queues_virtual_key(app, id, priority);
        if (key > 0 && !queue_store_advance(db, id, priority, key, err)) {
            return false;
        }
    }
    return true;
}

static bool run_persist(struct app *app, struct db *db, struct write_item **items, int count,
                        struct err *err) {
    const struct queue_info *queues[QUEUES_MAX];
    int queue_count = queues_all(app, queues);
    for (int i = 0; i < queue_count; i++) {
        if (!persist_queue(app, db, queues[i]->id, err)) {
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
    (void)!queues_reload(app, runner_db(app), &ignored);
}

static const struct write_kind ensure_kind = {
    .name = "queue.ensure", .batch_max = 8, .run = run_ensure, .committed = reload_committed};
static const struct write_kind persist_kind = {
    .name = "queue.persist", .batch_max = 8, .run = run_persist, .committed = reload_committed};

static bool is_ahead(const struct entry *entry) {
    bool ahead = false;
    for (int p = 0; p < PRIORITY_COUNT; p++) {
        ahead = ahead || entry->virtual_keys[p] > entry->persisted_keys[p];
    }
    return ahead;
}

static bool has_advanced(struct app *app) {
    bool advanced = false;
    mutex_lock(&app->queues->mutex);
    for (int i = 0; i < app->queues->count; i++) {
        advanced = advanced || is_ahead(app->queues->entries[i]);
    }
    mutex_unlock(&app->queues->mutex);
    return advanced;
}

bool queues_persist(struct app *app) {
    struct write_item item = {.kind = &persist_kind};
    struct err ignored = {0}; /* tried again at the next pass */
    if (has_advanced(app)) {
        return app_write_wait(app, &item, &ignored); /* reads again after the commit */
    }
    own(db_reader) reader = NULL;
    (void)(db_pool_take(app->readers, &reader, &ignored) &&
           queues_reload(app, reader->db, &ignored));
    return false;
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
