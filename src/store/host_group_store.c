#include "store/host_group_store.h"
#include "base/check.h"

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

/* 4: disabled (domain/node.h) */
#define ROW                                                                                        \
    "SELECT g.id, g.name, g.slots, g.revision, "                                                   \
    "(SELECT count(*) FROM job_lease l WHERE l.host_group_id = g.id), "                            \
    "(SELECT count(*) FROM node n WHERE n.host_group_id = g.id AND n.config <> 4) "                \
    "FROM host_group g "

static struct host_group_row read_row(struct db_stmt *stmt, struct arena *arena) {
    return (struct host_group_row){
        .id = {db_i64(stmt, 0)},
        .name = arena_str(arena, db_text(stmt, 1)),
        .slots = (int32_t)db_i64(stmt, 2),
        .revision = db_i64(stmt, 3),
        .busy = (int32_t)db_i64(stmt, 4),
        .nodes = (int32_t)db_i64(stmt, 5),
    };
}

bool host_group_store_row(struct db *db, struct host_group_id id, struct arena *arena,
                          struct host_group_row *ret_row, bool *ret_found, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, ROW "WHERE g.id = ?", &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, id.value);
    if (!db_find(stmt, ret_found, err)) {
        return false;
    }
    if (*ret_found) {
        *ret_row = read_row(stmt, arena);
    }
    return true;
}

bool host_group_store_list(struct db *db, struct arena *arena, struct host_group_row **ret_rows,
                           int *ret_count, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, ROW "ORDER BY g.name LIMIT ?", &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, HOST_GROUPS_MAX);
    struct host_group_row *rows = arena_array(arena, HOST_GROUPS_MAX, sizeof rows[0]);
    int count = 0;
    enum db_step step = DB_DONE;
    while ((step = db_step(stmt, err)) == DB_ROW) {
        CHECK(count < HOST_GROUPS_MAX);
        rows[count++] = read_row(stmt, arena);
    }
    *ret_rows = rows;
    *ret_count = count;
    return step == DB_DONE;
}
