#include "store/result_store.h"
#include "base/limits.h"
#include "store/rows.h"

static const struct rows_write result_insert = {.kind = ROWS_INSERT,
                                                .table = "job_result",
                                                .columns = "job_id, encoding, bytes, content",
                                                .column_count = 4,
                                                .key_count = 1};

bool result_store_insert(struct db *db, struct job_id id, const struct packed *result,
                         struct err *err) {
    const struct rows_value values[] = {rows_i64(id.value), rows_i64(result->encoding),
                                        rows_i64(result->bytes), rows_blob(result->content)};
    return db_put(db, &result_insert, values, err);
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
