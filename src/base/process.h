#ifndef BASE_PROCESS_H
#define BASE_PROCESS_H

#include "base/err.h"
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* What a process takes over from whoever started it, and what all that it starts will take over. */

/* Signals, umask, scheduling and groups as a new process expects them; as root. */
checked bool process_freshen(struct err *err);
/* For good, for this process and all that comes of it: no capability can be gained, neither by root
 * nor by a file. The present ones stay until the user changes. */
checked bool process_lock_rights(struct err *err);
/* Binds a process to one processor, and looks whether the kernel did so. */
checked bool process_pin(pid_t pid, int cpu, struct err *err);
/* What this process starts may have any limit, and it itself `files_max` descriptors, as far as its
 * rights go. */
void process_raise_limits(uint64_t files_max);
/* In time even where hundreds of others want the processors, as far as its rights go; what it
 * starts is ordinary again. For a process whose work is small and bounded. */
void process_prefer(void);
/* Gives the user namespace of `pid` two users and groups: 0 and `inner` inside are `outer` and the
 * next one outside. */
checked bool process_map_ids(pid_t pid, unsigned inner, unsigned outer, struct err *err);

#endif
