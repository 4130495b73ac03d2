/* Keys that sign access tokens. */
#include "store/server_key_store.h"

#include <string.h>

static const char insert_key[] =
    "INSERT INTO server_key (kid, secret, created_ms, signs_until_ms, accepted_until_ms) "
    "VALUES (?, ?, ?, ?, ?)";
static const char list_keys[] =
    "SELECT kid, secret, created_ms, signs_until_ms, accepted_until_ms FROM server_key "
    "WHERE accepted_until_ms > ? ORDER BY created_ms DESC, kid LIMIT ?";
static const char delete_keys[] = "DELETE FROM server_key WHERE accepted_until_ms <= ?";

bool server_key_store_insert(struct db *db, const struct server_key_row *row, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, insert_key, &stmt, err)) {
        return err_wrap(err, "insert server key");
    }
    db_bind_text(stmt, 1, str_from(row->key.kid));
    db_bind_blob(stmt, 2, str_of(row->key.secret, sizeof(row->key.secret)));
    db_bind_i64(stmt, 3, row->created_ms);
    db_bind_i64(stmt, 4, row->signs_until_ms);
    db_bind_i64(stmt, 5, row->accepted_until_ms);
    return db_run(stmt, NULL, err) || err_wrap(err, "insert server key");
}

static bool key_from_row(struct db_stmt *stmt, struct server_key_row *ret_row, struct err *err) {
    struct server_key_row row = {
        .created_ms = db_i64(stmt, 2),
        .signs_until_ms = db_i64(stmt, 3),
        .accepted_until_ms = db_i64(stmt, 4),
    };
    struct str secret = db_blob(stmt, 1);
    if (secret.len != sizeof(row.key.secret) ||
        !str_to_c(db_text(stmt, 0), row.key.kid, sizeof(row.key.kid), err)) {
        return err_set(err, ERR_SYSTEM, "database_failed", "a server key is broken");
    }
    memcpy(row.key.secret, secret.ptr, secret.len);
    *ret_row = row;
    return true;
}

bool server_key_store_list(struct db *db, int64_t now_ms, struct server_key_row *ret_rows,
                           int *ret_count, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, list_keys, &stmt, err)) {
        return err_wrap(err, "list server keys");
    }
    db_bind_i64(stmt, 1, now_ms);
    db_bind_i64(stmt, 2, SERVER_KEYS_MAX);
    int count = 0;
    enum db_step step = DB_DONE;
    while (count < SERVER_KEYS_MAX && (step = db_step(stmt, err)) == DB_ROW) {
        if (!key_from_row(stmt, &ret_rows[count], err)) {
            return false;
        }
        count++;
    }
    if (step == DB_FAILED) {
        return err_wrap(err, "list server keys");
    }
    *ret_count = count;
    return true;
}

bool server_key_store_delete_expired(struct db *db, int64_t now_ms, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, delete_keys, &stmt, err)) {
        return err_wrap(err, "delete server keys");
    }
    db_bind_i64(stmt, 1, now_ms);
    return db_run(stmt, NULL, err) || err_wrap(err, "delete server keys");
}
