#include "store/turn_store.h"

static void bind_owner(struct db_stmt *stmt, int index, const struct turn_owner *owner) {
    db_bind_i64(stmt, index, owner->queue.value);
    db_bind_i64(stmt, index + 1, owner->priority);
    db_bind_i64(stmt, index + 2, owner->user.value);
}

bool turn_store_get(struct db *db, const struct turn_owner *owner, int64_t *ret_last_key,
                    bool *ret_found, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db,
                    "SELECT last_key FROM lane_turn "
                    "WHERE queue_id = ? AND priority = ? AND user_id = ?",
                    &stmt, err)) {
        return false;
    }
    bind_owner(stmt, 1, owner);
    if (!db_find(stmt, ret_found, err)) {
        return false;
    }
    *ret_last_key = *ret_found ? db_i64(stmt, 0) : 0;
    return true;
}

bool turn_store_set(struct db *db, const struct turn_owner *owner, int64_t last_key, bool found,
                    struct err *err) {
    own(db_stmt) stmt = NULL;
    const char *sql = found
                          ? "UPDATE lane_turn SET last_key = ? WHERE queue_id = ? AND priority = ? "
                            "AND user_id = ?"
                          : "INSERT INTO lane_turn (last_key, queue_id, priority, user_id) "
                            "VALUES (?, ?, ?, ?)";
    if (!db_prepare(db, sql, &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, last_key);
    bind_owner(stmt, 2, owner);
    return db_run_one(stmt, err);
}
