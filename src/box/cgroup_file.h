#ifndef BOX_CGROUP_FILE_H
#define BOX_CGROUP_FILE_H

#include "box/box.h"

/* Small files and folders of cgroup trees, always below a descriptor of a folder. */

checked bool cgroup_write(int dir, const char *name, const char *value, struct err *err);
checked bool cgroup_write_i64(int dir, const char *name, int64_t value, struct err *err);
/* Writes, reads back and compares: a limit that is silently not applied is the worst kind. */
checked bool cgroup_limit(int dir, const char *name, int64_t value, struct err *err);
/* The text of a file, followed by NUL and cut at `size`; false when it cannot be read. */
bool cgroup_read(int dir, const char *name, char *out, size_t size);
bool cgroup_read_i64(int dir, const char *name, int64_t *ret_value);
bool cgroup_read_key(int dir, const char *name, const char *key, int64_t *ret_value);

/* Makes a folder, or takes the one that is there, and opens it. */
checked bool cgroup_make(int dir, const char *name, int *ret_fd, struct err *err);
checked bool cgroup_open_dir(int dir, const char *path, int *ret_fd, struct err *err);
/* Kills every process in the folder `name` and below it and removes it; false when something is
 * still there. A missing folder is fine. */
bool cgroup_remove_tree(int dir, const char *name);
/* Moves every process of one folder into another. */
void cgroup_move_all(int from, int to);

#endif
