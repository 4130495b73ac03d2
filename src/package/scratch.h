#ifndef PACKAGE_SCRATCH_H
#define PACKAGE_SCRATCH_H

#include "base/err.h"
#include <stdint.h>

/* Anonymous files: gone when the last descriptor is closed, whatever ends the process. */

/* In $TMPDIR, else /var/tmp, else /tmp, else in memory. To read and write, the caller's to close.
 */
checked bool scratch_create(int *ret_fd, struct err *err);
/* `bytes` bytes of `from_fd` from `offset` on, as a file of their own at its start. */
checked bool scratch_copy(int from_fd, int64_t offset, int64_t bytes, int *ret_fd, struct err *err);

#endif
