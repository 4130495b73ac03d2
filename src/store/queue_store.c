#include "store/queue_store.h"

static bool read_row(struct db_stmt *stmt, struct queue_row *row, struct err *err) {
    row->id.value = db_i64(stmt, 0);
    row->current = db_i64(stmt, 3) != 0;
    row->held = db_i64(stmt, 4) != 0;
    row->pool_held = db_i64(stmt, 5) != 0;
    row->revision = db_i64(stmt, 6);
    row->pool_revision = db_i64(stmt, 7);
    return str_to_c(db_text(stmt, 1), row->pool, sizeof row->pool, err) &&
           str_to_c(db_text(stmt, 2), row->runtime_spec, sizeof row->runtime_spec, err);
}

static void take_key(struct db_stmt *stmt, struct queue_row *rows, int count) {
    int64_t priority = db_i64(stmt, 1);
    for (int i = 0; i < count && priority >= 0 && priority < PRIORITY_COUNT; i++) {
        if (rows[i].id.value == db_i64(stmt, 0)) {
            rows[i].virtual_keys[priority] = db_i64(stmt, 2);
        }
    }
}

static bool read_keys(struct db *db, struct queue_row *rows, int count, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db,
                    "SELECT queue_id, priority, virtual_key FROM queue_lane "
                    "ORDER BY queue_id, priority LIMIT ?",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, QUEUES_MAX * PRIORITY_COUNT);
    enum db_step step = DB_DONE;
    while ((step = db_step(stmt, err)) == DB_ROW) {
        take_key(stmt, rows, count);
    }
    return step == DB_DONE;
}

static bool read_rows(struct db *db, struct queue_row *rows, int *ret_count, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db,
                    "SELECT q.id, q.pool, q.runtime_spec, "
                    "p.runtime_spec = q.runtime_spec, q.held, p.held, q.revision, p.revision "
                    "FROM queue q JOIN pool p ON p.name = q.pool "
                    "ORDER BY q.id LIMIT ?",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, QUEUES_MAX);
    int count = 0;
    enum db_step step = DB_DONE;
    while ((step = db_step(stmt, err)) == DB_ROW) {
        rows[count] = (struct queue_row){0};
        if (!read_row(stmt, &rows[count++], err)) {
            return false;
        }
    }
    *ret_count = count;
    return step == DB_DONE;
}

bool queue_store_list(struct db *db, struct queue_row rows[QUEUES_MAX], int *ret_count,
                      struct err *err) {
    return read_rows(db, rows, ret_count, err) && read_keys(db, rows, *ret_count, err);
}

bool queue_store_find(struct db *db, struct str pool, struct str runtime_spec,
                      struct queue_id *ret_id, bool *ret_found, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, "SELECT id FROM queue WHERE pool = ? AND runtime_spec = ?", &stmt, err)) {
        return false;
    }
    db_bind_text(stmt, 1, pool);
    db_bind_text(stmt, 2, runtime_spec);
    if (!db_find(stmt, ret_found, err)) {
        return false;
    }
    ret_id->value = *ret_found ? db_i64(stmt, 0) : 0;
    return true;
}

static bool insert_lane(struct db *db, const struct queue_row *row, enum job_priority priority,
                        struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, "INSERT INTO queue_lane (queue_id, priority, virtual_key) VALUES (?, ?, ?)",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, row->id.value);
    db_bind_i64(stmt, 2, priority);
    db_bind_i64(stmt, 3, row->virtual_keys[priority]);
    return db_run_one(stmt, err);
}

bool queue_store_insert(struct db *db, const struct queue_row *row, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db,
                    "INSERT INTO queue (id, pool, runtime_spec, virtual_key) VALUES (?, ?, ?, 0)",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, row->id.value);
    db_bind_text(stmt, 2, str_from(row->pool));
    db_bind_text(stmt, 3, str_from(row->runtime_spec));
    if (!db_run_one(stmt, err)) {
        return false;
    }
    for (int p = 0; p < PRIORITY_COUNT; p++) {
        if (!insert_lane(db, row, (enum job_priority)p, err)) {
            return false;
        }
    }
    return true;
}

bool queue_store_advance(struct db *db, struct queue_id id, enum job_priority priority,
                         int64_t virtual_key, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db,
                    "UPDATE queue_lane SET virtual_key = ? "
                    "WHERE queue_id = ? AND priority = ? AND virtual_key < ?",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, virtual_key);
    db_bind_i64(stmt, 2, id.value);
    db_bind_i64(stmt, 3, priority);
    db_bind_i64(stmt, 4, virtual_key);
    return db_run(stmt, NULL, err);
}

bool queue_store_hold(struct db *db, struct queue_id id, int64_t revision, bool held,
                      bool *ret_changed, struct err *err) {
    own(db_stmt) stmt = NULL;
    int64_t changes = 0;
    if (!db_prepare(db,
                    "UPDATE queue SET held = ?, revision = revision + 1 "
                    "WHERE id = ? AND revision = ?",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, held);
    db_bind_i64(stmt, 2, id.value);
    db_bind_i64(stmt, 3, revision);
    bool ok = db_run(stmt, &changes, err);
    *ret_changed = changes == 1;
    return ok;
}

bool pool_store_update(struct db *db, const struct pool_change *change, bool *ret_changed,
                       struct err *err) {
    own(db_stmt) stmt = NULL;
    int64_t changes = 0;
    if (!db_prepare(db,
                    "UPDATE pool SET held = ?, runtime_spec = ?, revision = revision + 1 "
                    "WHERE name = ? AND revision = ?",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, change->held);
    db_bind_text(stmt, 2, change->runtime_spec);
    db_bind_text(stmt, 3, change->name);
    db_bind_i64(stmt, 4, change->revision);
    bool ok = db_run(stmt, &changes, err);
    *ret_changed = changes == 1;
    return ok;
}

bool pool_store_find(struct db *db, struct str name, bool *ret_found, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, "SELECT 1 FROM pool WHERE name = ?", &stmt, err)) {
        return false;
    }
    db_bind_text(stmt, 1, name);
    return db_find(stmt, ret_found, err);
}

bool pool_store_insert(struct db *db, struct str name, struct str runtime_spec, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, "INSERT INTO pool (name, runtime_spec, held) VALUES (?, ?, 0)", &stmt,
                    err)) {
        return false;
    }
    db_bind_text(stmt, 1, name);
    db_bind_text(stmt, 2, runtime_spec);
    return db_run_one(stmt, err);
}
