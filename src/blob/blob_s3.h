#ifndef BLOB_BLOB_S3_H
#define BLOB_BLOB_S3_H

#include "blob/blob.h"
#include "blob/s3_client.h"

/* Blobs as objects of an S3-compatible store:
 *
 *     PREFIX store.id           the id of the database whose files these are
 *     PREFIX ab/cdef...         the blob whose SHA-256 begins with ab
 *     PREFIX ab/cdef....kept    empty; its time is when the blob was last kept
 *     PREFIX ab/cdef....drop    empty; the blob is being removed
 *
 * One PUT a blob, with its digest signed: the store refuses what arrived otherwise, and shows the
 * object whole or not at all. Such a store compares and sets nothing, but shows at once what was
 * written; so that no blob is lost between keeping and removing it,
 *
 * (1) who keeps a blob writes .kept, then looks: with .drop there the blob counts as not stored;
 * (2) who removes one writes .drop, then looks, and goes back when .kept is young;
 * (3) who puts one waits for .drop to go.
 *
 * A copy of the object onto itself would renew its time in one call, but not on every store. */

struct blob_s3_options {
    struct s3_options s3;
    const char *spool_folder; /* unnamed files while a blob comes or goes; copied */
    /* The database's id of its store. It is written into a store that has none when `may_make`: the
     * database knows of no file yet, so that an empty bucket can't be a wrong one. */
    const char *id;
    bool may_make;
};

/* Errors: ERR_CONFLICT "other_blob_store" when it is not the database's; as s3_client_call. */
checked bool blob_s3_open(const struct blob_s3_options *options, struct blob_store **ret_store,
                          struct err *err);

#endif
