#include "store/guard_store.h"

bool guard_store_highest(struct db *db, int64_t *ret_highest_ms, struct err *err) {
    own(db_stmt) stmt = NULL;
    bool found = false;
    if (!db_prepare(db, "SELECT highest_ms FROM clock_guard WHERE id = 1", &stmt, err) ||
        !db_find(stmt, &found, err)) {
        return false;
    }
    *ret_highest_ms = found ? db_i64(stmt, 0) : 0;
    return true;
}

static bool run(struct db *db, const char *sql, int64_t highest_ms, int64_t *ret_changes,
                struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, sql, &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, highest_ms);
    return db_run(stmt, ret_changes, err);
}

bool guard_store_set(struct db *db, int64_t highest_ms, struct err *err) {
    int64_t changes = 0;
    return run(db, "UPDATE clock_guard SET highest_ms = ? WHERE id = 1", highest_ms, &changes,
               err) &&
           (changes > 0 || run(db, "INSERT INTO clock_guard (id, highest_ms) VALUES (1, ?)",
                               highest_ms, &changes, err));
}
