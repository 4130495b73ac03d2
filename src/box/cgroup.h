#ifndef BOX_CGROUP_H
#define BOX_CGROUP_H

#include "box/cgroup_find.h"
#include <sys/types.h>

/* The groups that count and bound runs, with cgroup version 2, version 1, or version 1 with an
 * empty version 2 beside it (hybrid). In every tree that is used:
 *
 *     <base>/<name>/<pid of the box>/s<slot>/launcher    the launcher and the first process of runs
 *                                           /r<n>        one leaf a run: its program and nothing
 * else
 *
 * The base is the own group where that is delegated, else the top of the tree. The folder of a box
 * is locked (flock) while the box lives; a folder whose lock is free is a dead box's and is removed
 * by the next box that starts.
 *
 * A leaf is new for each run, because no counter of a used one can be set back exactly. */

struct cgroups {
    struct cgroup_place places[CGROUP_TREES];
    bool used[CGROUP_TREES];
    enum cgroup_tree memory; /* which tree bounds memory */
    enum cgroup_tree pids;
    enum cgroup_tree cpu;    /* which tree counts CPU time */
    int bases[CGROUP_TREES]; /* folders; -1 where the tree is not used */
    int parents[CGROUP_TREES];
    int boxes[CGROUP_TREES];
    char name[64];
    char box_name[32];
};

struct cgroup_slot {
    const struct cgroups *groups;
    int dirs[CGROUP_TREES];
    int launchers[CGROUP_TREES];
    char name[32];
};

struct cgroup_leaf {
    const struct cgroup_slot *slot;
    int dirs[CGROUP_TREES];
    int joins[CGROUP_TREES]; /* version 1: cgroup.procs, written by the program itself */
    int cpu_fd;              /* cpu.stat or cpuacct.usage, read again and again */
    int oom_fd;              /* version 1: readable when the group ran out of memory; else -1 */
    char name[32];
};

struct cgroup_usage {
    int64_t cpu_user_us;
    int64_t cpu_system_us;
    int64_t memory_peak_bytes; /* without the page cache of files */
    int64_t oom_kills;
};

/* Finds the trees and decides which one is used for what; ERR_SYSTEM "box_unavailable" names what
 * is missing and the remedy. Makes nothing. */
checked bool cgroups_find(struct cgroups *ret_groups, struct err *err);
/* Makes this box's folders below `name` and removes those of dead boxes. */
checked bool cgroups_open(struct cgroups *groups, const char *name, struct err *err);
void cgroups_close(struct cgroups *groups);

/* `launcher_uid`: the host's number of the user that may clone into the slot's leaves. */
checked bool cgroup_slot_open(const struct cgroups *groups, int number, uid_t launcher_uid,
                              struct cgroup_slot *ret_slot, struct err *err);
/* False when something in the slot could not be removed. */
bool cgroup_slot_close(struct cgroup_slot *slot);
checked bool cgroup_slot_enter(const struct cgroup_slot *slot, pid_t launcher, struct err *err);

checked bool cgroup_leaf_open(const struct cgroup_slot *slot, uint64_t number, uid_t launcher_uid,
                              const struct box_limits *limits, struct cgroup_leaf *ret_leaf,
                              struct err *err);
/* The CPU time so far; false when it could not be read. */
bool cgroup_leaf_cpu_us(const struct cgroup_leaf *leaf, int64_t *ret_us);
checked bool cgroup_leaf_usage(const struct cgroup_leaf *leaf, struct cgroup_usage *ret_usage,
                               struct err *err);
/* Closes the descriptors that only the start needs. */
void cgroup_leaf_started(struct cgroup_leaf *leaf);
/* False when the leaf still holds a process: then something is very wrong. */
bool cgroup_leaf_close(struct cgroup_leaf *leaf);

#endif
