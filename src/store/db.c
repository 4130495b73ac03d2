/* What is the same on every driver. */
#include "store/db.h"
#include "base/check.h"

#include <string.h>

bool db_may_retry(const struct err *err) {
    return err->kind == ERR_BUSY;
}

bool db_run_one(struct db_stmt *stmt, struct err *err) {
    int64_t changes = 0;
    if (!db_run(stmt, &changes, err)) {
        return false;
    }
    CHECK(changes == 1);
    return true;
}

bool db_find(struct db_stmt *stmt, bool *ret_found, struct err *err) {
    enum db_step step = db_step(stmt, err);
    *ret_found = step == DB_ROW;
    return step != DB_FAILED;
}

void db_bind_sha256(struct db_stmt *stmt, int index, const uint8_t sha256[32]) {
    db_bind_blob(stmt, index, str_of(sha256, 32));
}

bool db_sha256(struct db_stmt *stmt, int column, uint8_t ret_sha256[32]) {
    struct str bytes = db_blob(stmt, column);
    if (bytes.len != 32) {
        memset(ret_sha256, 0, 32);
        return false;
    }
    memcpy(ret_sha256, bytes.ptr, 32);
    return true;
}
