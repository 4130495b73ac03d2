#ifndef BLOB_BLOB_FOLDER_H
#define BLOB_BLOB_FOLDER_H

#include "base/clock.h"
#include "base/random.h"
#include "blob/blob.h"

struct blob_folder_options {
    const char *path; /* made when it is missing, unless read_only */
    bool read_only;
    const struct random *random; /* borrowed, as is the clock */
    const struct clock *clock;
};

/* Opens the store in a folder, or makes one in an empty folder.
 * Errors: ERR_CONFLICT "no_blob_folder" when there is something else in the folder, ERR_MISSING
 *         "no_blob_folder" when it is to be read but there is none, ERR_SYSTEM "blob_failed". */
checked bool blob_folder_open(const struct blob_folder_options *options,
                              struct blob_store **ret_store, struct err *err);

#endif
