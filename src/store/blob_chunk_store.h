#ifndef STORE_BLOB_CHUNK_STORE_H
#define STORE_BLOB_CHUNK_STORE_H

#include "base/buf.h"
#include "store/db.h"

/* Files as rows: a head and chunks of BLOB_CHUNK_BYTES, the last one shorter. What a chunk holds
 * follows from digest and number, so that two writers of the same file write the same rows and
 * neither waits for the other. Each function is one step of a transaction of the caller's. */

#define BLOB_CHUNK_BYTES (512 * 1024)

struct blob_head {
    uint8_t sha256[32];
    int64_t bytes;
    int64_t stored_ms;
};

/* *ret_found false: there is none, or it is not complete. */
checked bool blob_head_find(struct db *db, const uint8_t sha256[32], struct blob_head *ret_head,
                            bool *ret_found, struct err *err);
/* Young again. With `complete` only a head that is; *ret_found whether there was one. */
checked bool blob_head_touch(struct db *db, const uint8_t sha256[32], bool complete, int64_t now_ms,
                             bool *ret_found, struct err *err);
/* Not complete yet. ERR_CONFLICT "duplicate" when there is one. */
checked bool blob_head_insert(struct db *db, const struct blob_head *head, struct err *err);
/* *ret_found false: it was removed meanwhile. */
checked bool blob_head_complete(struct db *db, const uint8_t sha256[32], int64_t now_ms,
                                bool *ret_found, struct err *err);
/* With its chunks. Complete or not, unless it is younger than `before_ms`. */
checked bool blob_head_remove(struct db *db, const uint8_t sha256[32], int64_t before_ms,
                              bool *ret_removed, struct err *err);
/* Heads behind `after` (NULL: from the first) in the order of their digests; `complete` or the
 * others. */
struct blob_head_query {
    const uint8_t *after;
    bool complete;
    int max;
};
checked bool blob_head_list(struct db *db, const struct blob_head_query *query,
                            struct blob_head *ret_heads, int *ret_count, struct err *err);

/* Fine when it is there. */
checked bool blob_chunk_insert(struct db *db, const uint8_t sha256[32], int32_t number,
                               struct str data, struct err *err);
/* Appends the chunk. *ret_found false: there is none. */
checked bool blob_chunk_read(struct db *db, const uint8_t sha256[32], int32_t number,
                             struct buf *into, bool *ret_found, struct err *err);

#endif
