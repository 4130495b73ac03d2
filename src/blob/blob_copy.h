#ifndef BLOB_BLOB_COPY_H
#define BLOB_BLOB_COPY_H

#include "blob/blob.h"

/* Copies what is to be stored into a file and learns its digest: what every kind of store does
 * first. Errors: as blob_put. */
checked bool blob_copy(int fd, const struct blob_source *source, struct blob_info *ret_info,
                       struct err *err);

/* An unnamed file in `folder`, gone when it is closed. ERR_SYSTEM "blob_failed". */
checked bool blob_spool(const char *folder, int *ret_fd, struct err *err);

#endif
