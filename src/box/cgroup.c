/* Choosing the trees, and this box's folders in them. */
#include "box/cgroup.h"

#include "base/check.h"
#include "base/file.h"
#include "base/limits.h"
#include "box/cgroup_file.h"
#include "box/message.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define OPEN_TRIES 4
#define TABLE_BYTES_MAX (256 * KIB)

static bool unavailable(struct err *err, const char *what) {
    return err_set(err, ERR_SYSTEM, message_code_name(CODE_UNAVAILABLE), "%s", what);
}

static void fds_init(int *fds) {
    for (int tree = 0; tree < CGROUP_TREES; tree++) {
        fds[tree] = -1;
    }
}

static void fds_close(int *fds) {
    for (int tree = 0; tree < CGROUP_TREES; tree++) {
        fd_cleanup(&fds[tree]);
        fds[tree] = -1;
    }
}

static void place_path(const struct cgroup_place *place, bool own, char *out, size_t size) {
    snprintf(out, size, "%s%s", place->mount, own ? place->own : "");
}

/* Whether systemd, or whoever plays its part, has given us the own group to divide. */
static bool is_delegated(const struct cgroup_place *place) {
    char path[520];
    char value[4] = "";
    place_path(place, true, path, sizeof(path));
    return geteuid() != 0 || getxattr(path, "trusted.delegate", value, sizeof(value) - 1) == 1 ||
           getxattr(path, "user.delegate", value, sizeof(value) - 1) == 1;
}

static bool unified_has(const struct cgroup_place *place, const char *controller) {
    if (!place->found) {
        return false;
    }
    char path[520];
    char text[1024];
    place_path(place, is_delegated(place), path, sizeof(path));
    own_fd dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return dir >= 0 && cgroup_read(dir, "cgroup.controllers", text, sizeof(text)) &&
           cgroup_has_word(str_from(text), controller);
}

/* Which tree has the controller: version 2 first. */
static bool choose(struct cgroups *groups, const char *controller, enum cgroup_tree v1,
                   enum cgroup_tree *ret_tree) {
    if (unified_has(&groups->places[CGROUP_UNIFIED], controller)) {
        *ret_tree = CGROUP_UNIFIED;
    } else if (groups->places[v1].found) {
        *ret_tree = v1;
    } else {
        return false;
    }
    groups->used[*ret_tree] = true;
    return true;
}

bool cgroups_find(struct cgroups *ret_groups, struct err *err) {
    struct cgroups *groups = ret_groups;
    memset(groups, 0, sizeof(*groups));
    fds_init(groups->bases);
    fds_init(groups->parents);
    fds_init(groups->boxes);
    own_buf mounts = {0};
    own_buf self = {0};
    buf_init(&mounts, TABLE_BYTES_MAX);
    buf_init(&self, TABLE_BYTES_MAX);
    if (!file_load("/proc/self/mountinfo", TABLE_BYTES_MAX, &mounts, err) ||
        !file_load("/proc/self/cgroup", TABLE_BYTES_MAX, &self, err)) {
        return unavailable(err, "/proc is not mounted: mount -t proc proc /proc");
    }
    cgroup_find(buf_str(&mounts), buf_str(&self), groups->places);
    if (!choose(groups, "memory", CGROUP_MEMORY, &groups->memory)) {
        return unavailable(err, "no memory cgroup: mount cgroup2 with the memory controller, or "
                                "boot without cgroup_disable=memory");
    }
    if (!choose(groups, "pids", CGROUP_PIDS, &groups->pids)) {
        return unavailable(err, "no pids cgroup: mount cgroup2 with the pids controller");
    }
    /* Version 2 counts CPU time in every group, without any controller. */
    groups->cpu = groups->places[CGROUP_UNIFIED].found ? CGROUP_UNIFIED : CGROUP_CPUACCT;
    if (!groups->places[groups->cpu].found) {
        return unavailable(err, "nothing counts CPU time: mount cgroup2, or cgroup with cpuacct");
    }
    groups->used[groups->cpu] = true;
    return true;
}

/* Lets groups below `dir` have the controllers that version 2 gives us. */
static bool enable(const struct cgroups *groups, int dir, struct err *err) {
    if ((groups->memory == CGROUP_UNIFIED &&
         !cgroup_write(dir, "cgroup.subtree_control", "+memory", err)) ||
        (groups->pids == CGROUP_UNIFIED &&
         !cgroup_write(dir, "cgroup.subtree_control", "+pids", err))) {
        return false;
    }
    return true;
}

/* A group with processes of its own cannot divide controllers: they move into a leaf first. Only
 * done in a group that is ours to divide. */
static bool enable_base(const struct cgroups *groups, int dir, const char *name, struct err *err) {
    if (enable(groups, dir, err)) {
        return true;
    }
    if (err->os_errno != EBUSY) {
        return false;
    }
    char main_name[80];
    own_fd main_group = -1;
    snprintf(main_name, sizeof(main_name), "%s.main", name);
    if (!cgroup_make(dir, main_name, &main_group, err)) {
        return false;
    }
    cgroup_move_all(dir, main_group);
    return enable(groups, dir, err);
}

static bool open_base(struct cgroups *groups, int tree, const char *name, struct err *err) {
    const struct cgroup_place *place = &groups->places[tree];
    char path[520];
    bool unified = tree == CGROUP_UNIFIED;
    place_path(place, !unified || is_delegated(place), path, sizeof(path));
    if (!cgroup_open_dir(AT_FDCWD, path, &groups->bases[tree], err) ||
        (unified && !enable_base(groups, groups->bases[tree], name, err)) ||
        !cgroup_make(groups->bases[tree], name, &groups->parents[tree], err)) {
        return err_wrap(err, "in %s", path);
    }
    return !unified || enable(groups, groups->parents[tree], err);
}

/* Removes the folders of boxes that are gone: their lock is free. */
static void remove_dead(int parent) {
    own_fd copy = openat(parent, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = copy < 0 ? NULL : fdopendir(copy);
    if (list == NULL) {
        return;
    }
    (void)take_fd(&copy);
    for (struct dirent *entry = readdir(list); entry != NULL; entry = readdir(list)) {
        if (entry->d_type != DT_DIR || entry->d_name[0] == '.') {
            continue;
        }
        own_fd box = openat(parent, entry->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (box >= 0 && flock(box, LOCK_EX | LOCK_NB) == 0) {
            (void)cgroup_remove_tree(parent,
                                     entry->d_name); /* what stays is tried again next time */
        }
    }
    closedir(list);
}

static bool open_box(struct cgroups *groups, int tree, struct err *err) {
    if (!cgroup_make(groups->parents[tree], groups->box_name, &groups->boxes[tree], err)) {
        return false;
    }
    if (flock(groups->boxes[tree], LOCK_EX | LOCK_NB) != 0) {
        return err_system(err, message_code_name(CODE_FAILED), "lock the cgroup of this box");
    }
    return tree != CGROUP_UNIFIED || enable(groups, groups->boxes[tree], err);
}

static bool open_tree_once(struct cgroups *groups, int tree, const char *name, struct err *err) {
    if (!open_base(groups, tree, name, err)) {
        return false;
    }
    remove_dead(groups->parents[tree]);
    return open_box(groups, tree, err);
}

/* Tried again: a box that starts or ends at the same time may remove the still empty parent. */
static bool open_one(struct cgroups *groups, int tree, const char *name, struct err *err) {
    for (int i = 0; i < OPEN_TRIES; i++) {
        if (open_tree_once(groups, tree, name, err)) {
            return true;
        }
        if (err->os_errno != ENOENT && err->os_errno != EAGAIN) {
            return false;
        }
        fd_cleanup(&groups->bases[tree]);
        fd_cleanup(&groups->parents[tree]);
        fd_cleanup(&groups->boxes[tree]);
        groups->bases[tree] = groups->parents[tree] = groups->boxes[tree] = -1;
    }
    return false;
}

bool cgroups_open(struct cgroups *groups, const char *name, struct err *err) {
    snprintf(groups->name, sizeof(groups->name), "%s", name);
    snprintf(groups->box_name, sizeof(groups->box_name), "%ld", (long)getpid());
    for (int tree = 0; tree < CGROUP_TREES; tree++) {
        if (groups->used[tree] && !open_one(groups, tree, name, err)) {
            return err_wrap(err, "cgroups (run as root, or in a unit with Delegate=yes)");
        }
    }
    return true;
}

void cgroups_close(struct cgroups *groups) {
    for (int tree = 0; tree < CGROUP_TREES; tree++) {
        if (groups->parents[tree] >= 0) {
            (void)cgroup_remove_tree(groups->parents[tree], groups->box_name);
            /* Only goes while no other box is there. */
            (void)unlinkat(groups->bases[tree], groups->name, AT_REMOVEDIR);
        }
    }
    fds_close(groups->boxes);
    fds_close(groups->parents);
    fds_close(groups->bases);
}
