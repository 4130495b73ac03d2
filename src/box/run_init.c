/* Pid 1 of a run. Shares the launcher's memory: see launch.h, rule 1. memset and memcpy, which the
 * compiler may call, keep nothing. */
#include "base/raw.h"
#include "box/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/openat2.h>
#include <linux/sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define COPY_BYTES (1 << 20)

static void send_report(const struct launch_record *record, struct launch_report *report,
                        const int *fds, size_t fd_count) {
    report->record = record->order.record;
    raw_send(record->fds[0], report, sizeof(*report), fds, fd_count);
}

static void need(const struct launch_record *record, enum launch_stage stage, long answer) {
    if (answer >= 0) {
        return;
    }
    struct launch_report report = {.kind = RUN_FAILED,
                                   .stage = stage,
                                   .os_errno = (int32_t)-answer,
                                   .exit_code = -1,
                                   .exit_ns = raw_now_ns()};
    send_report(record, &report, NULL, 0);
    for (;;) {
        raw1(SYS_exit_group, 1);
    }
}

/* Makes the folders that a name like "a/b/c" needs. The name is plain: message_check. */
static void make_folders(const struct launch_record *record, char *name) {
    for (char *slash = name; *slash != '\0'; slash++) {
        if (*slash == '/') {
            *slash = '\0';
            long made = raw2(SYS_mkdir, name, 0755);
            need(record, STAGE_FILES, made == -EEXIST ? 0 : made);
            need(record, STAGE_FILES, made < 0 ? 0 : raw3(SYS_chown, name, LAUNCH_UID, LAUNCH_UID));
            *slash = '/';
        }
    }
}

static void place_file(struct launch_record *record, uint32_t number) {
    unsigned bits = record->order.start.file_bits[number];
    char *name = (char *)(uintptr_t)record->names[number]; /* in the record's own block */
    int place = record->order.places[number];
    char kept[] = LAUNCH_STORE_READ "/0";
    make_folders(record, name);
    long out = raw3(SYS_open, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
    need(record, STAGE_FILES, out);
    int64_t at = 0; /* the reader's own offset, which others share, does not move */
    for (long copied = 1; place < 0 && copied > 0;) {
        copied = raw4(SYS_sendfile, out, record->fds[record->order.file_at + (int)number], &at,
                      COPY_BYTES);
        need(record, STAGE_FILES, copied);
    }
    if ((bits & FILE_WRITABLE) != 0) {
        need(record, STAGE_FILES, raw3(SYS_fchown, out, LAUNCH_UID, LAUNCH_UID));
    }
    int mode =
        ((bits & FILE_EXECUTABLE) != 0 ? 0555 : 0444) | ((bits & FILE_WRITABLE) != 0 ? 0200 : 0);
    need(record, STAGE_FILES, raw2(SYS_fchmod, out, mode));
    raw1(SYS_close, out); /* a file that is open to write is no program */
    if (place >= 0) {     /* the empty file is only a place to mount on */
        kept[sizeof(kept) - 2] = (char)('0' + place);
        need(record, STAGE_FILES, raw5(SYS_mount, kept, name, NULL, MS_BIND, NULL));
    }
}

/* subset=pid leaves nothing in /proc but the run's own processes; hidepid hides pid 1 too. */
static void mount_all(struct launch_record *record) {
    const long flags = MS_NOSUID | MS_NODEV;
    need(record, STAGE_MOUNT,
         raw5(SYS_mount, "proc", "/proc", "proc", flags | MS_RDONLY | MS_NOEXEC,
              "hidepid=invisible,subset=pid"));
    need(record, STAGE_MOUNT, raw5(SYS_mount, "work", "/w", "tmpfs", flags, record->work_options));
    need(record, STAGE_MOUNT, raw1(SYS_chdir, "/w"));
    for (uint32_t i = 0; i < record->order.start.file_count; i++) {
        place_file(record, i);
    }
    /* Last, because it covers the store. */
    need(record, STAGE_MOUNT, raw5(SYS_mount, "tmp", "/tmp", "tmpfs", flags, record->tmp_options));
}

/* The program as pid 2, which prepares itself while the mounts are made. */
static long clone_program(struct launch_record *record) {
    int leaf = record->order.leaf_at < 0 ? -1 : record->fds[record->order.leaf_at];
    struct clone_args args = {
        .flags = CLONE_VM | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID |
                 (leaf < 0 ? 0 : CLONE_INTO_CGROUP),
        .child_tid = (uintptr_t)&record->program,
        .exit_signal = SIGCHLD,
        .stack = (uintptr_t)record->program_stack,
        .stack_size = LAUNCH_STACK_BYTES,
        .cgroup = leaf < 0 ? 0 : (unsigned)leaf,
    };
    record->program = 2; /* whatever is not 0, before the kernel sets it */
    long pid = raw_clone(&args, sizeof(args), program_main, record);
    need(record, STAGE_CGROUP, pid);
    return pid;
}

/* Returns when the program has become the contestant's, or never will. */
static void start_program(struct launch_record *record) {
    __atomic_store_n(&record->mounted, 1, __ATOMIC_RELEASE);
    raw3(SYS_futex, &record->mounted, FUTEX_WAKE_PRIVATE, 1);
    for (int32_t is; (is = __atomic_load_n(&record->program, __ATOMIC_ACQUIRE)) != 0;) {
        raw4(SYS_futex, &record->program, FUTEX_WAIT, is, 0);
    }
    /* All but the control socket goes, or a pipe's reader would never see its end. */
    for (size_t i = 1; i < record->fd_count; i++) {
        raw1(SYS_close, record->fds[i]);
    }
    need(record, (enum launch_stage)record->stage, -record->os_errno);
}

/* The number of a child that has ended, 0 if none has yet (WNOHANG), or -errno. */
static long wait_any(int options, siginfo_t *ret_info) {
    *ret_info = (siginfo_t){0};
    long answer = raw5(SYS_waitid, P_ALL, 0, ret_info, options | WEXITED | __WALL, 0);
    return answer < 0 ? answer : ret_info->si_pid;
}

/* Ends and reaps what the program has left; how many of them were alive. */
static int32_t end_rest(void) {
    siginfo_t info;
    int32_t count = 0;
    while (wait_any(WNOHANG, &info) > 0) {
        continue; /* these were dead already */
    }
    for (;;) {
        raw2(SYS_kill, -1, SIGKILL);
        if (wait_any(0, &info) <= 0) {
            return count;
        }
        count++;
    }
}

static enum box_output_state take_output(const struct launch_record *record, const char *name,
                                         int *ret_fd) {
    struct open_how how = {
        .flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV,
    };
    struct stat stat = {0};
    long fd = raw4(SYS_openat2, AT_FDCWD, name, &how, sizeof(how));
    if (fd < 0) {
        return fd == -ENOENT ? BOX_OUTPUT_MISSING : BOX_OUTPUT_NOT_PLAIN;
    }
    *ret_fd = (int)fd;
    if (raw2(SYS_fstat, fd, &stat) == 0 && S_ISREG(stat.st_mode)) {
        if (stat.st_size <= record->order.start.output_file_bytes_max) {
            return BOX_OUTPUT_FILE;
        }
        raw1(SYS_close, fd);
        return BOX_OUTPUT_TOO_LARGE;
    }
    raw1(SYS_close, fd);
    return BOX_OUTPUT_NOT_PLAIN;
}

static void finish(const struct launch_record *record, struct launch_report *report) {
    int fds[BOX_FILES_MAX];
    size_t count = 0;
    report->kind = RUN_ENDED;
    report->leftovers = end_rest();
    for (uint32_t i = 0; i < record->order.start.output_count; i++) {
        const char *name = record->names[record->order.start.file_count + i];
        report->outputs[i] = (uint8_t)take_output(record, name, &fds[count]);
        count += report->outputs[i] == BOX_OUTPUT_FILE;
    }
    send_report(record, report, fds, count);
}

void run_init_main(void *argument) {
    struct launch_record *record = argument;
    struct raw_sigaction ordinary = {0}; /* the launcher ignores SIGCHLD; this process reaps */
    raw4(SYS_rt_sigaction, SIGCHLD, &ordinary, 0, sizeof(ordinary.mask));
    raw1(SYS_close, LAUNCH_SOCKET);
    long pid = clone_program(record);
    mount_all(record);
    int64_t mounted_ns = raw_now_ns();
    start_program(record);
    /* Where CPU time begins to be counted, wall time begins: but for waiting for the mounts. */
    int64_t waited_ns = mounted_ns > record->ready_ns ? mounted_ns - record->ready_ns : 0;
    struct launch_report report = {
        .kind = RUN_STARTED, .start_ns = record->began_ns + waited_ns, .exit_code = -1};
    send_report(record, &report, NULL, 0);
    siginfo_t info = {0};
    for (long ended = 0; ended != pid && ended != -ECHILD;) {
        ended = wait_any(0, &info); /* orphans come to pid 1 and are reaped on the way */
    }
    report.exit_ns = raw_now_ns();
    report.kind = RUN_EXITED;
    report.exit_code = info.si_code == CLD_EXITED ? info.si_status : -1;
    report.signal = info.si_code == CLD_EXITED ? 0 : info.si_status;
    send_report(record, &report, NULL, 0);
    finish(record, &report);
    for (;;) {
        raw1(SYS_exit_group, 0);
    }
}
