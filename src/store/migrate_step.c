#include "base/limits.h"
#include "store/migrate_internal.h"
#include "store/sql_split.h"

#define LOCK_WAIT_S 10 /* one question; shorter than a connection's patience */
#define LOCK_WAITS_MAX 60

/* Named after the database: such locks are the whole server's. */
#define LOCK_NAME "CONCAT('assize.migrate.', SUBSTRING(SHA1(DATABASE()), 1, 20))"

static bool ask(struct db *db, const char *sql, int64_t *ret_answer, struct err *err) {
    own(db_stmt) stmt = NULL;
    bool found = false;
    if (!db_prepare(db, sql, &stmt, err) || !db_find(stmt, &found, err)) {
        return false;
    }
    *ret_answer = found ? db_i64(stmt, 0) : 0;
    return true;
}

bool migrate_lock_take(struct db *db, struct migrate_lock *lock, struct err *err) {
    if (db_dialect(db) != DIALECT_MYSQL) {
        return true;
    }
    for (int i = 0; i < LOCK_WAITS_MAX; i++) {
        int64_t taken = 0;
        if (!ask(db, "SELECT GET_LOCK(" LOCK_NAME ", 10)", &taken, err)) {
            return err_wrap(err, "wait for another server's migration");
        }
        if (taken == 1) {
            lock->db = db;
            return true;
        }
    }
    return err_set(err, ERR_BUSY, "database_busy",
                   "another server has been migrating the database for %d s",
                   LOCK_WAIT_S * LOCK_WAITS_MAX);
}

void migrate_lock_release(struct migrate_lock *lock) {
    int64_t released = 0;
    struct err ignored = {0}; /* the connection's end releases it too */
    if (lock->db != NULL) {
        (void)!ask(lock->db, "SELECT RELEASE_LOCK(" LOCK_NAME ")", &released, &ignored);
    }
}

/* ---- steps ---- */

static bool read_step(struct db *db, const char *name, int64_t *ret_step, struct err *err) {
    own(db_stmt) stmt = NULL;
    bool found = false;
    if (!db_prepare(db, "SELECT step FROM schema_migration_step WHERE name = ?", &stmt, err)) {
        return false;
    }
    db_bind_text(stmt, 1, str_from(name));
    if (!db_find(stmt, &found, err)) {
        return false;
    }
    *ret_step = found ? db_i64(stmt, 0) : -1;
    return true;
}

static bool write_step(struct db *db, const char *name, int64_t step, bool first, struct err *err) {
    own(db_stmt) stmt = NULL;
    const char *sql = first ? "INSERT INTO schema_migration_step (step, name) VALUES (?, ?)"
                            : "UPDATE schema_migration_step SET step = ? WHERE name = ?";
    if (!db_prepare(db, sql, &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, step);
    db_bind_text(stmt, 2, str_from(name));
    return db_run_one(stmt, err);
}

static bool run_steps(struct db *db, const struct migration *migration, struct str sql,
                      int64_t done, struct err *err) {
    struct str statement = {0};
    bool resumed = done >= 0;
    if (!resumed && !write_step(db, migration->name, 0, true, err)) {
        return false;
    }
    for (int64_t step = 0; sql_next(&sql, &statement); step++) {
        if (step < done) {
            continue;
        }
        /* Only the first after a cut may have run without being noted. */
        bool again = resumed && step == done;
        if ((!db_script(db, statement, err) && !(again && db_says_done(err))) ||
            !write_step(db, migration->name, step + 1, false, err)) {
            return false;
        }
    }
    return true;
}

bool migrate_stepwise(struct db *db, const struct migration *migration, migrate_record_fn *record,
                      int *applied, struct err *err) {
    own_buf text = {0};
    int64_t done = 0;
    buf_init(&text, 1 * MIB);
    if (!db_script(db,
                   STR("CREATE TABLE IF NOT EXISTS schema_migration_step (name VARCHAR(128) NOT "
                       "NULL, step BIGINT NOT NULL, PRIMARY KEY (name)) ENGINE=InnoDB DEFAULT "
                       "CHARSET=utf8mb4 COLLATE=utf8mb4_bin"),
                   err) ||
        !dialect_expand(DIALECT_MYSQL, str_from(migration->sql), &text, err) ||
        !read_step(db, migration->name, &done, err) ||
        !run_steps(db, migration, buf_str(&text), done, err) || !record(db, migration, err)) {
        return err_wrap(err, "migration %s", migration->name);
    }
    *applied += 1;
    return true;
}
