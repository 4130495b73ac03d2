#ifndef BLOB_S3_LIST_H
#define BLOB_S3_LIST_H

#include "base/err.h"
#include "base/str.h"

/* Reads the answer of ListObjectsV2. */

struct s3_object {
    char key[1025];
    int64_t bytes;
    int64_t modified_ms; /* UTC */
};

/* Calls `see` for each object in the order of the answer, until it returns false. Objects with a
 * key, size or time that cannot be read are left out. Errors: ERR_SYSTEM "blob_failed" when it is
 * no such answer. */
typedef bool s3_see_fn(void *context, const struct s3_object *object);
checked bool s3_list_read(struct str xml, s3_see_fn *see, void *context, struct err *err);

#endif
