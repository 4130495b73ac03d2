#ifndef BOX_CGROUP_FIND_H
#define BOX_CGROUP_FIND_H

#include "base/str.h"
#include "box/box.h"

/* Where the kernel has mounted what, from /proc/self/mountinfo and /proc/self/cgroup. */

enum cgroup_tree {
    CGROUP_UNIFIED, /* version 2, with or without controllers */
    CGROUP_MEMORY,  /* version 1, one controller each */
    CGROUP_PIDS,
    CGROUP_CPUACCT,
    CGROUP_TREES,
};

struct cgroup_place {
    bool found;
    char mount[256]; /* where the tree is mounted */
    char own[256];   /* the own group below the mount: "" at its top, else "/a/b" */
};

/* Fills places[CGROUP_TREES] from the two files' texts. A tree mounted several times: its first
 * mount counts. Lines that do not parse are passed over: the trees they name are then not found. */
void cgroup_find(struct str mountinfo, struct str self, struct cgroup_place *ret_places);

/* Whether `word` is one of the space-separated words of `text`. */
bool cgroup_has_word(struct str text, const char *word);

/* The number behind "<key> " at the start of a line of `text`; false without such a line. */
bool cgroup_key(struct str text, const char *key, int64_t *ret_value);

#endif
