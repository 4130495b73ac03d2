/* Settings that belong to the database. */
#include "store/setting_store.h"

#include "base/check.h"

static const char get_setting[] = "SELECT text FROM setting WHERE name = ?";
static const char update_setting[] = "UPDATE setting SET text = ?, updated_ms = ? WHERE name = ?";
static const char insert_setting[] =
    "INSERT INTO setting (text, updated_ms, name) VALUES (?, ?, ?)";

bool setting_store_get(struct db *db, struct str name, struct arena *arena, bool *ret_found,
                       struct str *ret_text, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, get_setting, &stmt, err)) {
        return err_wrap(err, "read setting");
    }
    db_bind_text(stmt, 1, name);
    enum db_step step = db_step(stmt, err);
    if (step == DB_FAILED) {
        return err_wrap(err, "read setting");
    }
    *ret_found = step == DB_ROW;
    if (step == DB_ROW) {
        *ret_text = arena_str(arena, db_text(stmt, 0));
    }
    return true;
}

static bool is_set(struct db *db, struct str name, bool *ret_set, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, get_setting, &stmt, err)) {
        return false;
    }
    db_bind_text(stmt, 1, name);
    enum db_step step = db_step(stmt, err);
    *ret_set = step == DB_ROW;
    return step != DB_FAILED;
}

bool setting_store_put(struct db *db, struct str name, struct str text, int64_t now_ms,
                       struct err *err) {
    CHECK(name.len <= SETTING_NAME_BYTES_MAX);
    CHECK(text.len <= SETTING_TEXT_BYTES_MAX);
    /* Looked for first: an UPDATE that changes nothing counts no rows on some databases. */
    bool set = false;
    own(db_stmt) stmt = NULL;
    if (!is_set(db, name, &set, err) ||
        !db_prepare(db, set ? update_setting : insert_setting, &stmt, err)) {
        return err_wrap(err, "write setting");
    }
    db_bind_text(stmt, 1, text);
    db_bind_i64(stmt, 2, now_ms);
    db_bind_text(stmt, 3, name);
    return db_run(stmt, NULL, err) || err_wrap(err, "write setting");
}
