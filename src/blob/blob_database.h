#ifndef BLOB_BLOB_DATABASE_H
#define BLOB_BLOB_DATABASE_H

#include "blob/blob.h"
#include "store/db_pool.h"

/* Blobs as rows of the application's database: what several servers share anyway, backed up with
 * the rest. Read and written chunk by chunk; never whole in memory. */

struct blob_database_options {
    struct db_pool *readers; /* borrowed, as the others are */
    struct db_pool *writers;
    const char *spool_folder; /* unnamed files while a blob comes or goes; copied */
    const char *id;           /* BLOB_STORE_ID_CHARS characters; copied */
};

checked bool blob_database_open(const struct blob_database_options *options,
                                struct blob_store **ret_store, struct err *err);

#endif
