#ifndef BASE_FROZEN_H
#define BASE_FROZEN_H

#include "base/err.h"
#include <stdbool.h>

/* Files that whoever is handed their descriptor cannot change.
 *
 * A holder may open /proc/self/fd/N again, for writing too where the file's mode lets it. So a
 * memory file is sealed; what cannot be sealed, or is not readable by everybody and writable by
 * few, is copied into a sealed memory file. */

/* Whether this is a memory file that nobody can change any more. */
bool fd_is_frozen(int fd);
/* A read-only descriptor, offset 0, of the same bytes; a memory file is sealed on the way. `fd`
 * must be a regular file. The caller owns *ret_fd. */
checked bool fd_freeze(int fd, int *ret_fd, struct err *err);
/* The same, but always in a memory file: fd_is_frozen holds for it. */
checked bool fd_freeze_copy(int fd, int *ret_fd, struct err *err);

#endif
