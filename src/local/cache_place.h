#ifndef LOCAL_CACHE_PLACE_H
#define LOCAL_CACHE_PLACE_H

#include "base/err.h"
#include <stddef.h>

/* The folder in which local commands keep what is worth keeping between two runs: compiled checkers
 * and what languages prepare. $XDG_CACHE_HOME/assize or ~/.cache/assize of the user who will do the
 * work (rights.h); for plain root, whose work is done as `nobody`, /var/cache/assize/nobody. */

/* Its path without links, for the box's list of roots: before the rights are dropped. Plain root
 * makes the folder here. Returns: false when there is no place; then nothing is kept. */
bool cache_place_find(char *ret_path, size_t path_bytes);

/* Makes it, with the rights of the user; false when that cannot be. */
bool cache_place_make(const char *path);

#endif
