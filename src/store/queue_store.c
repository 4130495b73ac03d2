#include "store/queue_store.h"

static bool read_row(struct db_stmt *stmt, struct queue_row *row, struct err *err) {
    row->id.value = db_i64(stmt, 0);
    row->virtual_key = db_i64(stmt, 3);
    row->current = db_i64(stmt, 4) != 0;
    return str_to_c(db_text(stmt, 1), row->pool, sizeof row->pool, err) &&
           str_to_c(db_text(stmt, 2), row->runtime_spec, sizeof row->runtime_spec, err);
}

bool queue_store_list(struct db *db, struct queue_row rows[QUEUES_MAX], int *ret_count,
                      struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db,
                    "SELECT q.id, q.pool, q.runtime_spec, q.virtual_key, "
                    "p.runtime_spec = q.runtime_spec FROM queue q JOIN pool p ON p.name = q.pool "
                    "ORDER BY q.id LIMIT ?",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, QUEUES_MAX);
    int count = 0;
    enum db_step step = DB_DONE;
    while ((step = db_step(stmt, err)) == DB_ROW) {
        if (!read_row(stmt, &rows[count++], err)) {
            return false;
        }
    }
    *ret_count = count;
    return step == DB_DONE;
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

bool queue_store_insert(struct db *db, const struct queue_row *row, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db,
                    "INSERT INTO queue (id, pool, runtime_spec, virtual_key) VALUES (?, ?, ?, ?)",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, row->id.value);
    db_bind_text(stmt, 2, str_from(row->pool));
    db_bind_text(stmt, 3, str_from(row->runtime_spec));
    db_bind_i64(stmt, 4, row->virtual_key);
    return db_run_one(stmt, err);
}

bool queue_store_advance(struct db *db, struct queue_id id, int64_t virtual_key, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, "UPDATE queue SET virtual_key = ? WHERE id = ? AND virtual_key < ?", &stmt,
                    err)) {
        return false;
    }
    db_bind_i64(stmt, 1, virtual_key);
    db_bind_i64(stmt, 2, id.value);
    db_bind_i64(stmt, 3, virtual_key);
    return db_run(stmt, NULL, err);
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
