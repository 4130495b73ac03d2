#include "store/guard_store.h"

bool guard_store_get(struct db *db, struct guard_row *ret_row, struct err *err) {
    own(db_stmt) stmt = NULL;
    bool found = false;
    if (!db_prepare(db,
                    "SELECT highest_ms, outage_from_ms, outage_until_ms FROM clock_guard WHERE "
                    "id = 1",
                    &stmt, err) ||
        !db_find(stmt, &found, err)) {
        return false;
    }
    *ret_row = (struct guard_row){0};
    if (found) {
        ret_row->highest_ms = db_i64(stmt, 0);
        ret_row->outage = (struct outage){db_i64(stmt, 1), db_i64(stmt, 2)};
    }
    return true;
}

static bool run(struct db *db, const char *sql, const struct guard_row *row, int64_t *ret_changes,
                struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, sql, &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, row->highest_ms);
    db_bind_i64(stmt, 2, row->outage.from_ms);
    db_bind_i64(stmt, 3, row->outage.until_ms);
    return db_run(stmt, ret_changes, err);
}

bool guard_store_set(struct db *db, const struct guard_row *row, struct err *err) {
    int64_t changes = 0;
    return run(db,
               "UPDATE clock_guard SET highest_ms = ?, outage_from_ms = ?, outage_until_ms = ? "
               "WHERE id = 1",
               row, &changes, err) &&
           (changes > 0 || run(db,
                               "INSERT INTO clock_guard (id, highest_ms, outage_from_ms, "
                               "outage_until_ms) VALUES (1, ?, ?, ?)",
                               row, &changes, err));
}
