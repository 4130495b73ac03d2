/* Pid 1 of a run. Shares the launcher's memory: see launch.h, rule 1. */
#include "box/launch.h"
#include "box/raw.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#define COPY_BYTES                                                                                 \
    (1 << 20) /* at most this much between two looks at the clock of the scheduler                 \
               */

/* memset and memcpy may be called: they keep nothing. */
struct wait_result {
    long pid;
    siginfo_t info;
};

static int64_t now_ns(void) {
    struct timespec now = {0};
    raw2(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

_Noreturn static void end(int code) {
    for (;;) {
        raw1(SYS_exit_group, code);
    }
}

static void send_report(const struct launch_record *record, struct launch_report *report,
                        const int *fds, size_t fd_count) {
    union {
        char bytes[CMSG_SPACE(sizeof(int) * BOX_FILES_MAX)];
        struct cmsghdr align;
    } control;
    struct iovec iov = {.iov_base = report, .iov_len = sizeof(*report)};
    struct msghdr header = {.msg_iov = &iov, .msg_iovlen = 1};
    report->record = record->order.record;
    if (fd_count > 0) {
        header.msg_control = control.bytes;
        header.msg_controllen = CMSG_SPACE(sizeof(int) * fd_count);
        control.align.cmsg_level = SOL_SOCKET;
        control.align.cmsg_type = SCM_RIGHTS;
        control.align.cmsg_len = CMSG_LEN(sizeof(int) * fd_count);
        __builtin_memcpy(CMSG_DATA(&control.align), fds, sizeof(int) * fd_count);
    }
    raw3(SYS_sendmsg, launch_fd_control(record), &header, MSG_NOSIGNAL);
}

_Noreturn static void fail(const struct launch_record *record, enum launch_stage stage,
                           long answer) {
    struct launch_report report = {
        .kind = RUN_FAILED, .stage = stage, .os_errno = (int32_t)-answer, .exit_ns = now_ns()};
    send_report(record, &report, NULL, 0);
    end(1);
}

static void need(const struct launch_record *record, enum launch_stage stage, long answer) {
    if (answer < 0) {
        fail(record, stage, answer);
    }
}

/* subset=pid leaves nothing in /proc but the run's own processes; hidepid hides pid 1 too. */
static void mount_all(const struct launch_record *record) {
    need(record, STAGE_PROC,
         raw5(SYS_mount, "proc", "/proc", "proc", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC,
              "hidepid=invisible,subset=pid"));
    need(record, STAGE_WORK,
         raw5(SYS_mount, "work", "/w", "tmpfs", MS_NOSUID | MS_NODEV, record->work_options));
    need(record, STAGE_TMP,
         raw5(SYS_mount, "tmp", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, record->tmp_options));
    need(record, STAGE_WORK, raw1(SYS_chdir, "/w"));
}

/* Makes the folders that a name like "a/b/c" needs. The name is plain: message_check. */
static void make_folders(const struct launch_record *record, char *name) {
    for (char *slash = name; *slash != '\0'; slash++) {
        if (*slash != '/') {
            continue;
        }
        *slash = '\0';
        long made = raw2(SYS_mkdir, name, 0755);
        if (made < 0 && made != -EEXIST) {
            fail(record, STAGE_FILES, made);
        }
        if (made == 0) {
            need(record, STAGE_FILES, raw3(SYS_chown, name, LAUNCH_UID, LAUNCH_UID));
        }
        *slash = '/';
    }
}

static void place_file(struct launch_record *record, uint32_t number) {
    struct message_file *file = &record->order.start.files[number];
    make_folders(record, file->name);
    long out =
        raw3(SYS_open, file->name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    need(record, STAGE_FILES, out);
    int64_t at = 0; /* the reader's own offset, which others share, does not move */
    long copied = 1;
    while (copied > 0) {
        copied = raw4(SYS_sendfile, out, launch_fd_file(record, number), &at, COPY_BYTES);
        need(record, STAGE_FILES, copied);
    }
    if (file->writable) {
        need(record, STAGE_FILES, raw3(SYS_fchown, out, LAUNCH_UID, LAUNCH_UID));
    }
    int mode = (file->executable ? 0555 : 0444) | (file->writable ? 0200 : 0);
    need(record, STAGE_FILES, raw2(SYS_fchmod, out, mode));
    raw1(SYS_close, out);
}

/* Starts the program as pid 2 and returns when it has become the contestant's, or never will. */
static long start_program(struct launch_record *record) {
    int leaf = launch_fd_cgroup(record);
    struct clone_args args = {
        .flags = CLONE_VM | CLONE_VFORK | (leaf < 0 ? 0 : CLONE_INTO_CGROUP),
        .exit_signal = SIGCHLD,
        .stack = (uintptr_t)record->program_stack,
        .stack_size = LAUNCH_STACK_BYTES,
        .cgroup = leaf < 0 ? 0 : (unsigned)leaf,
    };
    long pid = raw_clone(&args, sizeof(args), program_main, record);
    if (pid < 0) {
        fail(record, STAGE_CGROUP, pid);
    }
    return pid;
}

static struct wait_result wait_any(int options) {
    struct wait_result result = {.pid = 0};
    long answer = raw5(SYS_waitid, P_ALL, 0, &result.info, options | WEXITED | __WALL, NULL);
    result.pid = answer < 0 ? answer : result.info.si_pid;
    return result;
}

/* Orphans come to pid 1; they are reaped on the way. */
static siginfo_t wait_program(long pid) {
    struct wait_result result = {.pid = 0};
    do {
        result = wait_any(0);
    } while (result.pid != pid && result.pid != -ECHILD);
    return result.info;
}

static int32_t end_rest(void) {
    int32_t count = 0;
    while (wait_any(WNOHANG).pid > 0) {
        continue; /* these were dead already */
    }
    raw2(SYS_kill, -1, SIGKILL);
    while (wait_any(0).pid > 0) {
        count++;
        raw2(SYS_kill, -1, SIGKILL);
    }
    return count;
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
    enum box_output_state state = BOX_OUTPUT_FILE;
    if (raw2(SYS_fstat, fd, &stat) < 0 || !S_ISREG(stat.st_mode)) {
        state = BOX_OUTPUT_NOT_PLAIN;
    } else if (stat.st_size > record->order.start.output_file_bytes_max) {
        state = BOX_OUTPUT_TOO_LARGE;
    }
    if (state != BOX_OUTPUT_FILE) {
        raw1(SYS_close, fd);
        return state;
    }
    *ret_fd = (int)fd;
    return state;
}

static void finish(const struct launch_record *record, struct launch_report *report) {
    int fds[BOX_FILES_MAX];
    size_t count = 0;
    report->kind = RUN_ENDED;
    report->leftovers = end_rest();
    for (uint32_t i = 0; i < record->order.start.output_count; i++) {
        enum box_output_state state =
            take_output(record, record->order.start.outputs[i], &fds[count]);
        report->outputs[i] = (uint8_t)state;
        count += state == BOX_OUTPUT_FILE;
    }
    send_report(record, report, fds, count);
}

/* Everything but the control socket goes, or a pipe's reader would never see its end. */
static void close_rest(const struct launch_record *record) {
    for (size_t i = 1; i < record->fd_count; i++) {
        raw1(SYS_close, record->fds[i]);
    }
}

void run_init_main(void *argument) {
    struct launch_record *record = argument;
    /* The launcher ignores SIGCHLD, so that nobody must reap run-inits; we do reap. */
    struct raw_sigaction action = {0};
    raw4(SYS_rt_sigaction, SIGCHLD, &action, NULL, sizeof(action.mask));
    raw1(SYS_close, LAUNCH_SOCKET);
    mount_all(record);
    for (uint32_t i = 0; i < record->order.start.file_count; i++) {
        place_file(record, i);
    }
    struct launch_report report = {.kind = RUN_STARTED, .start_ns = now_ns(), .exit_code = -1};
    long pid = start_program(record);
    close_rest(record);
    if (record->os_errno != 0) {
        fail(record, (enum launch_stage)record->stage, -record->os_errno);
    }
    send_report(record, &report, NULL, 0);
    siginfo_t info = wait_program(pid);
    report.exit_ns = now_ns();
    report.kind = RUN_EXITED;
    if (info.si_code == CLD_EXITED) {
        report.exit_code = info.si_status;
    } else {
        report.signal = info.si_status;
    }
    send_report(record, &report, NULL, 0);
    finish(record, &report);
    end(0);
}
