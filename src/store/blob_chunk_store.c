/* Files as rows. */
#include "store/blob_chunk_store.h"

#include "base/check.h"

#include <string.h>

static const char find_head[] =
    "SELECT bytes, stored_ms FROM blob_head WHERE sha256 = ? AND complete = 1";
static const char touch_head[] =
    "UPDATE blob_head SET stored_ms = ?, touches = touches + 1 WHERE sha256 = ? AND complete >= ?";
static const char insert_head[] = "INSERT INTO blob_head (sha256, bytes, stored_ms, touches, "
                                  "complete) VALUES (?, ?, ?, 0, 0)";
static const char complete_head[] = "UPDATE blob_head SET stored_ms = ?, touches = touches + 1, "
                                    "complete = 1 WHERE sha256 = ?";
static const char delete_head[] = "DELETE FROM blob_head WHERE sha256 = ? AND stored_ms < ?";
static const char delete_chunks[] = "DELETE FROM blob_chunk WHERE sha256 = ?";
static const char list_heads[] = "SELECT sha256, bytes, stored_ms FROM blob_head WHERE sha256 > ? "
                                 "AND complete = ? ORDER BY sha256 LIMIT ?";
static const char insert_chunk[] = "INSERT INTO blob_chunk (sha256, number, data) VALUES (?, ?, ?)";
static const char read_chunk[] = "SELECT data FROM blob_chunk WHERE sha256 = ? AND number = ?";

bool blob_head_find(struct db *db, const uint8_t sha256[32], struct blob_head *ret_head,
                    bool *ret_found, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, find_head, &stmt, err)) {
        return err_wrap(err, "find stored file");
    }
    db_bind_sha256(stmt, 1, sha256);
    if (!db_find(stmt, ret_found, err)) {
        return err_wrap(err, "find stored file");
    }
    if (*ret_found) {
        memcpy(ret_head->sha256, sha256, sizeof ret_head->sha256);
        ret_head->bytes = db_i64(stmt, 0);
        ret_head->stored_ms = db_i64(stmt, 1);
    }
    return true;
}

bool blob_head_touch(struct db *db, const uint8_t sha256[32], bool complete, int64_t now_ms,
                     bool *ret_found, struct err *err) {
    own(db_stmt) stmt = NULL;
    int64_t changes = 0;
    if (!db_prepare(db, touch_head, &stmt, err)) {
        return err_wrap(err, "keep stored file");
    }
    db_bind_i64(stmt, 1, now_ms);
    db_bind_sha256(stmt, 2, sha256);
    db_bind_i64(stmt, 3, complete);
    if (!db_run(stmt, &changes, err)) {
        return err_wrap(err, "keep stored file");
    }
    *ret_found = changes > 0;
    return true;
}

bool blob_head_insert(struct db *db, const struct blob_head *head, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, insert_head, &stmt, err)) {
        return err_wrap(err, "store file");
    }
    db_bind_sha256(stmt, 1, head->sha256);
    db_bind_i64(stmt, 2, head->bytes);
    db_bind_i64(stmt, 3, head->stored_ms);
    return db_run(stmt, NULL, err) || err_wrap(err, "store file");
}

bool blob_head_complete(struct db *db, const uint8_t sha256[32], int64_t now_ms, bool *ret_found,
                        struct err *err) {
    own(db_stmt) stmt = NULL;
    int64_t changes = 0;
    if (!db_prepare(db, complete_head, &stmt, err)) {
        return err_wrap(err, "store file");
    }
    db_bind_i64(stmt, 1, now_ms);
    db_bind_sha256(stmt, 2, sha256);
    if (!db_run(stmt, &changes, err)) {
        return err_wrap(err, "store file");
    }
    *ret_found = changes > 0;
    return true;
}

bool blob_head_remove(struct db *db, const uint8_t sha256[32], int64_t before_ms, bool *ret_removed,
                      struct err *err) {
    own(db_stmt) head = NULL;
    own(db_stmt) chunks = NULL;
    int64_t changes = 0;
    if (!db_prepare(db, delete_head, &head, err) || !db_prepare(db, delete_chunks, &chunks, err)) {
        return err_wrap(err, "remove stored file");
    }
    db_bind_sha256(head, 1, sha256);
    db_bind_i64(head, 2, before_ms);
    db_bind_sha256(chunks, 1, sha256);
    if (!db_run(head, &changes, err) || (changes > 0 && !db_run(chunks, NULL, err))) {
        return err_wrap(err, "remove stored file");
    }
    *ret_removed = changes > 0;
    return true;
}

static void read_head(struct db_stmt *stmt, struct blob_head *head) {
    (void)db_sha256(stmt, 0, head->sha256);
    head->bytes = db_i64(stmt, 1);
    head->stored_ms = db_i64(stmt, 2);
}

bool blob_head_list(struct db *db, const struct blob_head_query *query, struct blob_head *ret_heads,
                    int *ret_count, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, list_heads, &stmt, err)) {
        return err_wrap(err, "list stored files");
    }
    db_bind_blob(stmt, 1, str_of(query->after, query->after != NULL ? 32 : 0));
    db_bind_i64(stmt, 2, query->complete);
    db_bind_i64(stmt, 3, query->max);
    int count = 0;
    for (;;) {
        switch (db_step(stmt, err)) {
        case DB_ROW: read_head(stmt, &ret_heads[count++]); break;
        case DB_DONE: *ret_count = count; return true;
        case DB_FAILED: return err_wrap(err, "list stored files");
        }
    }
}

bool blob_chunk_insert(struct db *db, const uint8_t sha256[32], int32_t number, struct str data,
                       struct err *err) {
    CHECK(data.len <= BLOB_CHUNK_BYTES);
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, insert_chunk, &stmt, err)) {
        return err_wrap(err, "store part of a file");
    }
    db_bind_sha256(stmt, 1, sha256);
    db_bind_i64(stmt, 2, number);
    db_bind_blob(stmt, 3, data);
    return db_run(stmt, NULL, err) || err->kind == ERR_CONFLICT ||
           err_wrap(err, "store part of a file");
}

bool blob_chunk_read(struct db *db, const uint8_t sha256[32], int32_t number, struct buf *into,
                     bool *ret_found, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, read_chunk, &stmt, err)) {
        return err_wrap(err, "read part of a file");
    }
    db_bind_sha256(stmt, 1, sha256);
    db_bind_i64(stmt, 2, number);
    if (!db_find(stmt, ret_found, err)) {
        return err_wrap(err, "read part of a file");
    }
    return !*ret_found || buf_append(into, db_blob(stmt, 0)) || buf_ok(into, "a chunk", err);
}
