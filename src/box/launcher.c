/* The launcher: builds its namespaces once, then starts a run for each order. */
#include "base/check.h"
#include "box/launch.h"
#include "box/raw.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define GUARD_BYTES 4096
#define FAILED message_code_name(CODE_FAILED)

struct launcher {
    const struct filter *filters;
    struct launch_record *records; /* BOX_RUNS_MAX */
    struct launch_order order;     /* as it arrives */
};

/* Where the streams begin among a record's descriptors. */
static int stream_place(const struct launch_record *record, int number) {
    bool in = record->order.start.streams[0].kind != BOX_STREAM_NULL;
    return number == 0 ? (in ? 1 : -1) : (in ? 1 : 0) + number;
}

static int place_cgroup(const struct launch_record *record) {
    return stream_place(record, 2) + 1;
}

int launch_fd_control(const struct launch_record *record) {
    return record->fds[0];
}

int launch_fd_stream(const struct launch_record *record, int number) {
    int place = stream_place(record, number);
    return place < 0 ? -1 : record->fds[place];
}

int launch_fd_cgroup(const struct launch_record *record) {
    return record->order.into_cgroup == 0 ? -1 : record->fds[place_cgroup(record)];
}

int launch_fd_join(const struct launch_record *record, uint32_t number) {
    return record->fds[(uint32_t)place_cgroup(record) + record->order.into_cgroup + number];
}

int launch_fd_file(const struct launch_record *record, uint32_t number) {
    return launch_fd_join(record, record->order.join_count + number);
}

static size_t order_fds(const struct launch_record *record) {
    return (size_t)place_cgroup(record) + record->order.into_cgroup + record->order.join_count +
           record->order.start.file_count;
}

_Noreturn static void end(void) {
    _exit(1);
}

static void report(const struct launch_report *report, const int *fds, size_t fd_count) {
    struct err err = {0};
    if (!message_send(LAUNCH_SOCKET, report, sizeof(*report), fds, fd_count, &err)) {
        end(); /* the supervisor is gone */
    }
}

_Noreturn static void fail(const struct err *err) {
    struct launch_report failed = {.kind = LAUNCH_FAILED, .os_errno = err->os_errno};
    snprintf(failed.text, sizeof(failed.text), "%s", err->text);
    report(&failed, NULL, 0);
    end();
}

static void need(bool done, const char *what) {
    if (!done) {
        struct err err = {0};
        (void)err_system(&err, FAILED, "%s", what);
        fail(&err);
    }
}

/* Signals as a new process expects them, whatever assize was started with. libc would not touch the
 * two that it keeps for itself, so the kernel is asked. */
static void reset_process(void) {
    struct raw_sigaction action = {.handler = SIG_DFL};
    for (int number = 1; number < NSIG; number++) {
        raw4(SYS_rt_sigaction, number, &action, NULL, sizeof(action.mask));
    }
    action.handler = SIG_IGN;
    raw4(SYS_rt_sigaction, SIGCHLD, &action, NULL,
         sizeof(action.mask)); /* nobody reaps run-inits */
    raw4(SYS_rt_sigprocmask, SIG_SETMASK, &action.mask, NULL, sizeof(action.mask));
    umask(022);
    struct sched_param ordinary = {0};
    need(sched_setscheduler(0, SCHED_OTHER, &ordinary) == 0 && setpriority(PRIO_PROCESS, 0, 0) == 0,
         "give back the box's priority");
    need(setgroups(0, NULL) == 0, "leave the supplementary groups");
}

static void set_descriptors(int socket) {
    own_fd null = open("/dev/null", O_RDWR | O_CLOEXEC);
    need(null >= 0, "open /dev/null");
    int copy = fcntl(socket, F_DUPFD_CLOEXEC, LAUNCH_SOCKET + 1);
    need(copy >= 0 && dup3(copy, LAUNCH_SOCKET, O_CLOEXEC) == LAUNCH_SOCKET,
         "place the launcher's socket");
    for (int fd = 0; fd < LAUNCH_SOCKET; fd++) {
        need(dup2(null, fd) == fd, "place /dev/null");
    }
    need(close_range(LAUNCH_SOCKET + 1, ~0u, 0) == 0, "close what the supervisor has open");
    (void)take_fd(&null);
}

/* Bounding set, securebits and no_new_privs are inherited by everything a run starts. */
static void shed_for_good(void) {
    for (int capability = 0; capability <= CAP_LAST_CAP; capability++) {
        need(prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) == 0 || errno == EINVAL,
             "drop a capability from the bounding set");
    }
    need(prctl(PR_SET_SECUREBITS,
               SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP_LOCKED |
                   SECBIT_KEEP_CAPS_LOCKED | SECBIT_NO_CAP_AMBIENT_RAISE |
                   SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED,
               0, 0, 0) == 0,
         "set the securebits");
    need(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "set no_new_privs");
}

/* Below this user namespace there shall be no other. A second lock: the filter refuses too. */
static void forbid_user_namespaces(void) {
    own_fd fd = open("/proc/sys/user/max_user_namespaces", O_WRONLY | O_CLOEXEC);
    need(fd >= 0 && write(fd, "0", 1) == 1, "set user.max_user_namespaces to 0 inside");
}

/* 1. The root, as real root. 2. The user namespace and all that belongs to it; the supervisor maps
 * two ids. 3. Become user 0 of it, which outside is an id that nobody has. */
static void enter_namespaces(const struct launcher_setup *setup) {
    struct err err = {0};
    if (!root_build(setup->roots, &err)) {
        fail(&err);
    }
    need(unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS) == 0,
         "unshare: is user.max_user_namespaces 0, or does a security module forbid it?");
    struct launch_report maps = {.kind = LAUNCH_MAPS};
    report(&maps, NULL, 0);
    char answer = 0;
    if (recv(LAUNCH_SOCKET, &answer, 1, 0) != 1) {
        end();
    }
    need(setresgid(0, 0, 0) == 0 && setresuid(0, 0, 0) == 0, "become user 0 of the namespace");
    need(sethostname("box", 3) == 0, "set the host name");
    forbid_user_namespaces();
    shed_for_good();
    /* Cleared by the change of user, so set last; a parent that has ended shows on the socket. */
    need(prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0, "bind the launcher's life to its parent");
}

static char *make_stack(void) {
    size_t bytes = LAUNCH_STACK_BYTES + GUARD_BYTES;
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    need(memory != MAP_FAILED && mprotect(memory, GUARD_BYTES, PROT_NONE) == 0, "map a stack");
    return memory + GUARD_BYTES;
}

static void make_records(struct launcher *launcher) {
    size_t bytes = sizeof(struct launch_record) * BOX_RUNS_MAX;
    launcher->records =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    need(launcher->records != MAP_FAILED, "map the records");
    for (int i = 0; i < BOX_RUNS_MAX; i++) {
        launcher->records[i].init_stack = make_stack();
        launcher->records[i].program_stack = make_stack();
    }
}

static void set_limit(struct launch_record *record, int resource, int64_t value) {
    record->limits[resource] = (struct rlimit){(rlim_t)value, (rlim_t)value};
    record->limits_set |= 1u << resource;
}

/* What the cgroup cannot bound. Of a core even 0 would be handed to a piped core handler of the
 * host; 1 is too little for a file and means "none" to a pipe, and the filter keeps it at 1. */
static void set_limits(struct launch_record *record) {
    const struct box_limits *limits = &record->order.start.limits;
    record->limits_set = 0;
    set_limit(record, RLIMIT_CORE, 1);
    set_limit(record, RLIMIT_CPU, limits->cpu_ms / 1000 + 3); /* only should the box itself sleep */
    set_limit(record, RLIMIT_FSIZE, limits->file_bytes);
    set_limit(record, RLIMIT_STACK,
              limits->stack_bytes > 0 ? limits->stack_bytes : limits->memory_bytes);
    set_limit(record, RLIMIT_NOFILE, limits->open_files_max);
    set_limit(record, RLIMIT_MEMLOCK, 0);
    set_limit(record, RLIMIT_MSGQUEUE, 0);
    set_limit(record, RLIMIT_SIGPENDING, 4096);
    set_limit(record, RLIMIT_NICE, 0);
    set_limit(record, RLIMIT_RTPRIO, 0);
}

static void fill_record(const struct launcher *launcher, struct launch_record *record) {
    const struct message_start *start = &record->order.start;
    record->stage = 0;
    record->os_errno = 0;
    record->filter = &launcher->filters[start->profile];
    message_unpack(start->argv, start->argc, record->argv);
    message_unpack(start->env, start->envc, record->env);
    snprintf(record->work_options, sizeof(record->work_options),
             "size=%lld,nr_inodes=%d,mode=0755,uid=%d,gid=%d", (long long)start->limits.work_bytes,
             start->limits.work_inodes, LAUNCH_UID, LAUNCH_UID);
    snprintf(record->tmp_options, sizeof(record->tmp_options),
             "size=%lld,nr_inodes=%d,mode=01777,uid=%d,gid=%d", (long long)start->limits.work_bytes,
             start->limits.work_inodes, LAUNCH_UID, LAUNCH_UID);
    set_limits(record);
}

static long clone_run_init(struct launch_record *record, int *ret_pidfd) {
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
    *ret_pidfd = pidfd;
    return pid;
}

static void launch(struct launcher *launcher, int *fds, size_t fd_count) {
    struct launch_report answer = {.kind = LAUNCH_REFUSED, .record = launcher->order.record};
    int pidfd = -1;
    CHECK(launcher->order.record < BOX_RUNS_MAX);
    struct launch_record *record = &launcher->records[launcher->order.record];
    CHECK(__atomic_load_n(&record->tid, __ATOMIC_ACQUIRE) == 0); /* its last run-init is gone */
    record->order = launcher->order;
    memcpy(record->fds, fds, fd_count * sizeof(int));
    record->fd_count = fd_count;
    CHECK(fd_count == order_fds(record));
    fill_record(launcher, record);
    long pid = clone_run_init(record, &pidfd);
    if (pid < 0) {
        answer.stage = STAGE_CLONE;
        answer.os_errno = (int32_t)-pid;
        report(&answer, NULL, 0);
    } else {
        answer.kind = LAUNCH_CLONED;
        report(&answer, &pidfd, 1);
        close(pidfd);
    }
    message_close_fds(fds, fd_count);
}

_Noreturn void launcher_main(const struct launcher_setup *setup) {
    struct launcher launcher = {.filters = setup->filters};
    reset_process();
    set_descriptors(setup->socket);
    enter_namespaces(setup);
    make_records(&launcher);
    struct launch_report ready = {.kind = LAUNCH_READY};
    report(&ready, NULL, 0);
    for (;;) {
        int fds[LAUNCH_FDS_MAX];
        size_t fd_count = 0;
        if (message_receive(LAUNCH_SOCKET, &launcher.order, sizeof(launcher.order), fds,
                            LAUNCH_FDS_MAX, &fd_count) != MESSAGE_GOT) {
            end();
        }
        launch(&launcher, fds, fd_count);
    }
}
