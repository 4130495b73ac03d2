/* What is the same on every driver. */
#include "base/check.h"
#include "store/db_driver_internal.h"
#include "store/rows_internal.h"

#include <stdlib.h>
#include <string.h>

bool db_may_retry(const struct err *err) {
    return err->kind == ERR_BUSY && strcmp(err->code, "database_busy") == 0;
}

bool db_is_unavailable(const struct err *err) {
    return err->kind == ERR_BUSY && strcmp(err->code, "database_unavailable") == 0;
}

bool db_says_done(const struct err *err) {
    return err->kind == ERR_CONFLICT &&
           (strcmp(err->code, "schema_done") == 0 || strcmp(err->code, "duplicate") == 0);
}

/* ---- opening ---- */

bool db_open(const struct db_options *options, struct db **ret_db, struct err *err) {
    const struct db_driver *driver = options->mysql != NULL ? &mydb_driver : &sqlite_driver;
    return driver->open(options, ret_db, err);
}

void db_base_init(struct db *db, const struct db_driver *driver, const struct db_options *options) {
    db->driver = driver;
    db->clock = options->clock;
    db->read_only = options->read_only;
    db->claims_owned = options->claims_owned;
    db->rows = rows_create(options->meter);
}

void db_base_done(struct db *db) {
    lock_order_done(&db->locks);
    rows_free(db->rows);
}

void db_close(struct db *db) {
    if (db == NULL) {
        return;
    }
    db_rollback(db);
    for (int i = 0; i < DB_CACHE_SLOTS; i++) {
        if (db->cache[i] != NULL) {
            db->driver->finalize(db->cache[i]);
        }
    }
    db->driver->close(db);
}

enum dialect db_dialect(const struct db *db) {
    return db->driver->dialect;
}

bool db_claims_owned(const struct db *db) {
    return db->claims_owned;
}

bool db_check(struct db *db, struct err *err) {
    return db->driver->check(db, err);
}

void db_set_fault(struct db *db, db_fault_fn *fault, void *context) {
    db->fault = fault;
    db->fault_context = context;
}

bool db_fault_passes(struct db *db, enum db_point point, const char *sql, struct err *err) {
    return db->fault == NULL || db->fault(db->fault_context, point, sql, err);
}

struct rows *db_rows(struct db *db) {
    return db->rows;
}

/* ---- transactions ---- */

bool db_in_transaction(const struct db *db) {
    return db->driver->is_open(db);
}

bool db_begin(struct db *db, struct err *err) {
    CHECK(!db->driver->is_open(db));
    lock_order_reset(&db->locks);
    return db_fault_passes(db, DB_POINT_BEGIN, NULL, err) && db->driver->begin(db, err);
}

bool db_commit(struct db *db, struct err *err) {
    CHECK(db->driver->is_open(db));
    if (!db_flush(db, err) || !db_fault_passes(db, DB_POINT_COMMIT, NULL, err) ||
        !db->driver->commit(db, err)) {
        return false;
    }
    lock_order_reset(&db->locks);
    return db_fault_passes(db, DB_POINT_COMMITTED, NULL, err);
}

void db_rollback(struct db *db) {
    lock_order_reset(&db->locks);
    rows_forget(db->rows);
    if (db->driver->is_open(db)) {
        db->driver->rollback(db);
    }
}

bool db_savepoint(struct db *db, struct err *err) {
    CHECK(db->driver->is_open(db));
    return db_flush(db, err) && db->driver->exec(db, "SAVEPOINT item", err);
}

bool db_savepoint_keep(struct db *db, struct err *err) {
    return db_flush(db, err) && db->driver->exec(db, "RELEASE SAVEPOINT item", err);
}

void db_savepoint_undo(struct db *db) {
    rows_forget(db->rows);
    db->driver->savepoint_undo(db);
}

bool db_script(struct db *db, struct str sql, struct err *err) {
    return db->driver->script(db, sql, err);
}

/* ---- statements ---- */

static size_t slot_of(const char *sql) {
    uint64_t mixed = (uint64_t)(uintptr_t)sql * UINT64_C(0x9E3779B97F4A7C15);
    return (size_t)(mixed >> 54) & (DB_CACHE_SLOTS - 1);
}

static struct db_stmt **find_slot(struct db *db, const char *sql) {
    size_t slot = slot_of(sql);
    while (db->cache[slot] != NULL && db->cache[slot]->sql != sql) {
        slot = (slot + 1) & (DB_CACHE_SLOTS - 1);
    }
    return &db->cache[slot];
}

bool db_prepare(struct db *db, const char *sql, struct db_stmt **ret_stmt, struct err *err) {
    struct db_stmt **slot = find_slot(db, sql);
    if (*slot != NULL && !(*slot)->in_use) {
        if (!db->driver->reuse(*slot, err)) {
            return false;
        }
        (*slot)->in_use = true;
        *ret_stmt = *slot;
        return true;
    }
    if (!db->driver->prepare(db, sql, ret_stmt, err)) {
        return false;
    }
    (*ret_stmt)->db = db;
    (*ret_stmt)->sql = sql;
    (*ret_stmt)->in_use = true;
    if (*slot == NULL && db->cached < DB_CACHE_SLOTS * 3 / 4) {
        (*ret_stmt)->cached = true;
        *slot = *ret_stmt;
        db->cached++;
    }
    return true;
}

void db_stmt_release(struct db_stmt *stmt) {
    if (stmt == NULL) {
        return;
    }
    if (!stmt->cached) {
        stmt->db->driver->finalize(stmt);
        return;
    }
    db_reset(stmt);
    stmt->db->driver->clear(stmt);
    stmt->in_use = false;
}

void db_reset(struct db_stmt *stmt) {
    stmt->running = false;
    stmt->db->driver->reset(stmt);
}

void db_bind_i64(struct db_stmt *stmt, int index, int64_t value) {
    stmt->db->driver->bind_i64(stmt, index, value);
}

void db_bind_text(struct db_stmt *stmt, int index, struct str text) {
    stmt->db->driver->bind_bytes(stmt, index, text, DB_BYTES_TEXT);
}

void db_bind_blob(struct db_stmt *stmt, int index, struct str bytes) {
    stmt->db->driver->bind_bytes(stmt, index, bytes, DB_BYTES_BLOB);
}

void db_bind_null(struct db_stmt *stmt, int index) {
    stmt->db->driver->bind_null(stmt, index);
}

void db_bind_sha256(struct db_stmt *stmt, int index, const uint8_t sha256[32]) {
    db_bind_blob(stmt, index, str_of(sha256, 32));
}

enum db_step db_step(struct db_stmt *stmt, struct err *err) {
    struct db *db = stmt->db;
    if ((rows_wait(db->rows) && !db_flush(db, err)) ||
        !db_fault_passes(db, DB_POINT_STEP, stmt->sql, err)) {
        return DB_FAILED;
    }
    if (!stmt->running) {
        rows_count_alone(db->rows);
    }
    enum db_step step = db->driver->step(stmt, err);
    stmt->running = step == DB_ROW;
    return step;
}

bool db_run(struct db_stmt *stmt, int64_t *ret_changes, struct err *err) {
    enum db_step step = db_step(stmt, err);
    CHECK(step != DB_ROW);
    int64_t changes = stmt->db->driver->changes(stmt);
    db_reset(stmt);
    if (step == DB_FAILED) {
        return false;
    }
    if (ret_changes != NULL) {
        *ret_changes = changes;
    }
    return true;
}

bool db_run_one(struct db_stmt *stmt, struct err *err) {
    int64_t changes = 0;
    if (!db_run(stmt, &changes, err)) {
        return false;
    }
    CHECK(changes == 1);
    return true;
}

bool db_find(struct db_stmt *stmt, bool *ret_found, struct err *err) {
    enum db_step step = db_step(stmt, err);
    *ret_found = step == DB_ROW;
    return step != DB_FAILED;
}

int64_t db_i64(struct db_stmt *stmt, int column) {
    return stmt->db->driver->i64(stmt, column);
}

struct str db_text(struct db_stmt *stmt, int column) {
    return stmt->db->driver->bytes(stmt, column, DB_BYTES_TEXT);
}

struct str db_blob(struct db_stmt *stmt, int column) {
    return stmt->db->driver->bytes(stmt, column, DB_BYTES_BLOB);
}

bool db_is_null(struct db_stmt *stmt, int column) {
    return stmt->db->driver->is_null(stmt, column);
}

bool db_sha256(struct db_stmt *stmt, int column, uint8_t ret_sha256[32]) {
    struct str bytes = db_blob(stmt, column);
    if (bytes.len != 32) {
        memset(ret_sha256, 0, 32);
        return false;
    }
    memcpy(ret_sha256, bytes.ptr, 32);
    return true;
}

/* ---- locks and clock ---- */

bool db_lock(struct db *db, enum lock_level level, enum lock_mode mode, int64_t id,
             struct err *err) {
    CHECK(db->driver->is_open(db));
    CHECK(!db->read_only);
    enum lock_answer answer = lock_order_take(&db->locks, level, mode, id);
    CHECK(answer == LOCK_TAKE || answer == LOCK_HELD);
    return answer == LOCK_HELD || db->driver->lock(db, level, mode, id, err);
}

void db_lock_found(struct db *db, enum lock_level level, enum lock_mode mode, int64_t id) {
    enum lock_answer answer = lock_order_take(&db->locks, level, mode, id);
    CHECK(answer == LOCK_TAKE || answer == LOCK_HELD);
}

bool db_has_lock(const struct db *db, enum lock_level level, enum lock_mode mode, int64_t id) {
    return lock_order_has(&db->locks, level, mode, id);
}

bool db_now(struct db *db, int64_t *ret_now_ms, struct err *err) {
    lock_order_seal(&db->locks);
    return db->driver->now(db, ret_now_ms, err);
}
