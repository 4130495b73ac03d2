/* API tokens. */
#include "store/api_token_store.h"

#include "base/check.h"

#include <string.h>

#define COLUMNS "id, user_id, name, scope, created_ms, expires_ms, revoked_ms"

static struct str digest_str(const struct digest *digest) {
    return str_of(digest->bytes, sizeof(digest->bytes));
}

static void from_row(struct db_stmt *stmt, struct arena *arena, struct api_token_row *ret_row) {
    *ret_row = (struct api_token_row){
        .id = {db_i64(stmt, 0)},
        .user = {db_i64(stmt, 1)},
        .name = arena_str(arena, db_text(stmt, 2)),
        .scope = (enum token_scope)db_i64(stmt, 3),
        .created_ms = db_i64(stmt, 4),
        .expires_ms = db_i64(stmt, 5),
        .revoked_ms = db_i64(stmt, 6),
    };
}

bool api_token_store_insert(struct db *db, const struct api_token_row *row, struct err *err) {
    CHECK(db_has_lock(db, LOCK_USER, LOCK_EXCLUSIVE, row->user.value));
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db,
                    "INSERT INTO api_token (id, user_id, name, secret_digest, scope, created_ms, "
                    "expires_ms, revoked_ms) VALUES (?, ?, ?, ?, ?, ?, ?, 0)",
                    &stmt, err)) {
        return err_wrap(err, "insert API token");
    }
    db_bind_i64(stmt, 1, row->id.value);
    db_bind_i64(stmt, 2, row->user.value);
    db_bind_text(stmt, 3, row->name);
    db_bind_blob(stmt, 4, digest_str(&row->secret));
    db_bind_i64(stmt, 5, row->scope);
    db_bind_i64(stmt, 6, row->created_ms);
    db_bind_i64(stmt, 7, row->expires_ms);
    return db_run(stmt, NULL, err) || err_wrap(err, "insert API token");
}

bool api_token_store_find(struct db *db, const struct digest *secret, struct arena *arena,
                          struct api_token_row *ret_row, bool *ret_found, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, "SELECT " COLUMNS " FROM api_token WHERE secret_digest = ?", &stmt, err)) {
        return err_wrap(err, "find API token");
    }
    db_bind_blob(stmt, 1, digest_str(secret));
    if (!db_find(stmt, ret_found, err)) {
        return err_wrap(err, "find API token");
    }
    if (*ret_found) {
        from_row(stmt, arena, ret_row);
    }
    return true;
}

bool api_token_store_list(struct db *db, struct user_id user, int64_t now_ms, struct arena *arena,
                          struct api_token_rows *ret_rows, struct err *err) {
    own(db_stmt) stmt = NULL;
    ret_rows->count = 0;
    if (!db_prepare(db,
                    "SELECT " COLUMNS " FROM api_token WHERE user_id = ? AND revoked_ms = 0 AND "
                    "expires_ms > ? ORDER BY id DESC LIMIT ?",
                    &stmt, err)) {
        return err_wrap(err, "list API tokens");
    }
    db_bind_i64(stmt, 1, user.value);
    db_bind_i64(stmt, 2, now_ms);
    db_bind_i64(stmt, 3, API_TOKENS_MAX);
    enum db_step step = DB_DONE;
    while ((step = db_step(stmt, err)) == DB_ROW) {
        from_row(stmt, arena, &ret_rows->rows[ret_rows->count++]);
    }
    if (step == DB_FAILED) {
        return err_wrap(err, "list API tokens");
    }
    return true;
}

/* Runs a statement with up to three numbers. */
static bool run_with(struct db *db, const char *sql, const int64_t *numbers, int count,
                     int64_t *ret_changed, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, sql, &stmt, err)) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        db_bind_i64(stmt, i + 1, numbers[i]);
    }
    return db_run(stmt, ret_changed, err);
}

bool api_token_store_revoke(struct db *db, struct user_id user, struct api_token_id id,
                            int64_t now_ms, bool *ret_changed, struct err *err) {
    CHECK(db_has_lock(db, LOCK_USER, LOCK_EXCLUSIVE, user.value));
    int64_t changed = 0;
    if (!run_with(db,
                  "UPDATE api_token SET revoked_ms = ? WHERE id = ? AND user_id = ? AND "
                  "revoked_ms = 0",
                  (const int64_t[]){now_ms, id.value, user.value}, 3, &changed, err)) {
        return err_wrap(err, "revoke API token");
    }
    *ret_changed = changed > 0;
    return true;
}

bool api_token_store_revoke_all(struct db *db, struct user_id user, int64_t now_ms,
                                struct err *err) {
    CHECK(db_has_lock(db, LOCK_USER, LOCK_EXCLUSIVE, user.value));
    return run_with(db, "UPDATE api_token SET revoked_ms = ? WHERE user_id = ? AND revoked_ms = 0",
                    (const int64_t[]){now_ms, user.value}, 2, NULL, err) ||
           err_wrap(err, "revoke API tokens");
}

bool api_token_store_prune(struct db *db, struct user_id user, int64_t now_ms, struct err *err) {
    CHECK(db_has_lock(db, LOCK_USER, LOCK_EXCLUSIVE, user.value));
    return run_with(
               db,
               "DELETE FROM api_token WHERE user_id = ? AND (revoked_ms <> 0 OR expires_ms <= ?)",
               (const int64_t[]){user.value, now_ms}, 2, NULL, err) ||
           err_wrap(err, "remove old API tokens");
}
