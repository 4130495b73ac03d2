/* Which files the database knows of. */
#include "store/blob_row_store.h"

#include "base/check.h"

static const char insert_blob[] =
    "INSERT INTO blob_file (sha256, bytes, created_ms) VALUES (?, ?, ?)";
static const char find_blob[] = "SELECT bytes FROM blob_file WHERE sha256 = ?";

bool blob_row_store_find(struct db *db, const uint8_t sha256[32], int64_t *ret_bytes,
                         struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, find_blob, &stmt, err)) {
        return err_wrap(err, "find file");
    }
    db_bind_blob(stmt, 1, str_of(sha256, 32));
    switch (db_step(stmt, err)) {
    case DB_ROW: *ret_bytes = db_i64(stmt, 0); return true;
    case DB_DONE: *ret_bytes = -1; return true;
    case DB_FAILED: return err_wrap(err, "find file");
    }
    CHECK(false);
}

bool blob_row_store_add(struct db *db, const struct blob_ref *blob, int64_t now_ms,
                        struct err *err) {
    CHECK(blob->bytes >= 0);
    int64_t known = -1;
    if (!blob_row_store_find(db, blob->sha256, &known, err)) {
        return false;
    }
    if (known >= 0) {
        return true;
    }
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, insert_blob, &stmt, err)) {
        return err_wrap(err, "insert file");
    }
    db_bind_blob(stmt, 1, str_of(blob->sha256, sizeof(blob->sha256)));
    db_bind_i64(stmt, 2, blob->bytes);
    db_bind_i64(stmt, 3, now_ms);
    /* Another server may have been quicker. */
    return db_run(stmt, NULL, err) || err->kind == ERR_CONFLICT || err_wrap(err, "insert file");
}

static bool each(struct db *db, const char *sql, blob_row_fn *visit, void *context,
                 struct err *err) {
    own(db_stmt) stmt = NULL;
    uint8_t sha256[32];
    if (!db_prepare(db, sql, &stmt, err)) {
        return err_wrap(err, "list files");
    }
    enum db_step step = DB_DONE;
    while ((step = db_step(stmt, err)) == DB_ROW) {
        if (!db_sha256(stmt, 0, sha256)) {
            return err_set(err, ERR_SYSTEM, "bad_row", "a digest in the database is none");
        }
        visit(context, sha256);
    }
    return step == DB_DONE;
}

bool blob_row_store_each_manifest(struct db *db, blob_row_fn *visit, void *context,
                                  struct err *err) {
    return each(db, "SELECT id FROM manifest", visit, context, err) &&
           each(db, "SELECT manifest_id FROM problem", visit, context, err) &&
           each(db, "SELECT manifest_id FROM problem_manifest", visit, context, err);
}

bool blob_row_store_each_file(struct db *db, blob_row_fn *visit, void *context, struct err *err) {
    return each(db, "SELECT sha256 FROM problem_file", visit, context, err);
}

bool blob_row_store_forget(struct db *db, const uint8_t sha256[32], struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, "DELETE FROM blob_file WHERE sha256 = ?", &stmt, err)) {
        return err_wrap(err, "forget file");
    }
    db_bind_sha256(stmt, 1, sha256);
    return db_run(stmt, NULL, err);
}

bool blob_row_store_any(struct db *db, bool *ret_any, struct err *err) {
    own(db_stmt) stmt = NULL;
    return (db_prepare(db, "SELECT 1 FROM blob_file LIMIT 1", &stmt, err) &&
            db_find(stmt, ret_any, err)) ||
           err_wrap(err, "look for files");
}
