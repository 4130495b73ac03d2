/* Slots and their launchers. */
#include "box/supervisor.h"

#include "base/check.h"
#include "base/process.h"
#include <linux/sched.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define FAILED message_codes[CODE_FAILED]
#define UIDS_A_SLOT 2u

bool slot_is_idle(const struct slot *slot) {
    for (int i = 0; i < BOX_RUNS_MAX; i++) {
        if (slot->runs[i].phase != RUN_FREE && !slot->runs[i].service) {
            return false;
        }
    }
    return true;
}

bool slot_open(struct supervisor *box, int number, struct err *err) {
    struct slot *slot = &box->slots[number];
    if (slot->state != SLOT_CLOSED) {
        return err_set(err, ERR_CONFLICT, message_codes[CODE_BAD_SLOT], "slot %d is open already",
                       number);
    }
    *slot = (struct slot){.box = box, .number = number};
    slot->uid_base = box->setup.first_id + (unsigned)number * UIDS_A_SLOT;
    if (!cgroup_slot_open(&box->groups, number, slot->uid_base, &slot->cgroup, err)) {
        return err_wrap(err, "slot %d", number);
    }
    slot->state = SLOT_OPEN;
    return true;
}

/* ---- making a launcher ---- */

/* Processor and groups are inherited by all that the launcher starts. */
static bool map_ids(const struct slot *slot, const struct launcher_handle *launcher,
                    struct err *err) {
    const struct box_setup *setup = &slot->box->setup;
    if ((setup->pinned != 0 && !process_pin(launcher->pid, setup->cpus[slot->number], err)) ||
        !cgroup_slot_enter(&slot->cgroup, launcher->pid, err) ||
        !process_map_ids(launcher->pid, LAUNCH_UID, slot->uid_base, err)) {
        return false;
    }
    return send(launcher->socket, "", 1, MSG_NOSIGNAL) == 1 ||
           err_system(err, FAILED, "answer the launcher");
}

/* The child closes what it inherits first of all: launcher_main. */
static void fork_launcher(struct launcher_handle *launcher, int socket) {
    const char *roots[BOX_ROOTS_MAX + 1] = {NULL};
    int pidfd = -1;
    struct clone_args args = {
        .flags = CLONE_NEWPID | CLONE_NEWNS | CLONE_PIDFD,
        .pidfd = (uintptr_t)&pidfd,
        .exit_signal = SIGCHLD,
    };
    for (uint32_t i = 0; i < launcher->root_count; i++) {
        roots[i] = launcher->roots[i];
    }
    launcher->pid = (pid_t)syscall(SYS_clone3, &args, sizeof(args));
    if (launcher->pid == 0) {
        launcher_main(socket, roots);
    }
    launcher->pidfd = launcher->pid < 0 ? -1 : pidfd;
}

static bool make_launcher(struct supervisor *box, struct slot *slot, int index,
                          const struct message_start *start, struct err *err) {
    struct launcher_handle *launcher = &slot->launchers[index];
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
        return err_system(err, FAILED, "make a socket pair");
    }
    *launcher =
        (struct launcher_handle){.used = true, .socket = pair[0], .root_count = start->root_count};
    memcpy(launcher->roots, start->roots, sizeof(launcher->roots));
    fork_launcher(launcher, pair[1]);
    bool made = launcher->pidfd >= 0 || err_system(err, FAILED, "start a launcher");
    fds_close(&pair[1], 1);
    uint64_t source = supervisor_source(SOURCE_LAUNCHER, slot->number, index, 0);
    if (!made || !supervisor_watch(box, launcher->socket, EPOLLIN, source, err)) {
        slot_launcher_end(slot, index);
        return false;
    }
    return true;
}

/* ---- ending one ---- */

/* When this returns, the kernel has ended every run of the launcher too. */
static void kill_launcher(struct launcher_handle *launcher) {
    siginfo_t info = {0};
    if (launcher->pidfd >= 0) {
        (void)syscall(SYS_pidfd_send_signal, launcher->pidfd, SIGKILL, NULL, 0);
        (void)waitid(P_PIDFD, (id_t)launcher->pidfd, &info, WEXITED);
        fds_close(&launcher->pidfd, 1);
    }
}

void slot_launcher_end(struct slot *slot, int index) {
    kill_launcher(&slot->launchers[index]);
    fds_close(&slot->launchers[index].socket, 1);
    slot->launchers[index].used = false;
}

void slot_launcher_left(struct slot *slot, int index) {
    struct launcher_handle *launcher = &slot->launchers[index];
    launcher->live--;
    CHECK(launcher->live >= 0);
    if (launcher->live == 0 &&
        (launcher->broken || launcher->runs >= (uint32_t)slot->box->setup.launcher_runs)) {
        slot_launcher_end(slot, index);
    }
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
    slot_close_continue(box, slot);
}

static bool has_roots(const struct launcher_handle *launcher, const struct message_start *start) {
    return launcher->used && !launcher->broken && launcher->root_count == start->root_count &&
           memcmp(launcher->roots, start->roots, sizeof(launcher->roots)) == 0;
}

/* A place for a new launcher: an empty one, else that of an idle one; -1: all are at work. */
static int free_place(struct slot *slot) {
    int idle = -1;
    for (int i = 0; i < SLOT_LAUNCHERS_MAX; i++) {
        if (!slot->launchers[i].used) {
            return i;
        }
        idle = slot->launchers[i].live == 0 ? i : idle;
    }
    if (idle >= 0) {
        slot_launcher_end(slot, idle);
    }
    return idle;
}

int slot_launcher(struct supervisor *box, struct slot *slot, const struct message_start *start,
                  struct err *err) {
    for (int i = 0; i < SLOT_LAUNCHERS_MAX; i++) {
        if (has_roots(&slot->launchers[i], start)) {
            return i;
        }
    }
    int index = free_place(slot);
    if (index < 0) {
        (void)err_set(err, ERR_BUSY, message_codes[CODE_SLOT_FULL],
                      "the slot's runs use too many different sets of roots at once");
    }
    return index >= 0 && make_launcher(box, slot, index, start, err) ? index : -1;
}

static void launcher_ready(struct supervisor *box, struct slot *slot, int index) {
    slot->launchers[index].ready = true;
    for (int i = 0; i < BOX_RUNS_MAX; i++) {
        if (slot->runs[i].phase == RUN_WAITS && slot->runs[i].launcher == index) {
            run_send_order(box, slot, i);
        }
    }
}

void slot_launcher_event(struct supervisor *box, struct slot *slot, int index) {
    struct launcher_handle *launcher = &slot->launchers[index];
    struct launch_report report = {0};
    struct err err = {0};
    int pidfd = -1;
    size_t count = 0;
    if (!launcher->used) {
        return; /* an event of one that is gone */
    }
    if (packet_receive(launcher->socket, &report, sizeof(report), &pidfd, 1, &count) !=
        PACKET_GOT) {
        (void)err_set(&err, ERR_SYSTEM, message_codes[CODE_BROKEN], "the launcher has ended");
        slot_launcher_failed(box, slot, index, &err);
    } else if (report.kind == LAUNCH_MAPS) {
        if (!map_ids(slot, launcher, &err)) {
            slot_launcher_failed(box, slot, index, &err);
        }
    } else if (report.kind == LAUNCH_READY) {
        launcher_ready(box, slot, index);
    } else if (report.kind == LAUNCH_CLONED && pidfd >= 0) {
        run_cloned(box, slot, report.record, pidfd);
    } else {
        (void)err_set(&err, ERR_SYSTEM, FAILED, "launcher: %.200s", report.text);
        slot_launcher_failed(box, slot, index, &err);
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
    bool empty = slot->state == SLOT_CLOSING;
    for (int i = 0; i < BOX_RUNS_MAX; i++) {
        empty = empty && slot->runs[i].phase == RUN_FREE;
    }
    if (!empty) {
        return;
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
    struct err err = {0};
    if (!cgroup_slot_close(&slot->cgroup)) {
        (void)err_set(&err, ERR_SYSTEM, FAILED, "the cgroup of slot %d did not become empty",
                      slot->number);
    }
    message_error_to(&err, &answer);
    slot->state = SLOT_CLOSED;
    supervisor_answer(box, &answer, NULL, 0);
}
