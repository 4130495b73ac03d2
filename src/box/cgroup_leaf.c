/* A slot's groups and the leaf of one run. */
#include "base/cgroupfs.h"
#include "base/file.h"
#include "base/packet.h"
#include "box/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#define FAILED message_codes[CODE_FAILED]
#define PAGE_BYTES 4096
#define CHARGED_AT_ONCE_BYTES (64 * PAGE_BYTES)

/* Of swap: without swap accounting it is not there, and the doctor has seen that there is none. */
static bool set_if_there(int dir, const char *name, int64_t value, struct err *err) {
    return faccessat(dir, name, F_OK, 0) != 0 || file_set_i64_at(dir, name, value, err);
}

/* Version 2 asks whoever clones into a leaf for write access to the cgroup.procs of the leaf and of
 * the next group above both; version 1, that whoever opened it is root or the user who enters. */
static bool give_procs(int dir, uid_t uid, struct err *err) {
    return fchownat(dir, "cgroup.procs", uid, (gid_t)-1, AT_SYMLINK_NOFOLLOW) == 0 ||
           err_system(err, FAILED, "hand cgroup.procs to the launcher");
}

static bool open_slot_tree(struct cgroup_slot *slot, int tree, struct err *err) {
    const struct cgroups *groups = slot->groups;
    if (!cgroupfs_remove(groups->boxes[tree], slot->name)) {
        return err_set(err, ERR_SYSTEM, FAILED, "the cgroup of slot %s is not empty", slot->name);
    }
    return cgroupfs_make(groups->boxes[tree], slot->name, &slot->dirs[tree], err) &&
           cgroupfs_make(slot->dirs[tree], "launcher", &slot->launchers[tree], err) &&
           (tree != CGROUP_UNIFIED || (give_procs(slot->dirs[tree], slot->launcher_uid, err) &&
                                       cgroup_enable(groups, slot->dirs[tree], err)));
}

bool cgroup_slot_open(const struct cgroups *groups, int number, uid_t launcher_uid,
                      struct cgroup_slot *ret_slot, struct err *err) {
    *ret_slot = (struct cgroup_slot){.groups = groups, .launcher_uid = launcher_uid};
    cgroup_fds_clear(ret_slot->dirs);
    cgroup_fds_clear(ret_slot->launchers);
    snprintf(ret_slot->name, sizeof(ret_slot->name), "s%d", number);
    for (int tree = 0; tree < CGROUP_TREES; tree++) {
        if (groups->used[tree] && !open_slot_tree(ret_slot, tree, err)) {
            (void)cgroup_slot_close(ret_slot);
            return false;
        }
    }
    return true;
}

bool cgroup_slot_close(struct cgroup_slot *slot) {
    bool clean = slot->spare.slot == NULL || cgroup_leaf_close(&slot->spare);
    fds_close(slot->launchers, CGROUP_TREES);
    fds_close(slot->dirs, CGROUP_TREES);
    for (int tree = 0; tree < CGROUP_TREES; tree++) {
        if (slot->groups->used[tree]) {
            clean = cgroupfs_remove(slot->groups->boxes[tree], slot->name) && clean;
        }
    }
    return clean;
}

bool cgroup_slot_enter(const struct cgroup_slot *slot, pid_t launcher, struct err *err) {
    for (int tree = 0; tree < CGROUP_TREES; tree++) {
        if (slot->launchers[tree] >= 0 &&
            !file_write_i64_at(slot->launchers[tree], "cgroup.procs", launcher, err)) {
            return false;
        }
    }
    return true;
}

static bool limit_memory_v2(int dir, int64_t bytes, struct err *err) {
    return file_set_i64_at(dir, "memory.max", bytes, err) &&
           set_if_there(dir, "memory.swap.max", 0, err) &&
           file_set_i64_at(dir, "memory.oom.group", 1, err);
}

/* Memory with swap may not be below memory, hence the order. */
static bool limit_memory_v1(int dir, int64_t bytes, struct err *err) {
    return file_set_i64_at(dir, "memory.limit_in_bytes", bytes, err) &&
           set_if_there(dir, "memory.memsw.limit_in_bytes", bytes, err);
}

/* Version 1 cannot end a whole group by itself: it tells, and the supervisor ends the run. */
static bool watch_memory_v1(struct cgroup_leaf *leaf, struct err *err) {
    char text[32];
    int dir = leaf->dirs[CGROUP_MEMORY];
    own_fd control = openat(dir, "memory.oom_control", O_RDONLY | O_CLOEXEC);
    leaf->oom_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    snprintf(text, sizeof(text), "%d %d", leaf->oom_fd, control);
    return file_write_at(dir, "cgroup.event_control", text, err);
}

static bool open_leaf_tree(struct cgroup_leaf *leaf, int tree, struct err *err) {
    int slot_dir = leaf->slot->dirs[tree];
    if (mkdirat(slot_dir, leaf->name, 0755) != 0) {
        return err_system(err, FAILED, "make the cgroup of a run");
    }
    leaf->dirs[tree] = openat(slot_dir, leaf->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return give_procs(leaf->dirs[tree], leaf->slot->launcher_uid, err);
}

static bool make_leaf(struct cgroup_slot *slot, struct err *err) {
    const struct cgroups *groups = slot->groups;
    struct cgroup_leaf *leaf = &slot->spare;
    const char *cpu = groups->cpu == CGROUP_UNIFIED ? "cpu.stat" : "cpuacct.usage";
    *leaf = (struct cgroup_leaf){.slot = slot, .cpu_fd = -1, .oom_fd = -1};
    cgroup_fds_clear(leaf->dirs);
    snprintf(leaf->name, sizeof(leaf->name), "r%llu", (unsigned long long)slot->leaves++);
    bool made = true;
    for (int tree = 0; made && tree < CGROUP_TREES; tree++) {
        made = !groups->used[tree] || tree == CGROUP_CPU || open_leaf_tree(leaf, tree, err);
    }
    leaf->cpu_fd = made ? openat(leaf->dirs[groups->cpu], cpu, O_RDONLY | O_CLOEXEC) : -1;
    if (made && leaf->cpu_fd < 0) {
        made = err_system(err, FAILED, "open %s", cpu);
    }
    made = made && (groups->memory == CGROUP_UNIFIED || watch_memory_v1(leaf, err));
    return made || ((void)cgroup_leaf_close(leaf), false);
}

static bool limit_leaf(struct cgroup_leaf *leaf, const struct box_limits *limits, struct err *err) {
    const struct cgroups *groups = leaf->slot->groups;
    int64_t bytes = (limits->memory_bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    leaf->memory_bytes = bytes;
    int memory = leaf->dirs[groups->memory];
    return (groups->memory == CGROUP_UNIFIED ? limit_memory_v2(memory, bytes, err)
                                             : limit_memory_v1(memory, bytes, err)) &&
           file_set_i64_at(leaf->dirs[groups->pids], "pids.max", limits->pids_max, err);
}

void cgroup_slot_prepare(struct cgroup_slot *slot) {
    struct err err = {0};
    if (slot->spare.slot == NULL) {
        (void)!make_leaf(slot, &err); /* the next run tries again, and then says what is wrong */
    }
}

bool cgroup_leaf_open(struct cgroup_slot *slot, const struct box_limits *limits,
                      struct cgroup_leaf *ret_leaf, struct err *err) {
    if (slot->spare.slot == NULL && !make_leaf(slot, err)) {
        return false;
    }
    *ret_leaf = slot->spare;
    slot->spare.slot = NULL;
    if (!limit_leaf(ret_leaf, limits, err)) {
        (void)cgroup_leaf_close(ret_leaf);
        return false;
    }
    return true;
}

static struct str read_cpu(const struct cgroup_leaf *leaf, char *text, size_t size) {
    ssize_t got = pread(leaf->cpu_fd, text, size, 0);
    return str_of(text, got < 0 ? 0 : (size_t)got);
}

bool cgroup_leaf_cpu_us(const struct cgroup_leaf *leaf, int64_t *ret_us) {
    char text[512];
    struct err err = {0};
    struct str whole = read_cpu(leaf, text, sizeof(text));
    if (leaf->slot->groups->cpu == CGROUP_UNIFIED) {
        return str_key_i64(whole, "usage_usec", ret_us);
    }
    bool read = str_to_i64(str_trim(whole), 0, INT64_MAX, ret_us, &err);
    *ret_us /= 1000;
    return read;
}

/* cpuacct.usage is exact; its two parts are by ticks, so they only divide the exact sum. */
static bool cpu_usage(const struct cgroup_leaf *leaf, struct cgroup_usage *usage) {
    enum cgroup_tree tree = leaf->slot->groups->cpu;
    int64_t total_us = 0;
    int64_t user = 0;
    int64_t system = 0;
    char text[512];
    struct str whole = read_cpu(leaf, text, sizeof(text));
    bool read =
        cgroup_leaf_cpu_us(leaf, &total_us) &&
        (tree == CGROUP_UNIFIED
             ? str_key_i64(whole, "user_usec", &user) && str_key_i64(whole, "system_usec", &system)
             : file_read_i64_at(leaf->dirs[tree], "cpuacct.usage_user", &user) &&
                   file_read_i64_at(leaf->dirs[tree], "cpuacct.usage_sys", &system));
    int64_t both = user + system;
    usage->cpu_user_us = both == 0 ? total_us : (int64_t)((__int128)total_us * user / both);
    usage->cpu_system_us = total_us - usage->cpu_user_us;
    return read;
}

/* Files of the root that this run was the first to read are charged to it. They are not its memory
 * and the kernel takes them back under pressure, so what is still there at the end is left out. */
static bool memory_usage(const struct cgroup_leaf *leaf, struct cgroup_usage *usage) {
    bool unified = leaf->slot->groups->memory == CGROUP_UNIFIED;
    int dir = leaf->dirs[leaf->slot->groups->memory];
    char stat[8192];
    char events[512];
    int64_t cache = 0;
    int64_t shared = 0;
    if (!file_read_i64_at(dir, unified ? "memory.peak" : "memory.max_usage_in_bytes",
                          &usage->memory_peak_bytes) ||
        !file_read_at(dir, "memory.stat", stat, sizeof(stat)) ||
        !str_key_i64(str_from(stat), unified ? "file" : "cache", &cache) ||
        !str_key_i64(str_from(stat), "shmem", &shared)) {
        return false;
    }
    /* The fail counts of version 1 stay 0 in newer kernels. Whoever is full has been at its limit.
     */
    usage->limit_hits = usage->memory_peak_bytes + CHARGED_AT_ONCE_BYTES >= leaf->memory_bytes;
    int64_t left_out = cache > shared ? cache - shared : 0;
    usage->memory_peak_bytes -= left_out < usage->memory_peak_bytes ? left_out : 0;
    return file_read_at(dir, unified ? "memory.events" : "memory.oom_control", events,
                        sizeof(events)) &&
           str_key_i64(str_from(events), "oom_kill", &usage->oom_kills) &&
           (!unified || str_key_i64(str_from(events), "oom", &usage->limit_hits));
}

bool cgroup_leaf_is_full(const struct cgroup_leaf *leaf) {
    struct cgroup_usage usage = {0};
    uint64_t count = 0;
    return read(leaf->oom_fd, &count, sizeof(count)) == (ssize_t)sizeof(count) &&
           memory_usage(leaf, &usage) && usage.limit_hits > 0;
}

bool cgroup_leaf_usage(const struct cgroup_leaf *leaf, struct cgroup_usage *ret_usage,
                       struct err *err) {
    char text[256];
    int dir = leaf->dirs[CGROUP_UNIFIED]; /* of version 2, where the kernel counts pressure */
    *ret_usage = (struct cgroup_usage){.pressure_us = -1};
    if (dir >= 0 && file_read_at(dir, "cpu.pressure", text, sizeof(text))) {
        (void)str_after_i64(str_from(text), "total=", &ret_usage->pressure_us);
    }
    return (cpu_usage(leaf, ret_usage) && memory_usage(leaf, ret_usage)) ||
           err_set(err, ERR_SYSTEM, FAILED, "the figures of a run cannot be read");
}

bool cgroup_leaf_close(struct cgroup_leaf *leaf) {
    bool clean = true;
    fds_close(&leaf->cpu_fd, 1);
    fds_close(&leaf->oom_fd, 1);
    for (int tree = 0; tree < CGROUP_TREES; tree++) {
        if (leaf->slot->groups->used[tree]) {
            clean = (unlinkat(leaf->slot->dirs[tree], leaf->name, AT_REMOVEDIR) == 0 ||
                     errno == ENOENT) &&
                    clean;
        }
    }
    fds_close(leaf->dirs, CGROUP_TREES);
    leaf->slot = NULL;
    return clean;
}
