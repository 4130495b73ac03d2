/* A slot's groups and the leaf of one run. */
#include "base/check.h"
#include "box/cgroup.h"
#include "box/cgroup_file.h"
#include "box/message.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#define FAILED message_code_name(CODE_FAILED)
#define PAGE_BYTES 4096

/* Where each figure stands, by version. */
static const char *peak_file(enum cgroup_tree tree) {
    return tree == CGROUP_UNIFIED ? "memory.peak" : "memory.max_usage_in_bytes";
}

static void close_all(int *fds) {
    for (int tree = 0; tree < CGROUP_TREES; tree++) {
        fd_cleanup(&fds[tree]);
        fds[tree] = -1;
    }
}

static void clear_all(int *fds) {
    for (int tree = 0; tree < CGROUP_TREES; tree++) {
        fds[tree] = -1;
    }
}

/* Version 2 asks whoever clones into a leaf for write access to the cgroup.procs of the leaf and of
 * the next group above both. */
static bool give_procs(int dir, uid_t uid, struct err *err) {
    if (fchownat(dir, "cgroup.procs", uid, (gid_t)-1, AT_SYMLINK_NOFOLLOW) != 0) {
        return err_system(err, FAILED, "hand cgroup.procs to the launcher");
    }
    return true;
}

static bool slot_tree_open(struct cgroup_slot *slot, int tree, uid_t launcher_uid,
                           struct err *err) {
    const struct cgroups *groups = slot->groups;
    if (!cgroup_remove_tree(groups->boxes[tree], slot->name)) {
        return err_set(err, ERR_SYSTEM, FAILED, "the cgroup of slot %s is not empty", slot->name);
    }
    if (!cgroup_make(groups->boxes[tree], slot->name, &slot->dirs[tree], err) ||
        !cgroup_make(slot->dirs[tree], "launcher", &slot->launchers[tree], err)) {
        return false;
    }
    if (tree != CGROUP_UNIFIED) {
        return true;
    }
    return give_procs(slot->dirs[tree], launcher_uid, err) &&
           (groups->memory != CGROUP_UNIFIED ||
            cgroup_write(slot->dirs[tree], "cgroup.subtree_control", "+memory", err)) &&
           (groups->pids != CGROUP_UNIFIED ||
            cgroup_write(slot->dirs[tree], "cgroup.subtree_control", "+pids", err));
}

bool cgroup_slot_open(const struct cgroups *groups, int number, uid_t launcher_uid,
                      struct cgroup_slot *ret_slot, struct err *err) {
    *ret_slot = (struct cgroup_slot){.groups = groups};
    clear_all(ret_slot->dirs);
    clear_all(ret_slot->launchers);
    snprintf(ret_slot->name, sizeof(ret_slot->name), "s%d", number);
    for (int tree = 0; tree < CGROUP_TREES; tree++) {
        if (groups->used[tree] && !slot_tree_open(ret_slot, tree, launcher_uid, err)) {
            (void)cgroup_slot_close(ret_slot);
            return false;
        }
    }
    return true;
}

bool cgroup_slot_close(struct cgroup_slot *slot) {
    bool clean = true;
    close_all(slot->launchers);
    close_all(slot->dirs);
    for (int tree = 0; tree < CGROUP_TREES; tree++) {
        if (slot->groups->used[tree]) {
            clean = cgroup_remove_tree(slot->groups->boxes[tree], slot->name) && clean;
        }
    }
    return clean;
}

bool cgroup_slot_enter(const struct cgroup_slot *slot, pid_t launcher, struct err *err) {
    for (int tree = 0; tree < CGROUP_TREES; tree++) {
        if (slot->launchers[tree] >= 0 &&
            !cgroup_write_i64(slot->launchers[tree], "cgroup.procs", launcher, err)) {
            return false;
        }
    }
    return true;
}

static bool limit_memory_v2(int dir, int64_t bytes, struct err *err) {
    /* Without swap accounting the machine has no swap: box doctor sees to it. */
    bool has_swap = faccessat(dir, "memory.swap.max", F_OK, 0) == 0;
    return cgroup_limit(dir, "memory.max", bytes, err) &&
           (!has_swap || cgroup_limit(dir, "memory.swap.max", 0, err)) &&
           cgroup_limit(dir, "memory.oom.group", 1, err);
}

static bool limit_memory_v1(int dir, int64_t bytes, struct err *err) {
    bool has_swap = faccessat(dir, "memory.memsw.limit_in_bytes", F_OK, 0) == 0;
    /* In this order: memory with swap may not be below memory. */
    return cgroup_limit(dir, "memory.limit_in_bytes", bytes, err) &&
           (!has_swap || cgroup_limit(dir, "memory.memsw.limit_in_bytes", bytes, err));
}

/* Version 1 cannot kill a whole group on its own: ask to be told. */
static bool watch_oom_v1(struct cgroup_leaf *leaf, int dir, struct err *err) {
    own_fd control = openat(dir, "memory.oom_control", O_RDONLY | O_CLOEXEC);
    leaf->oom_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (control < 0 || leaf->oom_fd < 0) {
        return err_system(err, FAILED, "open memory.oom_control");
    }
    char text[32];
    snprintf(text, sizeof(text), "%d %d", leaf->oom_fd, control);
    return cgroup_write(dir, "cgroup.event_control", text, err);
}

static bool leaf_limits(struct cgroup_leaf *leaf, const struct box_limits *limits,
                        struct err *err) {
    const struct cgroups *groups = leaf->slot->groups;
    int64_t bytes = (limits->memory_bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    int memory = leaf->dirs[groups->memory];
    bool limited = groups->memory == CGROUP_UNIFIED
                       ? limit_memory_v2(memory, bytes, err)
                       : limit_memory_v1(memory, bytes, err) && watch_oom_v1(leaf, memory, err);
    return limited && cgroup_limit(leaf->dirs[groups->pids], "pids.max", limits->pids_max, err);
}

static bool leaf_tree_open(struct cgroup_leaf *leaf, int tree, uid_t launcher_uid,
                           struct err *err) {
    if (mkdirat(leaf->slot->dirs[tree], leaf->name, 0755) != 0) {
        return err_system(err, FAILED, "make the cgroup of a run");
    }
    if (!cgroup_open_dir(leaf->slot->dirs[tree], leaf->name, &leaf->dirs[tree], err)) {
        return false;
    }
    if (tree == CGROUP_UNIFIED) {
        return give_procs(leaf->dirs[tree], launcher_uid, err);
    }
    leaf->joins[tree] = openat(leaf->dirs[tree], "cgroup.procs", O_WRONLY | O_CLOEXEC);
    return leaf->joins[tree] >= 0 ? true : err_system(err, FAILED, "open cgroup.procs");
}

static bool leaf_open(struct cgroup_leaf *leaf, uid_t launcher_uid, const struct box_limits *limits,
                      struct err *err) {
    const struct cgroups *groups = leaf->slot->groups;
    for (int tree = 0; tree < CGROUP_TREES; tree++) {
        if (groups->used[tree] && !leaf_tree_open(leaf, tree, launcher_uid, err)) {
            return false;
        }
    }
    if (!leaf_limits(leaf, limits, err)) {
        return false;
    }
    const char *cpu = groups->cpu == CGROUP_UNIFIED ? "cpu.stat" : "cpuacct.usage";
    leaf->cpu_fd = openat(leaf->dirs[groups->cpu], cpu, O_RDONLY | O_CLOEXEC);
    return leaf->cpu_fd >= 0 ? true : err_system(err, FAILED, "open %s", cpu);
}

bool cgroup_leaf_open(const struct cgroup_slot *slot, uint64_t number, uid_t launcher_uid,
                      const struct box_limits *limits, struct cgroup_leaf *ret_leaf,
                      struct err *err) {
    *ret_leaf = (struct cgroup_leaf){.slot = slot, .cpu_fd = -1, .oom_fd = -1};
    clear_all(ret_leaf->dirs);
    clear_all(ret_leaf->joins);
    snprintf(ret_leaf->name, sizeof(ret_leaf->name), "r%llu", (unsigned long long)number);
    if (!leaf_open(ret_leaf, launcher_uid, limits, err)) {
        (void)cgroup_leaf_close(ret_leaf);
        return false;
    }
    return true;
}

void cgroup_leaf_started(struct cgroup_leaf *leaf) {
    close_all(leaf->joins);
}

bool cgroup_leaf_cpu_us(const struct cgroup_leaf *leaf, int64_t *ret_us) {
    char text[512];
    ssize_t got = pread(leaf->cpu_fd, text, sizeof(text) - 1, 0);
    if (got <= 0) {
        return false;
    }
    text[got] = '\0';
    if (leaf->slot->groups->cpu == CGROUP_UNIFIED) {
        return cgroup_key(str_from(text), "usage_usec", ret_us);
    }
    int64_t ns = 0;
    struct err err = {0};
    if (!str_to_i64(str_trim(str_from(text)), 0, INT64_MAX, &ns, &err)) {
        return false;
    }
    *ret_us = ns / 1000;
    return true;
}

/* cpuacct.usage is exact; its two parts are by ticks, so they only divide the exact sum. */
static bool cpu_v1(const struct cgroup_leaf *leaf, struct cgroup_usage *usage) {
    int dir = leaf->dirs[CGROUP_CPUACCT];
    int64_t total_us = 0;
    int64_t user = 0;
    int64_t system = 0;
    if (!cgroup_leaf_cpu_us(leaf, &total_us) ||
        !cgroup_read_i64(dir, "cpuacct.usage_user", &user) ||
        !cgroup_read_i64(dir, "cpuacct.usage_sys", &system)) {
        return false;
    }
    int64_t both_us = (user + system) / 1000;
    usage->cpu_user_us = both_us == 0 ? total_us : total_us * (user / 1000) / both_us;
    usage->cpu_system_us = total_us - usage->cpu_user_us;
    return true;
}

/* Files of the root that this run was the first to read are charged to it. They are not its memory
 * and the kernel takes them back under pressure, so what is still there at the end is left out. */
static bool memory_usage(const struct cgroup_leaf *leaf, struct cgroup_usage *usage) {
    enum cgroup_tree tree = leaf->slot->groups->memory;
    int dir = leaf->dirs[tree];
    char stat[8192];
    int64_t cache = 0;
    int64_t shared = 0;
    bool unified = tree == CGROUP_UNIFIED;
    if (!cgroup_read_i64(dir, peak_file(tree), &usage->memory_peak_bytes) ||
        !cgroup_read(dir, "memory.stat", stat, sizeof(stat)) ||
        !cgroup_key(str_from(stat), unified ? "file" : "cache", &cache) ||
        !cgroup_key(str_from(stat), "shmem", &shared)) {
        return false;
    }
    int64_t left_out = cache > shared ? cache - shared : 0;
    usage->memory_peak_bytes -= left_out < usage->memory_peak_bytes ? left_out : 0;
    return cgroup_read_key(dir, unified ? "memory.events" : "memory.oom_control", "oom_kill",
                           &usage->oom_kills);
}

bool cgroup_leaf_usage(const struct cgroup_leaf *leaf, struct cgroup_usage *ret_usage,
                       struct err *err) {
    *ret_usage = (struct cgroup_usage){0};
    bool unified = leaf->slot->groups->cpu == CGROUP_UNIFIED;
    int dir = leaf->dirs[CGROUP_UNIFIED];
    bool cpu = unified
                   ? cgroup_read_key(dir, "cpu.stat", "user_usec", &ret_usage->cpu_user_us) &&
                         cgroup_read_key(dir, "cpu.stat", "system_usec", &ret_usage->cpu_system_us)
                   : cpu_v1(leaf, ret_usage);
    if (!cpu || !memory_usage(leaf, ret_usage)) {
        return err_set(err, ERR_SYSTEM, FAILED, "the figures of a run cannot be read");
    }
    return true;
}

bool cgroup_leaf_close(struct cgroup_leaf *leaf) {
    bool clean = true;
    fd_cleanup(&leaf->cpu_fd);
    fd_cleanup(&leaf->oom_fd);
    leaf->cpu_fd = leaf->oom_fd = -1;
    close_all(leaf->joins);
    for (int tree = 0; tree < CGROUP_TREES; tree++) {
        if (leaf->dirs[tree] >= 0 &&
            unlinkat(leaf->slot->dirs[tree], leaf->name, AT_REMOVEDIR) != 0 && errno != ENOENT) {
            clean = false;
        }
    }
    close_all(leaf->dirs);
    return clean;
}
