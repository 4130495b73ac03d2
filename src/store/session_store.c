/* Sign-in sessions. */
#include "store/session_store.h"

#include "base/check.h"

#define COLUMNS "id, user_id, secret_digest, created_ms, expires_ms, revoked_ms"

static const char insert_session[] =
    "INSERT INTO user_session (" COLUMNS ", seen_ms) VALUES (?, ?, ?, ?, ?, ?, ?)";
static const char by_secret[] = "SELECT " COLUMNS " FROM user_session WHERE secret_digest = ?";
static const char by_id[] = "SELECT " COLUMNS " FROM user_session WHERE id = ?";
static const char revoke_one[] =
    "UPDATE user_session SET revoked_ms = ? WHERE id = ? AND user_id = ? AND revoked_ms = 0";
static const char revoke_others[] =
    "UPDATE user_session SET revoked_ms = ? WHERE user_id = ? AND id <> ? AND revoked_ms = 0";
static const char delete_over[] =
    "DELETE FROM user_session WHERE user_id = ? AND (revoked_ms <> 0 OR expires_ms <= ?)";
static const char oldest_kept[] =
    "SELECT id FROM user_session WHERE user_id = ? ORDER BY id DESC LIMIT 1 OFFSET ?";
static const char delete_upto[] = "DELETE FROM user_session WHERE user_id = ? AND id <= ?";

static struct str digest_str(const struct digest *digest) {
    return str_of(digest->bytes, sizeof(digest->bytes));
}

bool session_store_insert(struct db *db, const struct session_row *row, struct err *err) {
    CHECK(db_has_lock(db, LOCK_USER, LOCK_EXCLUSIVE, row->user.value));
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, insert_session, &stmt, err)) {
        return err_wrap(err, "insert session");
    }
    db_bind_i64(stmt, 1, row->id.value);
    db_bind_i64(stmt, 2, row->user.value);
    db_bind_blob(stmt, 3, digest_str(&row->secret));
    db_bind_i64(stmt, 4, row->created_ms);
    db_bind_i64(stmt, 5, row->expires_ms);
    db_bind_i64(stmt, 6, row->revoked_ms);
    db_bind_i64(stmt, 7, row->created_ms);
    return db_run(stmt, NULL, err) || err_wrap(err, "insert session");
}

static bool one_session(struct db_stmt *stmt, struct session_row *ret_row, struct err *err) {
    switch (db_step(stmt, err)) {
    case DB_ROW: break;
    case DB_DONE: return err_set(err, ERR_UNAUTHENTICATED, "no_session", "sign in first");
    case DB_FAILED: return err_wrap(err, "find session");
    }
    struct session_row row = {
        .id = {db_i64(stmt, 0)},
        .user = {db_i64(stmt, 1)},
        .created_ms = db_i64(stmt, 3),
        .expires_ms = db_i64(stmt, 4),
        .revoked_ms = db_i64(stmt, 5),
    };
    struct str secret = db_blob(stmt, 2);
    if (secret.len != sizeof(row.secret.bytes)) {
        return err_set(err, ERR_SYSTEM, "database_failed", "session %lld has a broken digest",
                       (long long)row.id.value);
    }
    for (size_t i = 0; i < secret.len; i++) {
        row.secret.bytes[i] = (uint8_t)secret.ptr[i];
    }
    *ret_row = row;
    return true;
}

bool session_store_find_secret(struct db *db, const struct digest *secret,
                               struct session_row *ret_row, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, by_secret, &stmt, err)) {
        return err_wrap(err, "find session");
    }
    db_bind_blob(stmt, 1, digest_str(secret));
    return one_session(stmt, ret_row, err);
}

bool session_store_find(struct db *db, struct user_session_id id, struct session_row *ret_row,
                        struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, by_id, &stmt, err)) {
        return err_wrap(err, "find session");
    }
    db_bind_i64(stmt, 1, id.value);
    return one_session(stmt, ret_row, err);
}

bool session_store_revoke(struct db *db, struct user_id user, struct user_session_id id,
                          int64_t now_ms, struct err *err) {
    CHECK(db_has_lock(db, LOCK_USER, LOCK_EXCLUSIVE, user.value));
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, revoke_one, &stmt, err)) {
        return err_wrap(err, "revoke session");
    }
    db_bind_i64(stmt, 1, now_ms);
    db_bind_i64(stmt, 2, id.value);
    db_bind_i64(stmt, 3, user.value);
    return db_run(stmt, NULL, err) || err_wrap(err, "revoke session");
}

bool session_store_revoke_all(struct db *db, struct user_id user, struct user_session_id keep,
                              int64_t now_ms, struct err *err) {
    CHECK(db_has_lock(db, LOCK_USER, LOCK_EXCLUSIVE, user.value));
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, revoke_others, &stmt, err)) {
        return err_wrap(err, "revoke sessions");
    }
    db_bind_i64(stmt, 1, now_ms);
    db_bind_i64(stmt, 2, user.value);
    db_bind_i64(stmt, 3, keep.value);
    return db_run(stmt, NULL, err) || err_wrap(err, "revoke sessions");
}

/* Runs a statement with the user and one number. */
static bool run_with(struct db *db, const char *sql, struct user_id user, int64_t number,
                     struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, sql, &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, user.value);
    db_bind_i64(stmt, 2, number);
    return db_run(stmt, NULL, err);
}

/* Finds the newest session that is one too many; 0 when there is none. */
static bool find_surplus(struct db *db, struct user_id user, int live_max, int64_t *ret_id,
                         struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, oldest_kept, &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, user.value);
    db_bind_i64(stmt, 2, live_max);
    enum db_step step = db_step(stmt, err);
    *ret_id = step == DB_ROW ? db_i64(stmt, 0) : 0;
    return step != DB_FAILED;
}

bool session_store_prune(struct db *db, struct user_id user, int live_max, int64_t now_ms,
                         struct err *err) {
    CHECK(db_has_lock(db, LOCK_USER, LOCK_EXCLUSIVE, user.value));
    int64_t surplus = 0;
    if (!run_with(db, delete_over, user, now_ms, err) ||
        !find_surplus(db, user, live_max, &surplus, err) ||
        (surplus > 0 && !run_with(db, delete_upto, user, surplus, err))) {
        return err_wrap(err, "remove old sessions");
    }
    return true;
}
