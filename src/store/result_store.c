#include "store/result_store.h"
#include "base/limits.h"

bool result_store_insert(struct db *db, struct job_id id, const struct packed *result,
                         struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db,
                    "INSERT INTO job_result (job_id, encoding, bytes, content) "
                    "VALUES (?, ?, ?, ?)",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, id.value);
    db_bind_i64(stmt, 2, result->encoding);
    db_bind_i64(stmt, 3, result->bytes);
    db_bind_blob(stmt, 4, result->content);
    return db_run_one(stmt, err);
}

bool result_store_get(struct db *db, struct job_id id, struct arena *arena, struct str *ret_result,
                      bool *ret_found, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, "SELECT encoding, bytes, content FROM job_result WHERE job_id = ?", &stmt,
                    err)) {
        return false;
    }
    db_bind_i64(stmt, 1, id.value);
    if (!db_find(stmt, ret_found, err)) {
        return false;
    }
    if (!*ret_found) {
        return true;
    }
    struct packed packed = {
        .encoding = (enum encoding)db_i64(stmt, 0),
        .bytes = db_i64(stmt, 1),
        .content = db_blob(stmt, 2),
    };
    return unpack(&packed, RESULT_BYTES_MAX, arena, ret_result, err);
}
