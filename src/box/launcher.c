/* The launcher: builds its namespaces once, then starts a run for each order. */
#include "base/check.h"
#include "base/raw.h"
#include "base/texts.h"
#include "box/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/sched.h>
#include <linux/securebits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
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
    if (!done) {
        struct err err = {0};
        (void)err_system(&err, message_codes[CODE_FAILED], "%s", what);
        fail(&err);
    }
}

/* Signals, priority and groups as a new process expects them, whatever assize was started with.
 * libc would not touch the two signals that it keeps for itself, so the kernel is asked. */
static void reset_process(void) {
    struct raw_sigaction action = {.handler = SIG_DFL};
    for (int number = 1; number < NSIG; number++) {
        raw4(SYS_rt_sigaction, number, &action, NULL, sizeof(action.mask));
    }
    action.handler = SIG_IGN; /* run-inits need no reaping */
    raw4(SYS_rt_sigaction, SIGCHLD, &action, NULL, sizeof(action.mask));
    raw4(SYS_rt_sigprocmask, SIG_SETMASK, &action.mask, NULL, sizeof(action.mask));
    umask(022);
    struct sched_param ordinary = {0};
    need(sched_setscheduler(0, SCHED_OTHER, &ordinary) == 0 && setpriority(PRIO_PROCESS, 0, 0) == 0,
         "give back the box's priority");
    need(setgroups(0, NULL) == 0, "leave the supplementary groups");
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

/* Bounding set, securebits and no_new_privs are inherited by everything a run starts. */
static void shed_for_good(void) {
    const unsigned long bits = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED |
                               SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED |
                               SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED;
    for (int capability = 0; capability <= CAP_LAST_CAP; capability++) {
        need(prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) == 0 || errno == EINVAL,
             "drop a capability from the bounding set");
    }
    need(prctl(PR_SET_SECUREBITS, bits, 0, 0, 0) == 0, "set the securebits");
    need(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "set no_new_privs");
}

/* 1. The root, as real root. 2. The user namespace and all that belongs to it; the supervisor maps
 * two ids. 3. Become user 0 of it, which outside is an id that nobody has. */
static void enter_namespaces(const char *const *roots) {
    struct err err = {0};
    char answer = 0;
    if (!root_build(roots, &err)) {
        fail(&err);
    }
    need(unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS) == 0,
         "unshare: is user.max_user_namespaces 0, or does a security module forbid it?");
    report(&(struct launch_report){.kind = LAUNCH_MAPS}, NULL, 0);
    if (recv(LAUNCH_SOCKET, &answer, 1, 0) != 1) {
        _exit(1);
    }
    need(setresgid(0, 0, 0) == 0 && setresuid(0, 0, 0) == 0, "become user 0 of the namespace");
    need(sethostname("box", 3) == 0, "set the host name");
    /* No user namespace below this one: a second lock, since the filter refuses them too. */
    own_fd namespaces = open("/proc/sys/user/max_user_namespaces", O_WRONLY | O_CLOEXEC);
    need(write(namespaces, "0", 1) == 1, "set user.max_user_namespaces to 0 inside");
    shed_for_good();
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
static int64_t at_most_ours(int resource, int64_t value) {
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
        int resource;
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
    snprintf(out, size, "size=%lld,nr_inodes=%d,mode=%s,uid=%d,gid=%d",
             (long long)limits->work_bytes, limits->work_inodes, mode, LAUNCH_UID, LAUNCH_UID);
}

static void fill_record(struct launch_record *record) {
    const struct message_start *start = &record->order.start;
    record->stage = record->os_errno = 0;
    record->filter = &box_filters[start->profile];
    texts_unpack(start->argv, start->argc, record->argv);
    texts_unpack(start->env, start->envc, record->env);
    tmpfs_options(record->work_options, sizeof(record->work_options), &start->limits, "0755");
    tmpfs_options(record->tmp_options, sizeof(record->tmp_options), &start->limits, "01777");
    set_limits(record);
}

static void launch(struct launch_record *record, int *fds, size_t fd_count) {
    memcpy(record->fds, fds, fd_count * sizeof(int));
    record->fd_count = fd_count;
    fill_record(record);
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
    reset_process();
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
