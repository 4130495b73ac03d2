#include "store/migrate.h"
#include "base/limits.h"
#include "data/digest.h"
#include "store/migrate_internal.h"

static const char table_sql[] = "CREATE TABLE IF NOT EXISTS schema_migration ("
                                "name @text(128) NOT NULL, digest @text(64) NOT NULL, "
                                "applied_ms @i64 NOT NULL, PRIMARY KEY (name)) @clustered";

static bool run_script(struct db *db, struct str sql, struct err *err) {
    own_buf text = {0};
    buf_init(&text, 1 * MIB);
    return dialect_expand(db_dialect(db), sql, &text, err) && db_script(db, buf_str(&text), err);
}

static const struct migration *find(const struct migration *list, struct str name) {
    for (; list->name != NULL; list++) {
        if (str_eq_c(name, list->name)) {
            return list;
        }
    }
    return NULL;
}

static void digest_text(const struct migration *migration, char hex[DIGEST_HEX_BYTES]) {
    struct digest digest = digest_of(str_from(migration->sql));
    digest_hex(&digest, hex);
}

/* The name's word after the time says whether programs that do not know it can still work. */
static bool is_contract(struct str name) {
    struct str time = {0};
    struct str words = {0};
    return str_cut(name, '_', &time, &words) && str_starts(words, STR("contract_"));
}

static bool check_applied(struct db *db, const struct migration *list, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, "SELECT name, digest FROM schema_migration ORDER BY name", &stmt, err)) {
        return false;
    }
    enum db_step step = DB_DONE;
    while ((step = db_step(stmt, err)) == DB_ROW) {
        struct str name = db_text(stmt, 0);
        const struct migration *known = find(list, name);
        char hex[DIGEST_HEX_BYTES];
        if (known == NULL && !is_contract(name)) {
            continue; /* a newer version only added to the schema */
        }
        if (known == NULL) {
            return err_set(err, ERR_CONFLICT, "database_newer",
                           "the database has the migration " STR_FMT ", which this program does "
                           "not know and which removes what it needs: start the newer version",
                           STR_ARG(name));
        }
        digest_text(known, hex);
        if (!str_eq_c(db_text(stmt, 1), hex)) {
            return err_set(err, ERR_CONFLICT, "migration_changed",
                           "the migration %s was changed after the database had applied it: "
                           "restore its text and write a new migration",
                           known->name);
        }
    }
    return step == DB_DONE;
}

static bool is_applied(struct db *db, const char *name, bool *ret_applied, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, "SELECT 1 FROM schema_migration WHERE name = ?", &stmt, err)) {
        return false;
    }
    db_bind_text(stmt, 1, str_from(name));
    enum db_step step = db_step(stmt, err);
    *ret_applied = step == DB_ROW;
    return step != DB_FAILED;
}

static bool record(struct db *db, const struct migration *migration, struct err *err) {
    own(db_stmt) stmt = NULL;
    int64_t now_ms = 0;
    char hex[DIGEST_HEX_BYTES];
    if (!db_now(db, &now_ms, err) ||
        !db_prepare(db, "INSERT INTO schema_migration (name, digest, applied_ms) VALUES (?, ?, ?)",
                    &stmt, err)) {
        return false;
    }
    digest_text(migration, hex);
    db_bind_text(stmt, 1, str_from(migration->name));
    db_bind_text(stmt, 2, str_from(hex));
    db_bind_i64(stmt, 3, now_ms);
    return db_run_one(stmt, err);
}

/* Looks again inside the transaction: another process may have done it meanwhile. */
static bool apply(struct db *db, const struct migration *migration, int *applied, struct err *err) {
    bool done = false;
    if (!db_begin(db, err)) {
        return false;
    }
    if (!is_applied(db, migration->name, &done, err) ||
        (!done &&
         (!run_script(db, str_from(migration->sql), err) || !record(db, migration, err))) ||
        !db_commit(db, err)) {
        db_rollback(db);
        return err_wrap(err, "migration %s", migration->name);
    }
    *applied += done ? 0 : 1;
    return true;
}

static bool apply_missing(struct db *db, const struct migration *list, int *ret_applied,
                          struct err *err) {
    int applied = 0;
    bool stepwise = db_dialect(db) == DIALECT_MYSQL;
    for (; list->name != NULL; list++) {
        bool done = false;
        if (!is_applied(db, list->name, &done, err) ||
            (!done && !(stepwise ? migrate_stepwise(db, list, record, &applied, err)
                                 : apply(db, list, &applied, err)))) {
            return false;
        }
    }
    *ret_applied = applied;
    return true;
}

bool migrate(struct db *db, const struct migration *list, int *ret_applied, struct err *err) {
    struct migrate_lock lock = {0};
    bool ok = migrate_lock_take(db, &lock, err) && run_script(db, str_from(table_sql), err) &&
              check_applied(db, list, err) && apply_missing(db, list, ret_applied, err);
    migrate_lock_release(&lock);
    return ok;
}
