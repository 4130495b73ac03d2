/* What the machine must have, one row each: for assize-box at its start and for `box doctor`. */
#include "box_client/doctor.h"

#include "base/file.h"
#include "box/cgroup.h"
#include "box/message.h"
#include "box_client/spawn.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/openat2.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SWAPS_HEADER_LINES 1

struct doctor_row {
    const char *name;
    bool needed;
    bool (*find)(char *detail, size_t size); /* detail: what there is */
    const char *remedy;
};

static bool load(const char *path, char *out, size_t size) {
    own_fd fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, out, size - 1);
    out[got < 0 ? 0 : got] = '\0';
    return got >= 0;
}

static bool find_architecture(char *detail, size_t size) {
#if defined(__x86_64__)
    snprintf(detail, size, "x86-64");
    return true;
#else
    (void)detail;
    (void)size;
    return false;
#endif
}

/* Without root: ids of our own, and the programs that hand them out. */
static bool find_ids(char *detail, size_t size) {
    int64_t first = 0;
    int64_t count = 0;
    struct err err = {0};
    bool found = spawn_ids('g', &first, &count, &err) && spawn_ids('u', &first, &count, &err);
    snprintf(detail, size, "user %u, ids from %lld on", geteuid(), (long long)first);
    return found;
}

static bool find_rights(char *detail, size_t size) {
    if (geteuid() != 0) {
        return find_ids(detail, size);
    }
    char status[4096];
    const char *line =
        load("/proc/self/status", status, sizeof(status)) ? strstr(status, "CapEff:\t") : NULL;
    uint8_t bytes[8] = {0};
    if (line == NULL || !hex_decode(str_of(line + 8, 16), bytes, sizeof(bytes))) {
        snprintf(detail, size, "/proc/self/status tells no capabilities");
        return false;
    }
    uint64_t set = 0;
    for (size_t i = 0; i < sizeof(bytes); i++) {
        set = set << 8 | bytes[i];
    }
    static const int wanted[] = {CAP_CHOWN,  CAP_DAC_OVERRIDE, CAP_KILL,      CAP_SETGID,
                                 CAP_SETUID, CAP_NET_ADMIN,    CAP_SYS_ADMIN, CAP_SYS_PTRACE};
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        if ((set >> wanted[i] & 1) == 0) {
            snprintf(detail, size, "root without capability %d", wanted[i]);
            return false;
        }
    }
    snprintf(detail, size, "root with its capabilities");
    return true;
}

static bool find_clone3(char *detail, size_t size) {
    snprintf(detail, size, "there");
    return syscall(SYS_clone3, NULL, sizeof(struct clone_args)) == -1 && errno != ENOSYS;
}

static bool find_namespaces(char *detail, size_t size) {
    static const char *const names[] = {"user", "pid", "mnt", "net", "ipc", "uts", "cgroup"};
    char path[64];
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        snprintf(path, sizeof(path), "/proc/self/ns/%s", names[i]);
        if (access(path, F_OK) != 0) {
            snprintf(detail, size, "no %s namespaces", names[i]);
            return false;
        }
    }
    snprintf(detail, size, "user pid mnt net ipc uts cgroup");
    return true;
}

static bool find_user_namespaces(char *detail, size_t size) {
    char text[32];
    bool there = load("/proc/sys/user/max_user_namespaces", text, sizeof(text));
    snprintf(detail, size, "at most %.20s", text);
    detail[strcspn(detail, "\n")] = '\0';
    return there && text[0] != '0';
}

static bool find_mounts(char *detail, size_t size) {
    struct mount_attr attr = {0};
    snprintf(detail, size, "open_tree, move_mount, mount_setattr");
    return (mount_setattr(-1, "", AT_EMPTY_PATH, &attr, sizeof(attr)) == 0 || errno != ENOSYS) &&
           (open_tree(-1, "", AT_EMPTY_PATH) >= 0 || errno != ENOSYS);
}

static bool find_openat2(char *detail, size_t size) {
    struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS};
    own_fd fd = (int)syscall(SYS_openat2, AT_FDCWD, "/", &how, sizeof(how));
    snprintf(detail, size, "there");
    return fd >= 0;
}

static bool find_seccomp(char *detail, size_t size) {
    unsigned action = SECCOMP_RET_KILL_PROCESS;
    snprintf(detail, size, "filters with errno and kill");
    return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

static bool find_cgroups(char *detail, size_t size) {
    struct cgroups groups;
    struct err err = {0};
    if (!cgroups_find(&groups, &err)) {
        snprintf(detail, size, "%s", err.text);
        return false;
    }
    const char *kind = groups.memory == CGROUP_UNIFIED ? "version 2"
                       : groups.cpu == CGROUP_UNIFIED  ? "version 1, with version 2 beside it"
                                                       : "version 1";
    snprintf(detail, size, "%s", kind);
    return true;
}

/* Who may not write to the top needs a group that was given to it. */
static bool find_delegation(char *detail, size_t size) {
    struct cgroups groups;
    struct err err = {0};
    char path[300];
    if (!cgroups_find(&groups, &err)) {
        return false;
    }
    for (int tree = 0; tree < CGROUP_TREES; tree++) {
        snprintf(path, sizeof(path), "%s/cgroup.procs", groups.paths[tree]);
        if (groups.used[tree] && tree != CGROUP_CPU && access(path, W_OK) != 0) {
            snprintf(detail, size, "%.150s is not ours", groups.paths[tree]);
            return false;
        }
    }
    snprintf(detail, size, "%.150s", groups.paths[groups.memory]);
    return true;
}

static bool find_real_time(char *detail, size_t size) {
    struct rlimit limit = {0};
    bool allowed = geteuid() == 0 || (getrlimit(RLIMIT_RTPRIO, &limit) == 0 && limit.rlim_max > 0);
    snprintf(detail, size, allowed ? "allowed" : "not allowed");
    return allowed;
}

static bool find_weight(char *detail, size_t size) {
    struct cgroups groups;
    struct err err = {0};
    bool found = cgroups_find(&groups, &err) && groups.used[groups.weight];
    snprintf(detail, size, found ? "there" : "no cpu controller");
    return found;
}

static bool find_proc(char *detail, size_t size) {
    own_fd fd = open("/proc/sys/user/max_user_namespaces", O_RDONLY | O_CLOEXEC);
    snprintf(detail, size, "mounted");
    return fd >= 0 && access("/proc/self/mountinfo", R_OK) == 0;
}

static bool find_no_swap(char *detail, size_t size) {
    char text[4096];
    size_t lines = 0;
    bool there = load("/proc/swaps", text, sizeof(text));
    for (const char *c = text; there && *c != '\0'; c++) {
        lines += *c == '\n';
    }
    bool none = !there || lines <= SWAPS_HEADER_LINES;
    snprintf(detail, size, none ? "no swap" : "swap is on");
    return none;
}

/* With swap on, the memory limit holds only where swap is counted too. */
static bool find_swap_limit(char *detail, size_t size) {
    if (find_no_swap(detail, size)) {
        return true;
    }
    struct cgroups groups;
    struct err err = {0};
    char path[600];
    if (!cgroups_find(&groups, &err)) {
        return false;
    }
    bool unified = groups.memory == CGROUP_UNIFIED;
    /* The top of version 2 has no such file; any group below it has, if swap is counted. */
    snprintf(path, sizeof(path), "%s%s", groups.paths[groups.memory],
             unified ? "/init.scope/memory.swap.max" : "/memory.memsw.limit_in_bytes");
    bool counted = access(path, F_OK) == 0;
    snprintf(detail, size, counted ? "swap is on and counted" : "swap is on and not counted");
    return counted;
}

static bool find_core_file(char *detail, size_t size) {
    char text[160];
    bool there = load("/proc/sys/kernel/core_pattern", text, sizeof(text));
    text[strcspn(text, "\n")] = '\0';
    snprintf(detail, size, "core_pattern is %.100s", text);
    return there && text[0] != '|';
}

static bool find_processors(char *detail, size_t size) {
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    snprintf(detail, size, "%ld", count);
    return count >= 2;
}

/* clang-format off */
static const struct doctor_row doctor_rows[] = {
    {"x86-64",             true,  find_architecture,    "the box runs on x86-64 only"},
    {"/proc",              true,  find_proc,            "mount -t proc proc /proc"},
    {"root, or own ids",   true,  find_rights,
     "start as root, or: apt-get install uidmap; usermod --add-subuids 100000-165535 "
     "--add-subgids 100000-165535 USER"},
    {"clone3",             true,  find_clone3,          "a kernel of 5.7 or newer, and no filter that forbids it"},
    {"namespaces",         true,  find_namespaces,      "a kernel with all seven kinds of namespaces"},
    {"user namespaces",    true,  find_user_namespaces, "sysctl user.max_user_namespaces=10000"},
    {"mount interface",    true,  find_mounts,          "a kernel of 5.12 or newer"},
    {"openat2",            true,  find_openat2,         "a kernel of 5.6 or newer"},
    {"seccomp",            true,  find_seccomp,         "a kernel with CONFIG_SECCOMP_FILTER"},
    {"cgroups",            true,  find_cgroups,         "mount cgroup2 with the memory and pids controllers"},
    {"cgroup is ours",     true,  find_delegation,
     "root, or Delegate=yes in the unit (by hand: systemd-run --user --scope -p Delegate=yes)"},
    {"cpu weight",         false, find_weight,          "the cpu controller: Delegate=yes, or mount it"},
    {"real time",          false, find_real_time,       "LimitRTPRIO=1: limits are kept to some ms under load"},
    {"swap counted",       true,  find_swap_limit,      "swapoff -a, or boot with swapaccount=1"},
    {"no swap",            false, find_no_swap,         "swapoff -a: swapping changes running times"},
    {"plain core pattern", false, find_core_file,       "sysctl kernel.core_pattern=core: no handler at crashes"},
    {"two processors",     false, find_processors,      "with one processor, the box and its runs share it"},
};
/* clang-format on */

size_t box_doctor(struct box_requirement *rows, size_t max) {
    size_t count = sizeof(doctor_rows) / sizeof(doctor_rows[0]);
    for (size_t i = 0; i < count && i < max; i++) {
        const struct doctor_row *from = &doctor_rows[i];
        struct box_requirement *row = &rows[i];
        *row = (struct box_requirement){.needed = from->needed};
        snprintf(row->name, sizeof(row->name), "%s", from->name);
        snprintf(row->remedy, sizeof(row->remedy), "%s", from->remedy);
        row->found = from->find(row->detail, sizeof(row->detail));
    }
    return count;
}

bool doctor_check(struct err *err) {
    for (size_t i = 0; i < sizeof(doctor_rows) / sizeof(doctor_rows[0]); i++) {
        const struct doctor_row *row = &doctor_rows[i];
        char detail[160] = "";
        if (row->needed && !row->find(detail, sizeof(detail))) {
            return err_set(err, ERR_SYSTEM, message_codes[CODE_UNAVAILABLE],
                           "%s is missing (%s): %s", row->name, detail, row->remedy);
        }
    }
    return true;
}
