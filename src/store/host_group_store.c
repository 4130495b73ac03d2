#include "store/host_group_store.h"

const struct rows_select host_group_select = {
    .sql = "SELECT g.id, g.slots FROM host_group g /*! FORCE INDEX (PRIMARY) */",
    .keys = {"g.id"},
    .key_count = 1};

bool host_group_store_insert(struct db *db, struct host_group_id id, struct str name, int32_t slots,
                             struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, "INSERT INTO host_group (id, name, slots, revision) VALUES (?, ?, ?, 1)",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, id.value);
    db_bind_text(stmt, 2, name);
    db_bind_i64(stmt, 3, slots);
    return db_run_one(stmt, err);
}

bool host_group_store_find(struct db *db, struct str name, struct host_group_id *ret_id,
                           bool *ret_found, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, "SELECT id FROM host_group WHERE name = ?", &stmt, err)) {
        return false;
    }
    db_bind_text(stmt, 1, name);
    if (!db_find(stmt, ret_found, err)) {
        return false;
    }
    ret_id->value = *ret_found ? db_i64(stmt, 0) : 0;
    return true;
}

bool host_group_store_set_slots(struct db *db, struct host_group_id id, int32_t slots,
                                struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, "UPDATE host_group SET slots = ?, revision = revision + 1 WHERE id = ?",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, slots);
    db_bind_i64(stmt, 2, id.value);
    return db_run_one(stmt, err);
}
