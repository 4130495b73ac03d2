/* The SQLite driver. One writer connection (of app/writer.c) and several readers share a file in
 * WAL mode: readers never wait for the writer and see the last commit. An in-memory database lives
 * in SQLite's memdb, which connections of one process share by name.
 *
 * (1) A write transaction is BEGIN IMMEDIATE: one that began as a reader could not be upgraded.
 * (2) A connection belongs to one thread at a time, so SQLite's own mutexes are off. */
#include "base/check.h"
#include "base/file.h"
#include "base/limits.h"
#include "store/db_driver_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#define BUSY_WAIT_MS 10000
#define PATH_BYTES_MAX 4096

struct sqlite_stmt {
    struct db_stmt base;
    sqlite3_stmt *raw;
};

struct sqlite_db {
    struct db base;
    sqlite3 *raw;
};

static sqlite3 *raw_of(const struct db *db) {
    return ((const struct sqlite_db *)db)->raw;
}

static sqlite3_stmt *raw_stmt(const struct db_stmt *stmt) {
    return ((const struct sqlite_stmt *)stmt)->raw;
}

static bool fail(struct db *db, const char *what, struct err *err) {
    int code = sqlite3_extended_errcode(raw_of(db));
    const char *text = sqlite3_errmsg(raw_of(db));
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

/* ---- opening ---- */

/* SQLite would create the file for everybody to read; it holds password hashes. One that is there
 * must not be opened here: closing it again would take away the locks that the other connections of
 * this process have on it, and another process's last connection would then remove the log that
 * they still write. tests/unit/main/test_cmd_admin.c sees it. */
static bool create_file(const char *path, struct err *err) {
    own_fd fd = -1;
    return file_open_at(AT_FDCWD, path, O_RDWR | O_CREAT | O_EXCL, 0600, &fd, err) ||
           err->os_errno == EEXIST;
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
    return sqlite3_exec(raw_of(db), sql, NULL, NULL, NULL) == SQLITE_OK || fail(db, sql, err);
}

static bool configure(struct db *db, struct err *err) {
    sqlite3_busy_timeout(raw_of(db), BUSY_WAIT_MS);
    (void)sqlite3_extended_result_codes(raw_of(db), 1);
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

static void close_db(struct db *db) {
    CHECK(sqlite3_close(raw_of(db)) == SQLITE_OK); /* else a statement was not released */
    db_base_done(db);
    free(db);
}

static bool connect(const struct db_options *options, const char *name, struct sqlite_db *db,
                    struct err *err) {
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX |
                (options->shared_name != NULL ? SQLITE_OPEN_URI : 0);
    int code = sqlite3_open_v2(name, &db->raw, flags, NULL);
    if (code != SQLITE_OK) {
        return err_set(err, ERR_SYSTEM, "database_unavailable", "open database %.120s: %s", name,
                       sqlite3_errstr(code));
    }
    if (!configure(&db->base, err)) {
        err->code = "database_unavailable";
        return err_wrap(err, "open database %.120s", name);
    }
    return true;
}

static bool open_db(const struct db_options *options, struct db **ret_db, struct err *err) {
    char name[PATH_BYTES_MAX];
    if (!file_name(options, name, sizeof name, err)) {
        err->code = "database_unavailable";
        return err_wrap(err, "open database");
    }
    struct sqlite_db *db = calloc(1, sizeof *db);
    CHECK(db != NULL);
    db_base_init(&db->base, &sqlite_driver, options);
    if (!connect(options, name, db, err)) {
        close_db(&db->base);
        return false;
    }
    *ret_db = &db->base;
    return true;
}

/* A file cannot be lost as a connection can. */
static bool check_db(struct db *db, struct err *err) {
    (void)db;
    (void)err;
    return true;
}

/* ---- transactions ---- */

static bool is_open(const struct db *db) {
    return sqlite3_get_autocommit(raw_of(db)) == 0;
}

static bool begin(struct db *db, struct err *err) {
    return exec(db, db->read_only ? "BEGIN" : "BEGIN IMMEDIATE", err);
}

/* When it fails the transaction is still open or rolled back: never made. */
static bool commit(struct db *db, struct err *err) {
    return exec(db, "COMMIT", err);
}

static void rollback(struct db *db) {
    struct err ignored = {0};
    CHECK(exec(db, "ROLLBACK", &ignored) || !is_open(db));
}

static void savepoint_undo(struct db *db) {
    struct err ignored = {0};
    /* When the whole transaction is gone there is nothing left to undo. */
    CHECK((exec(db, "ROLLBACK TO SAVEPOINT item", &ignored) &&
           exec(db, "RELEASE SAVEPOINT item", &ignored)) ||
          !is_open(db));
}

static bool script(struct db *db, struct str sql, struct err *err) {
    own_buf text = {0};
    buf_init(&text, 1 * MIB);
    if (!buf_append(&text, sql) || !buf_ok(&text, "script", err)) {
        return err_set(err, ERR_TOO_LARGE, "too_large", "a script of %zu bytes", sql.len);
    }
    return exec(db, buf_c(&text), err);
}

/* ---- statements ---- */

static bool prepare(struct db *db, const char *sql, struct db_stmt **ret_stmt, struct err *err) {
    sqlite3_stmt *raw = NULL;
    if (sqlite3_prepare_v3(raw_of(db), sql, -1, SQLITE_PREPARE_PERSISTENT, &raw, NULL) !=
        SQLITE_OK) {
        return fail(db, sql, err);
    }
    struct sqlite_stmt *stmt = calloc(1, sizeof *stmt);
    CHECK(stmt != NULL);
    stmt->raw = raw;
    *ret_stmt = &stmt->base;
    return true;
}

static bool reuse(struct db_stmt *stmt, struct err *err) {
    (void)stmt;
    (void)err;
    return true;
}

static void finalize(struct db_stmt *stmt) {
    (void)sqlite3_finalize(raw_stmt(stmt));
    free(stmt);
}

static void reset(struct db_stmt *stmt) {
    (void)sqlite3_reset(raw_stmt(stmt)); /* says again what the step said */
}

static void clear(struct db_stmt *stmt) {
    (void)sqlite3_clear_bindings(raw_stmt(stmt));
}

/* A wrong index or a value over SQLite's limit is our own mistake. */
static void bind_i64(struct db_stmt *stmt, int index, int64_t value) {
    CHECK(sqlite3_bind_int64(raw_stmt(stmt), index, value) == SQLITE_OK);
}

static void bind_bytes(struct db_stmt *stmt, int index, struct str bytes, enum db_bytes kind) {
    const char *ptr = bytes.ptr != NULL ? bytes.ptr : "";
    int code = kind == DB_BYTES_TEXT
                   ? sqlite3_bind_text64(raw_stmt(stmt), index, ptr, bytes.len, SQLITE_TRANSIENT,
                                         SQLITE_UTF8)
                   : sqlite3_bind_blob64(raw_stmt(stmt), index, ptr, bytes.len, SQLITE_TRANSIENT);
    CHECK(code == SQLITE_OK);
}

static void bind_null(struct db_stmt *stmt, int index) {
    CHECK(sqlite3_bind_null(raw_stmt(stmt), index) == SQLITE_OK);
}

static enum db_step step(struct db_stmt *stmt, struct err *err) {
    switch (sqlite3_step(raw_stmt(stmt))) {
    case SQLITE_ROW: return DB_ROW;
    case SQLITE_DONE: return DB_DONE;
    default: (void)fail(stmt->db, stmt->sql, err); return DB_FAILED;
    }
}

static int64_t changes(struct db_stmt *stmt) {
    return sqlite3_changes64(raw_of(stmt->db));
}

static int64_t i64(struct db_stmt *stmt, int column) {
    return sqlite3_column_int64(raw_stmt(stmt), column);
}

static struct str column_bytes(struct db_stmt *stmt, int column, enum db_bytes kind) {
    sqlite3_stmt *raw = raw_stmt(stmt);
    const void *bytes = kind == DB_BYTES_TEXT ? (const void *)sqlite3_column_text(raw, column)
                                              : sqlite3_column_blob(raw, column);
    return str_of(bytes, (size_t)sqlite3_column_bytes(raw, column));
}

static bool is_null(struct db_stmt *stmt, int column) {
    return sqlite3_column_type(raw_stmt(stmt), column) == SQLITE_NULL;
}

/* ---- locks and clock ---- */

/* The write transaction is the lock. */
static bool lock(struct db *db, enum lock_level level, enum lock_mode mode, int64_t id,
                 struct err *err) {
    (void)db;
    (void)level;
    (void)mode;
    (void)id;
    (void)err;
    return true;
}

static bool now(struct db *db, int64_t *ret_now_ms, struct err *err) {
    (void)err;
    *ret_now_ms = clock_utc_ms(db->clock);
    return true;
}

const struct db_driver sqlite_driver = {
    .dialect = DIALECT_SQLITE,
    .open = open_db,
    .close = close_db,
    .check = check_db,
    .begin = begin,
    .commit = commit,
    .rollback = rollback,
    .is_open = is_open,
    .exec = exec,
    .savepoint_undo = savepoint_undo,
    .script = script,
    .prepare = prepare,
    .reuse = reuse,
    .finalize = finalize,
    .reset = reset,
    .clear = clear,
    .bind_i64 = bind_i64,
    .bind_bytes = bind_bytes,
    .bind_null = bind_null,
    .step = step,
    .changes = changes,
    .i64 = i64,
    .bytes = column_bytes,
    .is_null = is_null,
    .lock = lock,
    .now = now,
};
