#ifndef BOX_CGROUP_H
#define BOX_CGROUP_H

#include "box/message.h"

/* The groups that count and bound runs: cgroup version 2, version 1, or version 1 with an empty
 * version 2 beside it (hybrid). In every tree that is used:
 *
 *     <base>/<name>/<pid of the box>/s<slot>/launcher    the launcher and the first process of runs
 *                                           /r<n>        one leaf a run: its program, nothing else
 *
 * The base is the own group where that is ours to divide, else the top. The folder of a box is
 * locked (flock) while the box lives; a folder whose lock is free is a dead box's and is removed by
 * the next box that starts. A leaf is new for each run: no counter of a used one can be set back
 * exactly. */

enum cgroup_tree {
    CGROUP_UNIFIED, /* version 2, with or without controllers */
    CGROUP_MEMORY,  /* version 1, one controller each */
    CGROUP_PIDS,
    CGROUP_CPUACCT,
    CGROUP_CPU, /* no leaves: runs stay in the group of their launcher */
    CGROUP_TREES,
};

struct cgroups {
    bool used[CGROUP_TREES];
    enum cgroup_tree memory; /* which tree bounds memory */
    enum cgroup_tree pids;
    enum cgroup_tree cpu;          /* which tree counts CPU time */
    enum cgroup_tree weight;       /* which tree weighs processors, if it is used */
    char paths[CGROUP_TREES][256]; /* of the bases; empty: the tree is not there */
    int bases[CGROUP_TREES];       /* folders; -1 where the tree is not used */
    int parents[CGROUP_TREES];
    int boxes[CGROUP_TREES];
    char name[64];
    char box_name[32];
};

struct cgroup_leaf {
    const struct cgroup_slot *slot; /* NULL: closed */
    int dirs[CGROUP_TREES];
    int cpu_fd;           /* cpu.stat or cpuacct.usage, read again and again */
    int oom_fd;           /* version 1: readable when the group ran out of memory; else -1 */
    int64_t memory_bytes; /* its limit */
    char name[32];
};

struct cgroup_slot {
    const struct cgroups *groups;
    uid_t launcher_uid;
    int dirs[CGROUP_TREES];
    int launchers[CGROUP_TREES];
    struct cgroup_leaf spare; /* made while a run was running, for the next one */
    uint64_t leaves;          /* made so far */
    char name[32];
};

struct cgroup_usage {
    int64_t cpu_user_us;
    int64_t cpu_system_us;
    int64_t memory_peak_bytes; /* without the page cache of files */
    int64_t oom_kills;
    int64_t limit_hits;  /* times that this group's own memory was used up */
    int64_t pressure_us; /* runnable and without a processor; -1: not told */
};

/* Finds the trees and decides which is used for what; ERR_SYSTEM "box_unavailable" names what is
 * missing and the remedy. Makes nothing. */
checked bool cgroups_find(struct cgroups *ret_groups, struct err *err);
/* Makes this box's folders below `name`, with limits for all slots together, and removes those of
 * dead boxes. */
checked bool cgroups_open(struct cgroups *groups, const char *name, const struct box_caps *caps,
                          struct err *err);
void cgroups_close(struct cgroups *groups);

/* `launcher_uid`: the host's number of the user that may clone into the slot's leaves. */
checked bool cgroup_slot_open(const struct cgroups *groups, int number, uid_t launcher_uid,
                              struct cgroup_slot *ret_slot, struct err *err);
/* False when something in the slot could not be removed. */
bool cgroup_slot_close(struct cgroup_slot *slot);
checked bool cgroup_slot_enter(const struct cgroup_slot *slot, pid_t launcher, struct err *err);

void cgroup_slot_prepare(struct cgroup_slot *slot); /* a spare leaf, if there is none */
checked bool cgroup_leaf_open(struct cgroup_slot *slot, const struct box_limits *limits,
                              struct cgroup_leaf *ret_leaf, struct err *err);
/* After an event of oom_fd: whether it is this group, and not one above, that is full. The kernel
 * also tells when a group goes, and a launcher being forked may hold a copy of the descriptor. */
bool cgroup_leaf_is_full(const struct cgroup_leaf *leaf);
bool cgroup_leaf_cpu_us(const struct cgroup_leaf *leaf, int64_t *ret_us); /* false: unreadable */
checked bool cgroup_leaf_usage(const struct cgroup_leaf *leaf, struct cgroup_usage *ret_usage,
                               struct err *err);
/* False when the leaf still holds a process: then something is very wrong. */
bool cgroup_leaf_close(struct cgroup_leaf *leaf);

void cgroup_fds_clear(int *fds); /* CGROUP_TREES times -1 */
/* Lets groups below `dir` have the controllers that version 2 gives us. */
checked bool cgroup_enable(const struct cgroups *groups, int dir, struct err *err);

#endif
