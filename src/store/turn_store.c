#include "store/turn_store.h"

bool turn_store_get(struct db *db, struct queue_id queue, struct user_id user,
                    int64_t *ret_last_key, bool *ret_found, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, "SELECT last_key FROM user_turn WHERE queue_id = ? AND user_id = ?", &stmt,
                    err)) {
        return false;
    }
    db_bind_i64(stmt, 1, queue.value);
    db_bind_i64(stmt, 2, user.value);
    if (!db_find(stmt, ret_found, err)) {
        return false;
    }
    *ret_last_key = *ret_found ? db_i64(stmt, 0) : 0;
    return true;
}

bool turn_store_set(struct db *db, struct queue_id queue, struct user_id user, int64_t last_key,
                    bool found, struct err *err) {
    own(db_stmt) stmt = NULL;
    const char *sql = found ? "UPDATE user_turn SET last_key = ? WHERE queue_id = ? AND user_id = ?"
                            : "INSERT INTO user_turn (last_key, queue_id, user_id) "
                              "VALUES (?, ?, ?)";
    if (!db_prepare(db, sql, &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, last_key);
    db_bind_i64(stmt, 2, queue.value);
    db_bind_i64(stmt, 3, user.value);
    return db_run_one(stmt, err);
}
