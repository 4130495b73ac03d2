#ifndef STORE_BLOB_ROW_STORE_H
#define STORE_BLOB_ROW_STORE_H

#include "domain/manifest.h"
#include "store/db.h"

/* Which files the database knows of; their bytes are in the blob store. A row is written before
 * anything refers to the file. */

/* Fine when it is there already. */
checked bool blob_row_store_add(struct db *db, const struct blob_ref *blob, int64_t now_ms,
                                struct err *err);
/* *ret_bytes -1: not known. */
checked bool blob_row_store_find(struct db *db, const uint8_t sha256[32], int64_t *ret_bytes,
                                 struct err *err);
/* For the collection of unused files. Manifests that a problem has or had; files beside them that
 * problems refer to. Each may come several times. */
typedef void blob_row_fn(void *context, const uint8_t sha256[32]);
checked bool blob_row_store_each_manifest(struct db *db, blob_row_fn *visit, void *context,
                                          struct err *err);
checked bool blob_row_store_each_file(struct db *db, blob_row_fn *visit, void *context,
                                      struct err *err);
/* Fine when there is no such row. */
checked bool blob_row_store_forget(struct db *db, const uint8_t sha256[32], struct err *err);
/* Whether it knows of any. */
checked bool blob_row_store_any(struct db *db, bool *ret_any, struct err *err);

#endif
