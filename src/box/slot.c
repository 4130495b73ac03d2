/* Slots and their launchers. */
#include "box/supervisor.h"

#include "base/check.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define FAILED message_code_name(CODE_FAILED)
#define UID_FIRST 2000000000u /* beyond what distributions, systemd and subuid files hand out */
#define UIDS_A_BOX 128u
#define UIDS_A_SLOT 2u

bool slot_is_idle(const struct slot *slot) {
    for (int i = 0; i < BOX_RUNS_MAX; i++) {
        if (slot->runs[i].phase != RUN_FREE && !slot->runs[i].service) {
            return false;
        }
    }
    return true;
}

/* Different for every slot of every box that lives at the same time. */
static uid_t slot_uid(int number) {
    return UID_FIRST + ((unsigned)getpid() & 0xfffffu) * UIDS_A_BOX +
           (unsigned)number * UIDS_A_SLOT;
}

bool slot_open(struct supervisor *box, int number, struct err *err) {
    struct slot *slot = &box->slots[number];
    if (slot->state != SLOT_CLOSED) {
        return err_set(err, ERR_CONFLICT, message_code_name(CODE_BAD_SLOT),
                       "slot %d is open already", number);
    }
    memset(slot, 0, sizeof(*slot));
    slot->number = number;
    slot->uid_base = slot_uid(number);
    for (int i = 0; i < BOX_PIPES_MAX; i++) {
        slot->pipes[i] = (struct slot_pipe){.from = -1, .read_fd = -1, .write_fd = -1};
    }
    if (!cgroup_slot_open(&box->groups, number, slot->uid_base, &slot->cgroup, err)) {
        return err_wrap(err, "slot %d", number);
    }
    slot->state = SLOT_OPEN;
    return true;
}

static bool write_map(pid_t pid, const char *name, uid_t base, struct err *err) {
    char path[64];
    char text[64];
    snprintf(path, sizeof(path), "/proc/%ld/%s", (long)pid, name);
    snprintf(text, sizeof(text), "0 %u 1\n%d %u 1\n", base, LAUNCH_UID, base + 1);
    own_fd fd = open(path, O_WRONLY | O_CLOEXEC);
    ssize_t length = (ssize_t)strlen(text);
    return fd >= 0 && write(fd, text, (size_t)length) == length
               ? true
               : err_system(err, FAILED, "write %s", path);
}

static bool map_ids(const struct slot *slot, const struct launcher_handle *launcher,
                    struct err *err) {
    if (!cgroup_slot_enter(&slot->cgroup, launcher->pid, err) ||
        !write_map(launcher->pid, "uid_map", slot->uid_base, err) ||
        !write_map(launcher->pid, "gid_map", slot->uid_base, err)) {
        return false;
    }
    return send(launcher->socket, "", 1, MSG_NOSIGNAL) == 1
               ? true
               : err_system(err, FAILED, "answer the launcher");
}

/* The child must not use what the parent's epoll and sockets are: launcher_main closes them first
 * of all. */
static pid_t fork_launcher(struct supervisor *box, int socket, const char *const *roots,
                           int *ret_pidfd) {
    int pidfd = -1;
    struct clone_args args = {
        .flags = CLONE_NEWPID | CLONE_NEWNS | CLONE_PIDFD,
        .pidfd = (uintptr_t)&pidfd,
        .exit_signal = SIGCHLD,
    };
    long pid = syscall(SYS_clone3, &args, sizeof(args));
    if (pid == 0) {
        struct launcher_setup setup = {.socket = socket, .filters = box->filters, .roots = roots};
        launcher_main(&setup);
    }
    *ret_pidfd = pidfd;
    return (pid_t)pid;
}

static bool make_launcher(struct supervisor *box, struct slot *slot, int index,
                          const struct message_start *start, struct err *err) {
    struct launcher_handle *launcher = &slot->launchers[index];
    const char *roots[BOX_ROOTS_MAX + 1] = {NULL};
    int pair[2];
    *launcher = (struct launcher_handle){.used = true, .socket = -1, .pidfd = -1};
    memcpy(launcher->roots, start->roots, sizeof(launcher->roots));
    launcher->root_count = start->root_count;
    for (uint32_t i = 0; i < start->root_count; i++) {
        roots[i] = launcher->roots[i];
    }
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
        launcher->used = false;
        return err_system(err, FAILED, "make a socket pair");
    }
    own_fd theirs = pair[1];
    launcher->socket = pair[0];
    launcher->pid = fork_launcher(box, theirs, roots, &launcher->pidfd);
    if (launcher->pid < 0) {
        (void)err_system(err, FAILED, "start a launcher");
        slot_launcher_end(slot, index);
        return false;
    }
    if (!supervisor_watch(box, launcher->socket, EPOLLIN, SOURCE_LAUNCHER, slot->number, index, 0,
                          err)) {
        slot_launcher_end(slot, index);
        return false;
    }
    return true;
}

/* When this returns, the kernel has ended every run of the launcher too. */
static void kill_launcher(struct launcher_handle *launcher) {
    siginfo_t info = {0};
    if (launcher->pidfd < 0) {
        return;
    }
    (void)syscall(SYS_pidfd_send_signal, launcher->pidfd, SIGKILL, NULL, 0);
    while (waitid(P_PIDFD, (id_t)launcher->pidfd, &info, WEXITED) != 0 && errno == EINTR) {
    }
    fd_cleanup(&launcher->pidfd);
    launcher->pidfd = -1;
}

void slot_launcher_end(struct slot *slot, int index) {
    struct launcher_handle *launcher = &slot->launchers[index];
    kill_launcher(launcher);
    supervisor_close(&launcher->socket);
    *launcher = (struct launcher_handle){.socket = -1, .pidfd = -1};
}

void slot_launcher_left(struct slot *slot, int index) {
    struct launcher_handle *launcher = &slot->launchers[index];
    launcher->live--;
    CHECK(launcher->live >= 0);
    if (launcher->live == 0 && (launcher->broken || launcher->runs >= LAUNCHER_RUNS_MAX)) {
        slot_launcher_end(slot, index);
    }
}

static bool has_roots(const struct launcher_handle *launcher, const struct message_start *start) {
    if (!launcher->used || launcher->broken || launcher->root_count != start->root_count) {
        return false;
    }
    for (uint32_t i = 0; i < start->root_count; i++) {
        if (strcmp(launcher->roots[i], start->roots[i]) != 0) {
            return false;
        }
    }
    return true;
}

/* A place for a new launcher: an empty one, else that of the idle one used longest ago. */
static int free_place(struct slot *slot) {
    int oldest = -1;
    for (int i = 0; i < SLOT_LAUNCHERS_MAX; i++) {
        const struct launcher_handle *launcher = &slot->launchers[i];
        if (!launcher->used) {
            return i;
        }
        if (launcher->live == 0 &&
            (oldest < 0 || launcher->last_used < slot->launchers[oldest].last_used)) {
            oldest = i;
        }
    }
    if (oldest >= 0) {
        slot_launcher_end(slot, oldest);
    }
    return oldest;
}

int slot_launcher(struct supervisor *box, struct slot *slot, const struct message_start *start,
                  struct err *err) {
    int index = 0;
    while (index < SLOT_LAUNCHERS_MAX && !has_roots(&slot->launchers[index], start)) {
        index++;
    }
    if (index == SLOT_LAUNCHERS_MAX) {
        index = free_place(slot);
        if (index < 0) {
            (void)err_set(err, ERR_BUSY, message_code_name(CODE_SLOT_FULL),
                          "the slot's runs use too many different sets of roots at once");
            return -1;
        }
        if (!make_launcher(box, slot, index, start, err)) {
            return -1;
        }
    }
    slot->launchers[index].last_used = ++box->clock;
    return index;
}

void slot_launcher_failed(struct supervisor *box, struct slot *slot, int index,
                          const struct err *err) {
    kill_launcher(&slot->launchers[index]);
    slot->launchers[index].broken = true;
    slot->launchers[index].live++; /* held here, so that the last run does not end it meanwhile */
    for (int i = 0; i < BOX_RUNS_MAX; i++) {
        if (slot->runs[i].phase != RUN_FREE && slot->runs[i].launcher == index) {
            run_fail(box, slot, i, err);
        }
    }
    slot_launcher_left(slot, index);
    if (slot->state == SLOT_CLOSING) {
        slot_close_continue(box, slot);
    }
}

static void launcher_ready(struct supervisor *box, struct slot *slot, int index) {
    slot->launchers[index].ready = true;
    for (int i = 0; i < BOX_RUNS_MAX; i++) {
        if (slot->runs[i].phase == RUN_WAITS && slot->runs[i].launcher == index) {
            run_send_order(box, slot, i);
        }
    }
}

static void refused(struct supervisor *box, struct slot *slot, int index,
                    const struct launch_report *report) {
    struct err err = {0};
    (void)err_set(&err, ERR_SYSTEM, FAILED, "clone the first process of a run: errno %d",
                  report->os_errno);
    slot->launchers[index].broken = true;
    if (report->record < BOX_RUNS_MAX && slot->runs[report->record].phase == RUN_SENT) {
        run_fail(box, slot, (int)report->record, &err);
    }
}

static void launcher_report(struct supervisor *box, struct slot *slot, int index,
                            const struct launch_report *report, int pidfd) {
    struct err err = {0};
    switch (report->kind) {
    case LAUNCH_MAPS:
        if (!map_ids(slot, &slot->launchers[index], &err)) {
            slot_launcher_failed(box, slot, index, &err);
        }
        return;
    case LAUNCH_READY: launcher_ready(box, slot, index); return;
    case LAUNCH_CLONED:
        if (report->record < BOX_RUNS_MAX && pidfd >= 0) {
            run_cloned(box, slot, (int)report->record, pidfd);
        }
        return;
    case LAUNCH_REFUSED: refused(box, slot, index, report); return;
    default:
        (void)err_set(&err, ERR_SYSTEM, FAILED, "launcher: %.200s", report->text);
        slot_launcher_failed(box, slot, index, &err);
        return;
    }
}

void slot_launcher_event(struct supervisor *box, struct slot *slot, int index) {
    struct launcher_handle *launcher = &slot->launchers[index];
    if (!launcher->used) {
        return;
    }
    struct launch_report report = {0};
    int pidfd = -1;
    size_t count = 0;
    switch (message_receive(launcher->socket, &report, sizeof(report), &pidfd, 1, &count)) {
    case MESSAGE_GOT:
        report.text[sizeof(report.text) - 1] = '\0';
        launcher_report(box, slot, index, &report, pidfd);
        break;
    case MESSAGE_NONE: break;
    case MESSAGE_BAD:
    case MESSAGE_END: {
        struct err err = {0};
        (void)err_set(&err, ERR_SYSTEM, message_code_name(CODE_BROKEN), "the launcher has ended");
        slot_launcher_failed(box, slot, index, &err);
        break;
    }
    }
}

void slot_close_begin(struct supervisor *box, struct slot *slot, uint32_t sequence) {
    slot->state = SLOT_CLOSING;
    slot->closing_sequence = sequence;
    for (int i = 0; i < BOX_RUNS_MAX; i++) {
        if (slot->runs[i].phase == RUN_WAITS) {
            run_release(slot, i);
        } else if (slot->runs[i].phase != RUN_FREE) {
            run_decide(&slot->runs[i], BOX_END_KILLED);
        }
    }
    slot_close_continue(box, slot);
}

void slot_close_continue(struct supervisor *box, struct slot *slot) {
    for (int i = 0; i < BOX_RUNS_MAX; i++) {
        if (slot->runs[i].phase != RUN_FREE) {
            return;
        }
    }
    for (int i = 0; i < SLOT_LAUNCHERS_MAX; i++) {
        if (slot->launchers[i].used) {
            slot_launcher_end(slot, i);
        }
    }
    for (int i = 0; i < BOX_PIPES_MAX; i++) {
        pipe_close(&slot->pipes[i]);
    }
    struct box_answer answer = {
        .kind = ANSWER_DONE, .sequence = slot->closing_sequence, .slot = slot->number};
    if (!cgroup_slot_close(&slot->cgroup)) {
        struct err err = {0};
        (void)err_set(&err, ERR_SYSTEM, FAILED, "the cgroup of slot %d did not become empty",
                      slot->number);
        message_error_to(&err, &answer);
    }
    slot->state = SLOT_CLOSED;
    supervisor_answer(box, &answer, NULL, 0);
}
