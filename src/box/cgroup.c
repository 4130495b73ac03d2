/* Choosing the trees, and this box's folders in them. */
#include "box/cgroup.h"

#include "base/cgroupfs.h"
#include "base/file.h"
#include "base/packet.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define FAILED message_codes[CODE_FAILED]
#define OPEN_TRIES 4
#define OWN_LEAF "assize.main" /* where processes go whose group is divided */

static const char *const controllers[CGROUP_TREES] = {
    [CGROUP_UNIFIED] = "",        [CGROUP_MEMORY] = "memory", [CGROUP_PIDS] = "pids",
    [CGROUP_CPUACCT] = "cpuacct", [CGROUP_CPU] = "cpu",
};

void cgroup_fds_clear(int *fds) {
    for (int tree = 0; tree < CGROUP_TREES; tree++) {
        fds[tree] = -1;
    }
}

/* ---- which trees ---- */

/* Whether systemd, or whoever plays its part, has given us the own group to divide. Whoever may not
 * write to the top has no other. */
static bool is_delegated(const char *path, const char *top) {
    char value[4] = "";
    return access(top, W_OK) != 0 ||
           getxattr(path, "trusted.delegate", value, sizeof(value)) == 1 ||
           getxattr(path, "user.delegate", value, sizeof(value)) == 1;
}

/* The base of a tree: the own group below its mount, or its top. In a container the own path may
 * lead nowhere: then the top of what the mount shows counts. */
static void find_base(int tree, struct str self, char *out, size_t size) {
    char top[64];
    bool unified = tree == CGROUP_UNIFIED;
    snprintf(top, sizeof(top), "/sys/fs/cgroup/%s", unified ? "" : controllers[tree]);
    if (unified && !cgroupfs_is(top, true)) {
        snprintf(top, sizeof(top), "/sys/fs/cgroup/unified");
    }
    out[0] = '\0';
    if (!cgroupfs_is(top, unified)) {
        return;
    }
    struct str own = cgroupfs_own(self, controllers[tree]);
    own.len -= str_ends(own, STR("/" OWN_LEAF)) ? strlen("/" OWN_LEAF) : 0; /* of a box before */
    snprintf(out, size, "%s" STR_FMT, top, STR_ARG(own));
    if (access(out, F_OK) != 0 || (unified && !is_delegated(out, top))) {
        snprintf(out, size, "%s", top);
    }
}

static bool unified_has(const struct cgroups *groups, const char *controller) {
    char text[1024];
    own_fd dir = open(groups->paths[CGROUP_UNIFIED], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return dir >= 0 && file_read_at(dir, "cgroup.controllers", text, sizeof(text)) &&
           str_has_word(str_from(text), controller);
}

/* Version 2 first. */
static bool choose(struct cgroups *groups, enum cgroup_tree v1, enum cgroup_tree *ret_tree) {
    *ret_tree = unified_has(groups, controllers[v1]) ? CGROUP_UNIFIED : v1;
    groups->used[*ret_tree] = groups->paths[*ret_tree][0] != '\0';
    return groups->used[*ret_tree];
}

bool cgroups_find(struct cgroups *ret_groups, struct err *err) {
    char self[8192];
    *ret_groups = (struct cgroups){.name = ""};
    cgroup_fds_clear(ret_groups->bases);
    cgroup_fds_clear(ret_groups->parents);
    cgroup_fds_clear(ret_groups->boxes);
    (void)file_read_at(AT_FDCWD, "/proc/self/cgroup", self, sizeof(self));
    for (int tree = 0; tree < CGROUP_TREES; tree++) {
        find_base(tree, str_from(self), ret_groups->paths[tree], sizeof(ret_groups->paths[tree]));
    }
    if (!choose(ret_groups, CGROUP_MEMORY, &ret_groups->memory) ||
        !choose(ret_groups, CGROUP_PIDS, &ret_groups->pids)) {
        return err_set(err, ERR_SYSTEM, message_codes[CODE_UNAVAILABLE],
                       "no memory or pids cgroup: mount cgroup2 at /sys/fs/cgroup with both "
                       "controllers, and boot without cgroup_disable=memory");
    }
    (void)choose(ret_groups, CGROUP_CPU, &ret_groups->weight); /* an improvement only */
    /* Version 2 counts CPU time in every group, without any controller. */
    bool unified = ret_groups->paths[CGROUP_UNIFIED][0] != '\0';
    ret_groups->cpu = unified ? CGROUP_UNIFIED : CGROUP_CPUACCT;
    ret_groups->used[ret_groups->cpu] = ret_groups->paths[ret_groups->cpu][0] != '\0';
    return ret_groups->used[ret_groups->cpu] ||
           err_set(err, ERR_SYSTEM, message_codes[CODE_UNAVAILABLE],
                   "nothing counts CPU time: mount cgroup2, or cgroup with cpuacct");
}

/* ---- this box ---- */

bool cgroup_enable(const struct cgroups *groups, int dir, struct err *err) {
    return (groups->memory != CGROUP_UNIFIED ||
            file_write_at(dir, "cgroup.subtree_control", "+memory", err)) &&
           (groups->pids != CGROUP_UNIFIED ||
            file_write_at(dir, "cgroup.subtree_control", "+pids", err)) &&
           (groups->weight != CGROUP_UNIFIED ||
            file_write_at(dir, "cgroup.subtree_control", "+cpu", err));
}

/* A group with processes of its own cannot divide controllers: they move into a leaf first. Only
 * done in a group that is ours to divide. */
static bool enable_base(const struct cgroups *groups, int dir, struct err *err) {
    if (cgroup_enable(groups, dir, err)) {
        return true;
    }
    own_fd main_group = -1;
    if (err->os_errno != EBUSY || !cgroupfs_make(dir, OWN_LEAF, &main_group, err)) {
        return false;
    }
    cgroupfs_move_all(dir, main_group);
    return cgroup_enable(groups, dir, err);
}

/* A box that is gone does not hold the lock of its folder. What stays is tried again next time. */
static bool remove_if_dead(int parent, const char *name) {
    own_fd box = cgroupfs_open(parent, name);
    return box < 0 || flock(box, LOCK_EX | LOCK_NB) != 0 || cgroupfs_remove(parent, name);
}

static bool open_tree_once(struct cgroups *groups, int tree, struct err *err) {
    bool unified = tree == CGROUP_UNIFIED;
    groups->bases[tree] = open(groups->paths[tree], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (groups->bases[tree] < 0) {
        return err_system(err, FAILED, "open %s", groups->paths[tree]);
    }
    if ((unified && !enable_base(groups, groups->bases[tree], err)) ||
        !cgroupfs_make(groups->bases[tree], groups->name, &groups->parents[tree], err) ||
        (unified && !cgroup_enable(groups, groups->parents[tree], err))) {
        return err_wrap(err, "in %s", groups->paths[tree]);
    }
    (void)file_each_folder(groups->parents[tree], remove_if_dead);
    if (!cgroupfs_make(groups->parents[tree], groups->box_name, &groups->boxes[tree], err)) {
        return false;
    }
    if (flock(groups->boxes[tree], LOCK_EX | LOCK_NB) != 0) {
        return err_system(err, FAILED, "lock the cgroup of this box");
    }
    return !unified || cgroup_enable(groups, groups->boxes[tree], err);
}

static void close_tree(struct cgroups *groups, int tree) {
    fds_close(&groups->boxes[tree], 1);
    fds_close(&groups->parents[tree], 1);
    fds_close(&groups->bases[tree], 1);
}

/* Tried again: a box that starts or ends at the same time may remove the still empty parent. */
static bool open_tree(struct cgroups *groups, int tree, struct err *err) {
    for (int i = 0; i < OPEN_TRIES; i++) {
        if (open_tree_once(groups, tree, err)) {
            return true;
        }
        if (err->os_errno != ENOENT && err->os_errno != EAGAIN) {
            break;
        }
        close_tree(groups, tree);
    }
    return err_wrap(err, "cgroups (run as root, or in a unit with Delegate=yes)");
}

/* The weight counts at each level that has neighbours. */
static bool set_caps(const struct cgroups *groups, const struct box_caps *caps, struct err *err) {
    int memory = groups->boxes[groups->memory];
    int pids = groups->boxes[groups->pids];
    bool unified = groups->weight == CGROUP_UNIFIED;
    const char *name = unified ? "cpu.weight" : "cpu.shares";
    int64_t weight = unified ? caps->cpu_weight : caps->cpu_weight * 1024 / 100;
    return (caps->memory_bytes == 0 ||
            file_set_i64_at(
                memory, groups->memory == CGROUP_UNIFIED ? "memory.max" : "memory.limit_in_bytes",
                caps->memory_bytes, err)) &&
           (caps->pids_max == 0 || file_set_i64_at(pids, "pids.max", caps->pids_max, err)) &&
           (weight == 0 || !groups->used[groups->weight] ||
            (file_set_i64_at(groups->parents[groups->weight], name, weight, err) &&
             file_set_i64_at(groups->boxes[groups->weight], name, weight, err)));
}

bool cgroups_open(struct cgroups *groups, const char *name, const struct box_caps *caps,
                  struct err *err) {
    snprintf(groups->name, sizeof(groups->name), "%s", name);
    snprintf(groups->box_name, sizeof(groups->box_name), "%ld", (long)getpid());
    groups->used[CGROUP_CPU] = groups->used[CGROUP_CPU] && caps->cpu_weight != 0;
    for (int tree = 0; tree < CGROUP_TREES; tree++) {
        if (groups->used[tree] && !open_tree(groups, tree, err)) {
            return false;
        }
    }
    return set_caps(groups, caps, err);
}

void cgroups_close(struct cgroups *groups) {
    for (int tree = 0; tree < CGROUP_TREES; tree++) {
        if (groups->parents[tree] >= 0) {
            (void)cgroupfs_remove(groups->parents[tree], groups->box_name);
            /* Only goes while no other box is there. */
            (void)unlinkat(groups->bases[tree], groups->name, AT_REMOVEDIR);
        }
        close_tree(groups, tree);
    }
}
