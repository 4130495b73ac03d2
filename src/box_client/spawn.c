/* assize-box as a child: its program, its rights, its first message. */
#include "box_client/spawn.h"

#include "base/cgroupfs.h"
#include "base/check.h"
#include "base/file.h"
#include "base/limits.h"
#include "box_client/cpus.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILD_FD 3 /* where assize-box expects its socket */
#define UNAVAILABLE message_codes[CODE_UNAVAILABLE]
#define LAUNCHER_RUNS 1000
#define CPU_WEIGHT 50
#define IDS_A_BOX (2 * BOX_SLOTS_MAX)
#define IDS_FIRST 2000000000u /* beyond what distributions, systemd and subuid files hand out */
#define IDS_REMEDY                                                                                 \
    "start as root, or: apt-get install uidmap; usermod --add-subuids 100000-165535 "              \
    "--add-subgids 100000-165535 USER"

/* assize-box lies beside this program unless the options say otherwise. */
static bool find_program(const struct box_options *options, char *out, size_t size,
                         struct err *err) {
    if (options->program != NULL) {
        snprintf(out, size, "%s", options->program);
        return true;
    }
    ssize_t length = readlink("/proc/self/exe", out, size - 1);
    if (length < 0 || (size_t)length + sizeof("assize-box") >= size) {
        return err_system(err, UNAVAILABLE, "find assize-box");
    }
    out[length] = '\0';
    char *slash = strrchr(out, '/');
    CHECK(slash != NULL);
    snprintf(slash + 1, size - (size_t)(slash + 1 - out), "assize-box");
    return true;
}

static bool spawn_as_root(const char *path, int socket, pid_t *ret_pid, struct err *err) {
    char *argv[] = {(char[]){"assize-box"}, NULL};
    char *environment[] = {NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, socket, CHILD_FD);
    errno = posix_spawn(ret_pid, path, &actions, NULL, argv, environment);
    posix_spawn_file_actions_destroy(&actions);
    return errno == 0 ? true : err_system(err, UNAVAILABLE, "start %s", path);
}

/* ---- without root ---- */

/* "NAME-OR-NUMBER:FIRST:COUNT", a line each. */
static bool find_ids(struct str text, struct str name, struct str number, int64_t *ret_first,
                     int64_t *ret_count) {
    struct str line = STR("");
    while (str_next_line(&text, &line)) {
        struct str owner = STR("");
        struct str first = STR("");
        struct err err = {0};
        if (str_cut(line, ':', &owner, &line) && str_cut(line, ':', &first, &line) &&
            (str_eq(owner, name) || str_eq(owner, number)) &&
            str_to_i64(first, 1, UINT32_MAX, ret_first, &err) &&
            str_to_i64(line, IDS_A_BOX, UINT32_MAX, ret_count, &err)) {
            return true;
        }
    }
    return false;
}

bool spawn_ids(char kind, int64_t *ret_first, int64_t *ret_count, struct err *err) {
    char path[] = "/etc/sub?id";
    char tool[] = "/usr/bin/new?idmap";
    char number[24];
    own_buf text;
    buf_init(&text, MIB);
    const struct passwd *entry = getpwuid(geteuid());
    *strchr(path, '?') = kind;
    *strchr(tool, '?') = kind;
    snprintf(number, sizeof(number), "%u", geteuid());
    if (access(tool, X_OK) != 0) {
        return err_set(err, ERR_SYSTEM, UNAVAILABLE, "%s is missing: " IDS_REMEDY, tool);
    }
    return (file_load(path, MIB, &text, err) &&
            find_ids(buf_str(&text), str_from(entry == NULL ? number : entry->pw_name),
                     str_from(number), ret_first, ret_count)) ||
           err_set(err, ERR_SYSTEM, UNAVAILABLE,
                   "user %s has no range of %d ids in %s: " IDS_REMEDY, number, IDS_A_BOX, path);
}

/* In the box's namespace, 0 is this user and 1 to IDS_A_BOX are subordinate ids, which no other box
 * of this user has at the same time, as long as there are enough of them. */
static bool map_ids(pid_t pid, char kind, unsigned own_id, struct err *err) {
    char tool[] = "/usr/bin/new?idmap";
    char texts[4][24];
    char *environment[] = {NULL};
    int64_t first = 0;
    int64_t count = 0;
    int status = -1;
    pid_t child = 0;
    if (!spawn_ids(kind, &first, &count, err)) {
        return false;
    }
    *strchr(tool, '?') = kind;
    first += pid % (count / IDS_A_BOX) * IDS_A_BOX;
    snprintf(texts[0], sizeof(texts[0]), "%d", (int)pid);
    snprintf(texts[1], sizeof(texts[1]), "%u", own_id);
    snprintf(texts[2], sizeof(texts[2]), "%lld", (long long)first);
    snprintf(texts[3], sizeof(texts[3]), "%d", IDS_A_BOX);
    char *argv[] = {tool,          texts[0], (char[]){"0"}, texts[1], (char[]){"1"},
                    (char[]){"1"}, texts[2], texts[3],      NULL};
    errno = posix_spawn(&child, tool, NULL, NULL, argv, environment);
    if (errno != 0 || waitpid(child, &status, 0) != child || status != 0) {
        return err_set(err, ERR_SYSTEM, UNAVAILABLE, "%s refuses: " IDS_REMEDY, tool);
    }
    return true;
}

/* Between fork and execve only system calls, as everywhere: the parent may have threads. */
_Noreturn static void become_box(const char *path, int socket, int sync) {
    char *argv[] = {(char[]){"assize-box"}, NULL};
    char *environment[] = {NULL};
    char byte = 0;
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 && write(sync, "u", 1) == 1 &&
        read(sync, &byte, 1) == 1 && dup2(socket, CHILD_FD) == CHILD_FD) {
        execve(path, argv, environment);
    }
    _exit(1);
}

static bool spawn_rootless(const char *path, int socket, pid_t *ret_pid, struct err *err) {
    int pair[2];
    char byte = 0;
    if (access(path, X_OK) != 0) { /* asked first: the child could not tell */
        return err_system(err, UNAVAILABLE, "start %s", path);
    }
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
        return err_system(err, UNAVAILABLE, "make a socket pair");
    }
    *ret_pid = fork();
    if (*ret_pid == 0) {
        become_box(path, socket, pair[1]);
    }
    fds_close(&pair[1], 1);
    bool made =
        read(pair[0], &byte, 1) == 1 ||
        err_set(err, ERR_SYSTEM, UNAVAILABLE,
                "no user namespace for this user: sysctl kernel.unprivileged_userns_clone=1 "
                "(and kernel.apparmor_restrict_unprivileged_userns=0), or start as root");
    made = made && map_ids(*ret_pid, 'u', geteuid(), err) &&
           map_ids(*ret_pid, 'g', getegid(), err) && write(pair[0], "g", 1) == 1;
    fds_close(&pair[0], 1);
    return made;
}

bool spawn_box(const struct box_options *options, int socket, pid_t *ret_pid, struct err *err) {
    char path[PATH_MAX];
    return find_program(options, path, sizeof(path), err) &&
           (geteuid() == 0 ? spawn_as_root(path, socket, ret_pid, err)
                           : spawn_rootless(path, socket, ret_pid, err));
}

/* ---- the first message ---- */

/* What a run may ask for; the options add to it. */
static const char *const built_in_roots[] = {
    "/usr",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/bin",
    "/sbin",
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/etc/java-17-openjdk",
    "/etc/mono",
    "/var/lib/ghc",
    NULL,
};

static bool add_roots(const char *const *roots, struct box_setup *setup, struct err *err) {
    for (size_t i = 0; roots != NULL && roots[i] != NULL; i++) {
        size_t length = strlen(roots[i]);
        if (setup->root_count == SETUP_ROOTS_MAX || length >= sizeof(setup->roots[0])) {
            return err_set(err, ERR_INVALID, message_codes[CODE_BAD_RUN],
                           "too many roots, or too long a name");
        }
        memcpy(setup->roots[setup->root_count++], roots[i], length);
    }
    return true;
}

/* Different for every box of the machine that lives at the same time. */
static uint32_t first_id(void) {
    return geteuid() != 0 ? 1 : IDS_FIRST + ((unsigned)getpid() & 0xfffffu) * IDS_A_BOX;
}

bool spawn_setup(const struct box_options *options, struct box_setup *ret_setup, struct err *err) {
    *ret_setup = (struct box_setup){
        .magic = MESSAGE_MAGIC,
        .slots = options->slots,
        .launcher_runs = options->launcher_runs == 0 ? LAUNCHER_RUNS : options->launcher_runs,
        .first_id = first_id(),
        .pinned = options->pin,
        .caps = {.memory_bytes = options->memory_bytes,
                 .pids_max = options->pids_max,
                 .cpu_weight = options->cpu_weight},
    };
    if (options->cpu_weight == 0 && cgroupfs_is("/sys/fs/cgroup", true)) {
        ret_setup->caps.cpu_weight = CPU_WEIGHT;
    }
    if (options->slots < 1 || options->slots > BOX_SLOTS_MAX) {
        return err_set(err, ERR_INVALID, message_codes[CODE_BAD_SLOT],
                       "the box has 1 to %d slots, not %d", BOX_SLOTS_MAX, options->slots);
    }
    const char *name = options->cgroup_name == NULL ? "assize" : options->cgroup_name;
    if (strlen(name) > 60 || name[0] == '.') {
        return err_set(err, ERR_INVALID, message_codes[CODE_BAD_SLOT],
                       "the name of the cgroup must be a plain name of at most 60 bytes");
    }
    memcpy(ret_setup->cgroup, name, strlen(name) + 1);
    if (!add_roots(built_in_roots, ret_setup, err) ||
        !add_roots(options->allowed_roots, ret_setup, err) ||
        (options->pin && !cpus_choose(options, ret_setup->cpus, err))) {
        return false;
    }
    return message_setup_is_right(ret_setup) ||
           err_set(err, ERR_INVALID, message_codes[CODE_BAD_SLOT],
                   "an option of the box is out of its range, or its cgroup has no plain name");
}
