/* The launcher: builds its namespaces once, then starts a run for each order. */
#include "base/check.h"
#include "base/process.h"
#include "base/raw.h"
#include "base/texts.h"
#include "box/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define GUARD_BYTES 4096

static void report(const struct launch_report *report, const int *fds, size_t fd_count) {
    struct err err = {0};
    if (!packet_send(LAUNCH_SOCKET, report, sizeof(*report), fds, fd_count, &err)) {
        _exit(1); /* the supervisor is gone */
    }
}

_Noreturn static void fail(const struct err *err) {
    struct launch_report failed = {.kind = LAUNCH_FAILED};
    memcpy(failed.text, err->text, sizeof(failed.text));
    report(&failed, NULL, 0);
    _exit(1);
}

static void need(bool done, const char *what) {
    struct err err = {0};
    if (!done) {
        (void)err_system(&err, message_codes[CODE_FAILED], "%s", what);
        fail(&err);
    }
}

static void set_descriptors(int socket) {
    int copy = fcntl(socket, F_DUPFD_CLOEXEC, LAUNCH_SOCKET + 1);
    need(copy >= 0 && dup3(copy, LAUNCH_SOCKET, O_CLOEXEC) >= 0, "place the launcher's socket");
    need(close_range(LAUNCH_SOCKET + 1, ~0u, 0) == 0, "close what the supervisor has open");
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = 0; fd < LAUNCH_SOCKET; fd++) {
        need(dup2(null, fd) == fd, "open /dev/null");
    }
    close(null);
}

/* Each run mounts its own /w and /tmp over these two. */
static void make_store(void) {
    struct mount_attr attr = {.attr_set = MOUNT_ATTR_RDONLY};
    char options[64];
    snprintf(options, sizeof(options), "size=%d,nr_inodes=%d,mode=0700",
             LAUNCH_KEPT_MAX * BOX_KEPT_BYTES_MAX, 2 + LAUNCH_KEPT_MAX);
    need(mount("kept", LAUNCH_STORE_WRITE, "tmpfs", MS_NOSUID | MS_NODEV, options) == 0 &&
             mount(LAUNCH_STORE_WRITE, LAUNCH_STORE_READ, NULL, MS_BIND, NULL) == 0 &&
             mount_setattr(AT_FDCWD, LAUNCH_STORE_READ, 0, &attr, sizeof(attr)) == 0,
         "mount the store of kept files");
}

/* 1. The root, as real root. 2. The user namespace and all that belongs to it; the supervisor maps
 * two ids. 3. Become user 0 of it, which outside is an id that nobody has. */
static void enter_namespaces(const char *const *roots) {
    struct err err = {0};
    char answer = 0;
    if (!process_freshen(&err) || !root_build(roots, &err)) {
        fail(&err);
    }
    (void)sigaction(SIGCHLD, &(struct sigaction){.sa_handler = SIG_IGN}, NULL); /* no zombies */
    need(unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS) == 0,
         "unshare: is user.max_user_namespaces 0, or does a security module forbid it?");
    report(&(struct launch_report){.kind = LAUNCH_MAPS}, NULL, 0);
    if (recv(LAUNCH_SOCKET, &answer, 1, 0) != 1) {
        _exit(1);
    }
    need(setresgid(0, 0, 0) == 0 && setresuid(0, 0, 0) == 0, "become user 0 of the namespace");
    need(sethostname("box", 3) == 0, "set the host name");
    make_store();
    /* No user namespace below this one: a second lock, since the filter refuses them too. */
    own_fd namespaces = open("/proc/sys/user/max_user_namespaces", O_WRONLY | O_CLOEXEC);
    need(write(namespaces, "0", 1) == 1, "set user.max_user_namespaces to 0 inside");
    if (!process_lock_rights(&err)) {
        fail(&err);
    }
    /* Cleared by the change of user, so set last; a parent that has ended shows on the socket. */
    need(prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0, "bind the launcher's life to its parent");
}

/* The lowest page of each stack is taken away, so that an overflow ends the process. */
static struct launch_record *make_records(void) {
    struct launch_record *records =
        mmap(NULL, sizeof(struct launch_record) * BOX_RUNS_MAX, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    need(records != MAP_FAILED, "map the records");
    for (int i = 0; i < BOX_RUNS_MAX; i++) {
        need(mprotect(records[i].init_stack, GUARD_BYTES, PROT_NONE) == 0 &&
                 mprotect(records[i].program_stack, GUARD_BYTES, PROT_NONE) == 0,
             "guard the stacks");
    }
    return records;
}

/* Where this process may have less, so may the run: to raise a hard limit can be forbidden. */
static int64_t at_most_ours(enum __rlimit_resource resource, int64_t value) {
    struct rlimit ours = {0};
    bool less = getrlimit(resource, &ours) == 0 && ours.rlim_max < (rlim_t)value;
    return less ? (int64_t)ours.rlim_max : value;
}

/* What the cgroup cannot bound. Of a core even 0 would be handed to a piped core handler of the
 * host; 1 is too little for a file and means "none" to a pipe, and the filter keeps it at 1. CPU is
 * only for the case that the box itself should sleep. */
static void set_limits(struct launch_record *record) {
    const struct box_limits *limits = &record->order.start.limits;
    const struct {
        enum __rlimit_resource resource;
        int64_t value;
    } rows[] = {
        {RLIMIT_CORE, at_most_ours(RLIMIT_CORE, 1)},
        {RLIMIT_CPU, limits->cpu_ms / 1000 + 3},
        {RLIMIT_FSIZE, limits->file_bytes},
        {RLIMIT_STACK, limits->stack_bytes > 0 ? limits->stack_bytes : limits->memory_bytes},
        {RLIMIT_NOFILE, limits->open_files_max},
        {RLIMIT_SIGPENDING, at_most_ours(RLIMIT_SIGPENDING, 4096)},
        {RLIMIT_MEMLOCK, 0},
        {RLIMIT_MSGQUEUE, 0},
        {RLIMIT_NICE, 0},
        {RLIMIT_RTPRIO, 0},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        record->limits[rows[i].resource] =
            (struct rlimit){(rlim_t)rows[i].value, (rlim_t)rows[i].value};
        record->limits_set |= 1u << rows[i].resource;
    }
}

static void tmpfs_options(char *out, size_t size, const struct box_limits *limits,
                          const char *mode) {
    snprintf(out, size, "size=%lld,nr_inodes=%lld,mode=%s,uid=%d,gid=%d",
             (long long)limits->work_bytes, (long long)limits->work_inodes, mode, LAUNCH_UID,
             LAUNCH_UID);
}

static void fill_record(struct launch_record *record) {
    const struct message_start *start = &record->order.start;
    record->stage = record->os_errno = record->mounted = 0;
    record->filter = &box_filters[start->profile];
    texts_unpack(start->argv, start->argc, record->argv);
    texts_unpack(start->env, start->envc, record->env);
    texts_unpack(start->names, start->file_count + start->output_count, record->names);
    tmpfs_options(record->work_options, sizeof(record->work_options), &start->limits, "0755");
    tmpfs_options(record->tmp_options, sizeof(record->tmp_options), &start->limits, "01777");
    set_limits(record);
}

/* A run that still has the old file of this place bound keeps it. */
static void put_kept(int place, int from, mode_t mode) {
    char path[] = LAUNCH_STORE_WRITE "/0";
    off_t at = 0;
    ssize_t copied = 1;
    path[sizeof(path) - 2] = (char)('0' + place);
    need(unlink(path) == 0 || errno == ENOENT, "clear a place of the store");
    int to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    while (copied > 0) {
        copied = sendfile(to, from, &at, BOX_KEPT_BYTES_MAX);
    }
    need(to >= 0 && copied == 0 && fchmod(to, mode) == 0, "fill a place of the store");
    close(to); /* before the program starts: a file that is open to write is no program */
}

static void put_all_kept(const struct launch_record *record) {
    const struct launch_order *order = &record->order;
    for (uint32_t i = 0; i < order->start.file_count; i++) {
        if (order->places[i] >= 0 && order->put_first[i]) {
            bool executable = (order->start.file_bits[i] & FILE_EXECUTABLE) != 0;
            put_kept(order->places[i], record->fds[order->file_at + (int)i],
                     executable ? 0555 : 0444);
        }
    }
}

static void launch(struct launch_record *record, int *fds, size_t fd_count) {
    memcpy(record->fds, fds, fd_count * sizeof(int));
    record->fd_count = fd_count;
    fill_record(record);
    put_all_kept(record);
    int pidfd = -1;
    struct clone_args args = {
        .flags = CLONE_VM | CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC | CLONE_PIDFD |
                 CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID,
        .pidfd = (uintptr_t)&pidfd,
        .child_tid = (uintptr_t)&record->tid,
        .exit_signal = SIGCHLD,
        .stack = (uintptr_t)record->init_stack,
        .stack_size = LAUNCH_STACK_BYTES,
    };
    long pid = raw_clone(&args, sizeof(args), run_init_main, record);
    errno = pid < 0 ? (int)-pid : 0;
    need(pid > 0, "clone the first process of a run");
    struct launch_report cloned = {.kind = LAUNCH_CLONED, .record = record->order.record};
    report(&cloned, &pidfd, 1);
    close(pidfd);
    fds_close(fds, fd_count);
}

_Noreturn void launcher_main(int socket, const char *const *roots) {
    static struct launch_order order;
    int fds[LAUNCH_FDS_MAX];
    size_t fd_count = 0;
    set_descriptors(socket);
    enter_namespaces(roots);
    struct launch_record *records = make_records();
    report(&(struct launch_report){.kind = LAUNCH_READY}, NULL, 0);
    while (packet_receive(LAUNCH_SOCKET, &order, sizeof(order), fds, LAUNCH_FDS_MAX, &fd_count) ==
           PACKET_GOT) {
        CHECK(order.record < BOX_RUNS_MAX);
        struct launch_record *record = &records[order.record];
        CHECK(__atomic_load_n(&record->tid, __ATOMIC_ACQUIRE) == 0); /* its last run-init is gone */
        record->order = order;
        launch(record, fds, fd_count);
    }
    _exit(1);
}
