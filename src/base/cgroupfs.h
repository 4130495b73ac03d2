#ifndef BASE_CGROUPFS_H
#define BASE_CGROUPFS_H

#include "base/err.h"
#include "base/str.h"
#include <stdbool.h>

/* Folders of the kernel's cgroup file systems, version 1 and 2. */

bool cgroupfs_is(const char *path, bool version2); /* such a file system is mounted there */
/* The own group in a tree, from the text of /proc/self/cgroup; "/" when it is not there.
 * `controller`: "" for version 2. */
struct str cgroupfs_own(struct str self, const char *controller);
int cgroupfs_open(int dir, const char *name); /* -1 and errno; never over a link */
/* A folder that may be there already. */
checked bool cgroupfs_make(int dir, const char *name, int *ret_fd, struct err *err);
/* Moves the processes of one folder to another, as far as they have not ended meanwhile. */
void cgroupfs_move_all(int dir, int to);
/* Kills every process in the folder `name` and below it and removes it; false when something is
 * still there. A missing folder is fine. */
bool cgroupfs_remove(int dir, const char *name);

#endif
