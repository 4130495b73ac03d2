#include "store/source_store.h"
#include "base/limits.h"
#include "store/rows.h"

static const struct rows_write source_insert = {
    .kind = ROWS_INSERT,
    .table = "submission_source",
    .columns = "submission_id, sha256, bytes, encoding, content",
    .column_count = 5,
    .key_count = 1};

bool source_store_insert(struct db *db, struct submission_id id, const struct source_row *source,
                         struct err *err) {
    const struct rows_value values[] = {
        rows_i64(id.value), rows_sha256(source->sha256), rows_i64(source->packed.bytes),
        rows_i64(source->packed.encoding), rows_blob(source->packed.content)};
    return db_put(db, &source_insert, values, err);
}

bool source_store_get(struct db *db, struct submission_id id, struct arena *arena,
                      struct str *ret_source, uint8_t ret_sha256[32], struct err *err) {
    own(db_stmt) stmt = NULL;
    bool found = false;
    if (!db_prepare(db,
                    "SELECT encoding, bytes, content, sha256 FROM submission_source "
                    "WHERE submission_id = ?",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, id.value);
    if (!db_find(stmt, &found, err)) {
        return false;
    }
    if (!found) {
        return err_set(err, ERR_MISSING, "no_submission", "submission %lld has no source",
                       (long long)id.value);
    }
    struct packed packed = {
        .encoding = (enum encoding)db_i64(stmt, 0),
        .bytes = db_i64(stmt, 1),
        .content = db_blob(stmt, 2),
    };
    if (!unpack(&packed, SOURCE_BYTES_MAX, arena, ret_source, err)) {
        return false;
    }
    (void)db_sha256(stmt, 3, ret_sha256);
    return true;
}
