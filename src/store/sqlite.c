/* The SQLite driver. One writer connection (of app/writer.c) and several readers share a file in
 * WAL mode: readers never wait for the writer and see the last commit. An in-memory database lives
 * in SQLite's memdb, which connections of one process share by name.
 *
 * (1) A write transaction is BEGIN IMMEDIATE: one that began as a reader could not be upgraded.
 * (2) A statement is prepared once a connection and found again by the address of its text.
 * (3) A connection belongs to one thread at a time, so SQLite's own mutexes are off. */
#include "base/check.h"
#include "base/file.h"
#include "base/limits.h"
#include "store/db.h"
#include "store/db_fault.h"
#include "store/lock_order.h"
#include "store/rows_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#define CACHE_SLOTS 1024 /* a power of two, well above the number of statements */
#define BUSY_WAIT_MS 10000
#define PATH_BYTES_MAX 4096

struct db_stmt {
    struct db *db;
    const char *sql;
    sqlite3_stmt *raw;
    bool cached;
    bool in_use;
};

struct db {
    sqlite3 *raw;
    const struct clock *clock;
    bool read_only;
    struct lock_order locks;
    struct db_stmt *cache[CACHE_SLOTS];
    int cached;
    db_fault_fn *fault;
    void *fault_context;
    struct rows *rows;
};

static bool fail(struct db *db, const char *what, struct err *err) {
    int code = sqlite3_extended_errcode(db->raw);
    const char *text = sqlite3_errmsg(db->raw);
    switch (code) {
    case SQLITE_CONSTRAINT_UNIQUE:
    case SQLITE_CONSTRAINT_PRIMARYKEY:
    case SQLITE_CONSTRAINT_ROWID:
        return err_set(err, ERR_CONFLICT, "duplicate", "%.80s: %s", what, text);
    default: break;
    }
    if ((code & 0xff) == SQLITE_BUSY || (code & 0xff) == SQLITE_LOCKED) {
        return err_set(err, ERR_BUSY, "database_busy", "%.80s: %s", what, text);
    }
    return err_set(err, ERR_SYSTEM, "database_failed", "%.80s: %s", what, text);
}

static bool fault_passes(struct db *db, enum db_point point, const char *sql, struct err *err) {
    return db->fault == NULL || db->fault(db->fault_context, point, sql, err);
}

void db_set_fault(struct db *db, db_fault_fn *fault, void *context) {
    db->fault = fault;
    db->fault_context = context;
}

struct rows *db_rows(struct db *db) {
    return db->rows;
}

bool db_in_transaction(const struct db *db) {
    return sqlite3_get_autocommit(db->raw) == 0;
}

enum dialect db_dialect(const struct db *db) {
    (void)db;
    return DIALECT_SQLITE;
}

/* ---- opening ---- */

/* SQLite would create the file for everybody to read; it holds password hashes. */
static bool create_file(const char *path, struct err *err) {
    own_fd fd = -1;
    return file_open_at(AT_FDCWD, path, O_RDWR | O_CREAT, 0600, &fd, err);
}

static bool file_name(const struct db_options *options, char *out, size_t bytes, struct err *err) {
    int len = options->shared_name != NULL
                  ? snprintf(out, bytes, "file:/%s?vfs=memdb", options->shared_name)
                  : snprintf(out, bytes, "%s", options->path);
    if (len < 0 || (size_t)len >= bytes) {
        return err_set(err, ERR_INVALID, "bad_path", "the database's path is too long");
    }
    return options->shared_name != NULL || strcmp(options->path, ":memory:") == 0 ||
           create_file(options->path, err);
}

static bool exec(struct db *db, const char *sql, struct err *err) {
    return sqlite3_exec(db->raw, sql, NULL, NULL, NULL) == SQLITE_OK || fail(db, sql, err);
}

static bool configure(struct db *db, struct err *err) {
    sqlite3_busy_timeout(db->raw, BUSY_WAIT_MS);
    (void)sqlite3_extended_result_codes(db->raw, 1);
    if (!exec(db, "PRAGMA journal_mode=WAL", err) || !exec(db, "PRAGMA synchronous=FULL", err) ||
        !exec(db, "PRAGMA foreign_keys=ON", err) || !exec(db, "PRAGMA trusted_schema=OFF", err) ||
        !exec(db, "PRAGMA temp_store=MEMORY", err) ||
        !exec(db, "PRAGMA wal_autocheckpoint=4000", err) ||
        !exec(db, "PRAGMA journal_size_limit=67108864", err)) {
        return false;
    }
    return db->read_only
               ? exec(db, "PRAGMA cache_size=-8000", err) && exec(db, "PRAGMA query_only=ON", err)
               : exec(db, "PRAGMA cache_size=-64000", err);
}

bool db_open(const struct db_options *options, struct db **ret_db, struct err *err) {
    char name[PATH_BYTES_MAX];
    if (!file_name(options, name, sizeof name, err)) {
        err->code = "database_unavailable";
        return err_wrap(err, "open database");
    }
    own(db) db = calloc(1, sizeof *db);
    CHECK(db != NULL);
    db->clock = options->clock;
    db->read_only = options->read_only;
    db->rows = rows_create();
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX |
                (options->shared_name != NULL ? SQLITE_OPEN_URI : 0);
    int code = sqlite3_open_v2(name, &db->raw, flags, NULL);
    if (code != SQLITE_OK) {
        return err_set(err, ERR_SYSTEM, "database_unavailable", "open database %.120s: %s", name,
                       sqlite3_errstr(code));
    }
    if (!configure(db, err)) {
        err->code = "database_unavailable";
        return err_wrap(err, "open database %.120s", name);
    }
    *ret_db = take(db);
    return true;
}

void db_close(struct db *db) {
    if (db == NULL) {
        return;
    }
    for (int i = 0; i < CACHE_SLOTS; i++) {
        if (db->cache[i] != NULL) {
            (void)sqlite3_finalize(db->cache[i]->raw);
            free(db->cache[i]);
        }
    }
    CHECK(sqlite3_close(db->raw) == SQLITE_OK); /* else a statement was not released */
    lock_order_done(&db->locks);
    rows_free(db->rows);
    free(db);
}

/* ---- transactions ---- */

bool db_begin(struct db *db, struct err *err) {
    CHECK(sqlite3_get_autocommit(db->raw) != 0);
    lock_order_reset(&db->locks);
    return fault_passes(db, DB_POINT_BEGIN, NULL, err) &&
           exec(db, db->read_only ? "BEGIN" : "BEGIN IMMEDIATE", err);
}

bool db_commit(struct db *db, struct err *err) {
    CHECK(sqlite3_get_autocommit(db->raw) == 0);
    if (!db_flush(db, err) || !fault_passes(db, DB_POINT_COMMIT, NULL, err)) {
        return false;
    }
    if (!exec(db, "COMMIT", err)) {
        return false; /* still open or rolled back: never made */
    }
    lock_order_reset(&db->locks);
    return fault_passes(db, DB_POINT_COMMITTED, NULL, err);
}

void db_rollback(struct db *db) {
    struct err ignored = {0};
    lock_order_reset(&db->locks);
    rows_forget(db->rows);
    if (sqlite3_get_autocommit(db->raw) == 0) {
        CHECK(exec(db, "ROLLBACK", &ignored) || sqlite3_get_autocommit(db->raw) != 0);
    }
}

bool db_savepoint(struct db *db, struct err *err) {
    CHECK(sqlite3_get_autocommit(db->raw) == 0);
    return db_flush(db, err) && exec(db, "SAVEPOINT item", err);
}

bool db_savepoint_keep(struct db *db, struct err *err) {
    return db_flush(db, err) && exec(db, "RELEASE item", err);
}

void db_savepoint_undo(struct db *db) {
    struct err ignored = {0};
    rows_forget(db->rows);
    /* When the whole transaction is gone there is nothing left to undo. */
    CHECK((exec(db, "ROLLBACK TO item", &ignored) && exec(db, "RELEASE item", &ignored)) ||
          sqlite3_get_autocommit(db->raw) != 0);
}

/* ---- statements ---- */

static size_t slot_of(const char *sql) {
    uint64_t mixed = (uint64_t)(uintptr_t)sql * UINT64_C(0x9E3779B97F4A7C15);
    return (size_t)(mixed >> 54) & (CACHE_SLOTS - 1);
}

static struct db_stmt **find_slot(struct db *db, const char *sql) {
    size_t slot = slot_of(sql);
    while (db->cache[slot] != NULL && db->cache[slot]->sql != sql) {
        slot = (slot + 1) & (CACHE_SLOTS - 1);
    }
    return &db->cache[slot];
}

static bool prepare(struct db *db, const char *sql, struct db_stmt **ret_stmt, struct err *err) {
    sqlite3_stmt *raw = NULL;
    if (sqlite3_prepare_v3(db->raw, sql, -1, SQLITE_PREPARE_PERSISTENT, &raw, NULL) != SQLITE_OK) {
        return fail(db, sql, err);
    }
    struct db_stmt *stmt = calloc(1, sizeof *stmt);
    CHECK(stmt != NULL);
    *stmt = (struct db_stmt){.db = db, .sql = sql, .raw = raw, .in_use = true};
    *ret_stmt = stmt;
    return true;
}

bool db_prepare(struct db *db, const char *sql, struct db_stmt **ret_stmt, struct err *err) {
    struct db_stmt **slot = find_slot(db, sql);
    if (*slot != NULL && !(*slot)->in_use) {
        (*slot)->in_use = true;
        *ret_stmt = *slot;
        return true;
    }
    if (!prepare(db, sql, ret_stmt, err)) {
        return false;
    }
    if (*slot == NULL && db->cached < CACHE_SLOTS * 3 / 4) {
        (*ret_stmt)->cached = true;
        *slot = *ret_stmt;
        db->cached++;
    }
    return true;
}

void db_reset(struct db_stmt *stmt) {
    (void)sqlite3_reset(stmt->raw); /* says again what the step said */
}

void db_stmt_release(struct db_stmt *stmt) {
    if (stmt == NULL) {
        return;
    }
    if (!stmt->cached) {
        (void)sqlite3_finalize(stmt->raw);
        free(stmt);
        return;
    }
    db_reset(stmt);
    (void)sqlite3_clear_bindings(stmt->raw);
    stmt->in_use = false;
}

/* A wrong index or a value over SQLite's limit is our own mistake. */
void db_bind_i64(struct db_stmt *stmt, int index, int64_t value) {
    CHECK(sqlite3_bind_int64(stmt->raw, index, value) == SQLITE_OK);
}

void db_bind_text(struct db_stmt *stmt, int index, struct str text) {
    const char *ptr = text.ptr != NULL ? text.ptr : "";
    CHECK(sqlite3_bind_text64(stmt->raw, index, ptr, text.len, SQLITE_TRANSIENT, SQLITE_UTF8) ==
          SQLITE_OK);
}

void db_bind_blob(struct db_stmt *stmt, int index, struct str bytes) {
    const char *ptr = bytes.ptr != NULL ? bytes.ptr : "";
    CHECK(sqlite3_bind_blob64(stmt->raw, index, ptr, bytes.len, SQLITE_TRANSIENT) == SQLITE_OK);
}

void db_bind_null(struct db_stmt *stmt, int index) {
    CHECK(sqlite3_bind_null(stmt->raw, index) == SQLITE_OK);
}

enum db_step db_step(struct db_stmt *stmt, struct err *err) {
    if ((rows_wait(stmt->db->rows) && !db_flush(stmt->db, err)) ||
        !fault_passes(stmt->db, DB_POINT_STEP, stmt->sql, err)) {
        return DB_FAILED;
    }
    if (sqlite3_stmt_busy(stmt->raw) == 0) {
        rows_count_alone(stmt->db->rows);
    }
    switch (sqlite3_step(stmt->raw)) {
    case SQLITE_ROW: return DB_ROW;
    case SQLITE_DONE: return DB_DONE;
    default: (void)fail(stmt->db, stmt->sql, err); return DB_FAILED;
    }
}

bool db_run(struct db_stmt *stmt, int64_t *ret_changes, struct err *err) {
    enum db_step step = db_step(stmt, err);
    CHECK(step != DB_ROW);
    int64_t changes = sqlite3_changes64(stmt->db->raw);
    db_reset(stmt);
    if (step == DB_FAILED) {
        return false;
    }
    if (ret_changes != NULL) {
        *ret_changes = changes;
    }
    return true;
}

int64_t db_i64(struct db_stmt *stmt, int column) {
    return sqlite3_column_int64(stmt->raw, column);
}

struct str db_text(struct db_stmt *stmt, int column) {
    const unsigned char *text = sqlite3_column_text(stmt->raw, column);
    return str_of(text, (size_t)sqlite3_column_bytes(stmt->raw, column));
}

struct str db_blob(struct db_stmt *stmt, int column) {
    const void *bytes = sqlite3_column_blob(stmt->raw, column);
    return str_of(bytes, (size_t)sqlite3_column_bytes(stmt->raw, column));
}

bool db_is_null(struct db_stmt *stmt, int column) {
    return sqlite3_column_type(stmt->raw, column) == SQLITE_NULL;
}

bool db_script(struct db *db, struct str sql, struct err *err) {
    own_buf text = {0};
    buf_init(&text, 1 * MIB);
    if (!buf_append(&text, sql) || !buf_ok(&text, "script", err)) {
        return err_set(err, ERR_TOO_LARGE, "too_large", "a script of %zu bytes", sql.len);
    }
    return exec(db, buf_c(&text), err);
}

/* ---- locks and clock ---- */

bool db_lock(struct db *db, enum lock_level level, enum lock_mode mode, int64_t id,
             struct err *err) {
    (void)err; /* the write transaction is the lock: only the order is held */
    CHECK(sqlite3_get_autocommit(db->raw) == 0);
    CHECK(!db->read_only);
    enum lock_answer answer = lock_order_take(&db->locks, level, mode, id);
    CHECK(answer == LOCK_TAKE || answer == LOCK_HELD);
    return true;
}

void db_lock_found(struct db *db, enum lock_level level, enum lock_mode mode, int64_t id) {
    enum lock_answer answer = lock_order_take(&db->locks, level, mode, id);
    CHECK(answer == LOCK_TAKE || answer == LOCK_HELD);
}

bool db_has_lock(const struct db *db, enum lock_level level, enum lock_mode mode, int64_t id) {
    return lock_order_has(&db->locks, level, mode, id);
}

bool db_now(struct db *db, int64_t *ret_now_ms, struct err *err) {
    (void)err;
    lock_order_seal(&db->locks);
    *ret_now_ms = clock_utc_ms(db->clock);
    return true;
}
