#include "store/node_check_store.h"
#include "base/check.h"

#define COLUMNS                                                                                    \
    "id, node_id, kind, state, session_epoch, config_digest, actor_id, speed_permille, message, "  \
    "created_ms, done_ms, detail"

bool node_check_store_insert(struct db *db, const struct node_check *check, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(
            db, "INSERT INTO node_check (" COLUMNS ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, check->id);
    db_bind_i64(stmt, 2, check->node.value);
    db_bind_i64(stmt, 3, check->kind);
    db_bind_i64(stmt, 4, check->state);
    db_bind_i64(stmt, 5, check->session_epoch);
    db_bind_text(stmt, 6, check->config_digest);
    db_bind_i64(stmt, 7, check->actor.value);
    db_bind_i64(stmt, 8, check->speed_permille);
    db_bind_text(stmt, 9, check->message);
    db_bind_i64(stmt, 10, check->created_ms);
    db_bind_i64(stmt, 11, check->done_ms);
    db_bind_text(stmt, 12, check->detail);
    return db_run_one(stmt, err);
}

static struct node_check read_row(struct db_stmt *stmt, struct arena *arena) {
    return (struct node_check){
        .id = db_i64(stmt, 0),
        .node = {db_i64(stmt, 1)},
        .kind = (enum check_kind)db_i64(stmt, 2),
        .state = (enum check_state)db_i64(stmt, 3),
        .session_epoch = db_i64(stmt, 4),
        .config_digest = arena_str(arena, db_text(stmt, 5)),
        .actor = {db_i64(stmt, 6)},
        .speed_permille = db_i64(stmt, 7),
        .message = arena_str(arena, db_text(stmt, 8)),
        .created_ms = db_i64(stmt, 9),
        .done_ms = db_i64(stmt, 10),
        .detail = arena_str(arena, db_text(stmt, 11)),
    };
}

bool node_check_store_get(struct db *db, int64_t id, struct arena *arena,
                          struct node_check *ret_check, bool *ret_found, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, "SELECT " COLUMNS " FROM node_check WHERE id = ?", &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, id);
    if (!db_find(stmt, ret_found, err)) {
        return false;
    }
    if (*ret_found) {
        *ret_check = read_row(stmt, arena);
    }
    return true;
}

bool node_check_store_list(struct db *db, struct node_id node, struct arena *arena,
                           struct node_check **ret_checks, int *ret_count, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db,
                    "SELECT " COLUMNS " FROM node_check WHERE node_id = ? "
                    "ORDER BY id DESC LIMIT ?",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, node.value);
    db_bind_i64(stmt, 2, NODE_CHECKS_SHOWN_MAX);
    struct node_check *checks = arena_array(arena, NODE_CHECKS_SHOWN_MAX, sizeof checks[0]);
    int count = 0;
    enum db_step step = DB_DONE;
    while ((step = db_step(stmt, err)) == DB_ROW) {
        CHECK(count < NODE_CHECKS_SHOWN_MAX);
        checks[count++] = read_row(stmt, arena);
    }
    *ret_checks = checks;
    *ret_count = count;
    return step == DB_DONE;
}

bool node_check_store_finish(struct db *db, const struct node_check *check, struct err *err) {
    CHECK(db_has_lock(db, LOCK_NODE, LOCK_EXCLUSIVE, check->node.value));
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db,
                    "UPDATE node_check SET state = ?, speed_permille = ?, message = ?, "
                    "done_ms = ?, detail = ? WHERE id = ?",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, check->state);
    db_bind_i64(stmt, 2, check->speed_permille);
    db_bind_text(stmt, 3, check->message);
    db_bind_i64(stmt, 4, check->done_ms);
    db_bind_text(stmt, 5, check->detail);
    db_bind_i64(stmt, 6, check->id);
    return db_run_one(stmt, err);
}

bool node_check_store_prune(struct db *db, struct node_id node, int keep, struct err *err) {
    own(db_stmt) find = NULL;
    own(db_stmt) drop = NULL;
    bool found = false;
    if (!db_prepare(db,
                    "SELECT id FROM node_check WHERE node_id = ? ORDER BY id DESC LIMIT 1 OFFSET ?",
                    &find, err)) {
        return false;
    }
    db_bind_i64(find, 1, node.value);
    db_bind_i64(find, 2, keep);
    if (!db_find(find, &found, err)) {
        return false;
    }
    if (!found) {
        return true;
    }
    int64_t last = db_i64(find, 0);
    db_reset(find);
    if (!db_prepare(db, "DELETE FROM node_check WHERE node_id = ? AND id <= ?", &drop, err)) {
        return false;
    }
    db_bind_i64(drop, 1, node.value);
    db_bind_i64(drop, 2, last);
    return db_run(drop, NULL, err);
}
