/* Accounts. */
#include "store/user_store.h"

#include "base/check.h"

#define COLUMNS                                                                                    \
    "id, username, username_key, display_name, role, password_hash, disabled, revision, "          \
    "created_ms, password_changed_ms"

static const char insert_user[] = "INSERT INTO `user` (" COLUMNS ") "
                                  "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
static const char by_id[] = "SELECT " COLUMNS " FROM `user` WHERE id = ?";
static const char by_key[] = "SELECT " COLUMNS " FROM `user` WHERE username_key = ?";
static const char update_user[] =
    "UPDATE `user` SET display_name = ?, role = ?, password_hash = ?, disabled = ?, "
    "password_changed_ms = ?, revision = revision + 1 WHERE id = ?";
static const char page_of_users[] =
    "SELECT " COLUMNS " FROM `user` WHERE id > ? ORDER BY id LIMIT ?";
static const char enabled_by_role[] =
    "SELECT id FROM `user` WHERE role = ? AND disabled = 0 ORDER BY id LIMIT ?";

bool user_store_insert(struct db *db, const struct user_row *row, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, insert_user, &stmt, err)) {
        return err_wrap(err, "insert user");
    }
    db_bind_i64(stmt, 1, row->id.value);
    db_bind_text(stmt, 2, row->username);
    db_bind_text(stmt, 3, row->username_key);
    db_bind_text(stmt, 4, row->display_name);
    db_bind_i64(stmt, 5, row->role);
    db_bind_text(stmt, 6, row->password_hash);
    db_bind_i64(stmt, 7, row->disabled ? 1 : 0);
    db_bind_i64(stmt, 8, row->revision);
    db_bind_i64(stmt, 9, row->created_ms);
    db_bind_i64(stmt, 10, row->password_changed_ms);
    if (db_run(stmt, NULL, err)) {
        return true;
    }
    if (err->kind == ERR_CONFLICT) {
        return err_set(err, ERR_CONFLICT, "conflict_username",
                       "the user name `" STR_FMT "` is taken", STR_ARG(row->username));
    }
    return err_wrap(err, "insert user");
}

static void user_from_row(struct db_stmt *stmt, struct arena *arena, struct user_row *ret_row) {
    *ret_row = (struct user_row){
        .id = {db_i64(stmt, 0)},
        .username = arena_str(arena, db_text(stmt, 1)),
        .username_key = arena_str(arena, db_text(stmt, 2)),
        .display_name = arena_str(arena, db_text(stmt, 3)),
        .role = (enum role)db_i64(stmt, 4),
        .password_hash = arena_str(arena, db_text(stmt, 5)),
        .disabled = db_i64(stmt, 6) != 0,
        .revision = db_i64(stmt, 7),
        .created_ms = db_i64(stmt, 8),
        .password_changed_ms = db_i64(stmt, 9),
    };
}

/* Steps a bound statement that gives one user. */
static bool one_user(struct db_stmt *stmt, struct arena *arena, struct user_row *ret_row,
                     struct err *err) {
    switch (db_step(stmt, err)) {
    case DB_ROW: user_from_row(stmt, arena, ret_row); return true;
    case DB_DONE: return err_set(err, ERR_MISSING, "no_user", "there is no such user");
    case DB_FAILED: return err_wrap(err, "find user");
    }
    CHECK(false);
}

bool user_store_find(struct db *db, struct user_id id, struct arena *arena,
                     struct user_row *ret_row, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, by_id, &stmt, err)) {
        return err_wrap(err, "find user");
    }
    db_bind_i64(stmt, 1, id.value);
    return one_user(stmt, arena, ret_row, err);
}

bool user_store_find_name(struct db *db, struct str username_key, struct arena *arena,
                          struct user_row *ret_row, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, by_key, &stmt, err)) {
        return err_wrap(err, "find user");
    }
    db_bind_text(stmt, 1, username_key);
    return one_user(stmt, arena, ret_row, err);
}

bool user_store_update(struct db *db, const struct user_row *row, struct err *err) {
    CHECK(db_has_lock(db, LOCK_USER, LOCK_EXCLUSIVE, row->id.value));
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, update_user, &stmt, err)) {
        return err_wrap(err, "update user");
    }
    db_bind_text(stmt, 1, row->display_name);
    db_bind_i64(stmt, 2, row->role);
    db_bind_text(stmt, 3, row->password_hash);
    db_bind_i64(stmt, 4, row->disabled ? 1 : 0);
    db_bind_i64(stmt, 5, row->password_changed_ms);
    db_bind_i64(stmt, 6, row->id.value);
    return db_run_one(stmt, err) || err_wrap(err, "update user %lld", (long long)row->id.value);
}

bool user_store_page(struct db *db, struct user_id after, int limit, struct arena *arena,
                     struct user_rows *ret_rows, struct err *err) {
    own(db_stmt) stmt = NULL;
    CHECK(limit > 0);
    if (!db_prepare(db, page_of_users, &stmt, err)) {
        return err_wrap(err, "list users");
    }
    db_bind_i64(stmt, 1, after.value);
    db_bind_i64(stmt, 2, limit);
    struct user_row *rows = arena_array(arena, (size_t)limit, sizeof(*rows));
    int count = 0;
    enum db_step step = DB_DONE;
    while (count < limit && (step = db_step(stmt, err)) == DB_ROW) {
        user_from_row(stmt, arena, &rows[count]);
        count++;
    }
    if (step == DB_FAILED) {
        return err_wrap(err, "list users");
    }
    *ret_rows = (struct user_rows){rows, count};
    return true;
}

bool user_store_admins(struct db *db, int limit, struct arena *arena, struct user_id **ret_ids,
                       int *ret_count, struct err *err) {
    own(db_stmt) stmt = NULL;
    CHECK(limit > 0);
    if (!db_prepare(db, enabled_by_role, &stmt, err)) {
        return err_wrap(err, "list administrators");
    }
    db_bind_i64(stmt, 1, ROLE_ADMIN);
    db_bind_i64(stmt, 2, limit);
    struct user_id *ids = arena_array(arena, (size_t)limit, sizeof(*ids));
    int count = 0;
    enum db_step step = DB_DONE;
    while (count < limit && (step = db_step(stmt, err)) == DB_ROW) {
        ids[count++] = (struct user_id){db_i64(stmt, 0)};
    }
    if (step == DB_FAILED) {
        return err_wrap(err, "list administrators");
    }
    *ret_ids = ids;
    *ret_count = count;
    return true;
}
