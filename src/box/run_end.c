/* The end of a run: what it says, what was counted, what is handed out. */
#include "box/supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FAILED message_code_name(CODE_FAILED)

static const char *const stage_names[STAGE_COUNT] = {
    [STAGE_NONE] = "nothing",
    [STAGE_CLONE] = "clone the first process",
    [STAGE_PROC] = "mount /proc",
    [STAGE_WORK] = "mount the work folder",
    [STAGE_TMP] = "mount /tmp",
    [STAGE_FILES] = "put the files in place",
    [STAGE_CGROUP] = "enter the cgroup",
    [STAGE_STREAMS] = "set up the streams",
    [STAGE_LIMITS] = "set the limits",
    [STAGE_RIGHTS] = "drop rights",
    [STAGE_FILTER] = "load the system call filter",
    [STAGE_EXEC] = "execute the program",
};

/* Only plain files, only readable, at most as large as asked: run-init is believed in nothing. */
static bool output_is_right(const struct run *run, int fd) {
    struct stat stat = {0};
    return fstat(fd, &stat) == 0 && S_ISREG(stat.st_mode) &&
           stat.st_size <= run->output_file_bytes_max &&
           (fcntl(fd, F_GETFL) & (O_ACCMODE | O_PATH)) == O_RDONLY;
}

static void keep_outputs(struct run *run, const struct launch_report *report, int *fds,
                         size_t count) {
    size_t told = 0;
    bool right = true;
    for (uint32_t i = 0; i < run->output_count; i++) {
        told += report->outputs[i] == BOX_OUTPUT_FILE;
        right = right && report->outputs[i] <= BOX_OUTPUT_TOO_LARGE;
    }
    for (size_t i = 0; i < count; i++) {
        right = right && output_is_right(run, fds[i]);
    }
    if (!right || told != count) {
        message_close_fds(fds, count);
        return; /* run->ended stays false: the run fails */
    }
    memcpy(run->output_fds, fds, count * sizeof(int));
    run->output_fd_count = count;
    run->ended = true;
}

static void take_report(struct run *run, const struct launch_report *report, int *fds,
                        size_t count) {
    switch (report->kind) {
    case RUN_STARTED:
        run->start_ns = report->start_ns;
        run->stuck_ns = run->decided == BOX_END_NONE ? 0 : run->stuck_ns;
        break;
    case RUN_FAILED:
        run->failed = true;
        run->report = *report;
        break;
    case RUN_EXITED:
        run->exited = true;
        run->report = *report;
        run->start_ns = report->start_ns;
        run->stuck_ns = supervisor_now_ns() + SETUP_NS_MAX;
        break;
    case RUN_ENDED:
        run->report.leftovers = report->leftovers;
        memcpy(run->report.outputs, report->outputs, sizeof(run->report.outputs));
        keep_outputs(run, report, fds, count);
        return;
    default: break;
    }
    message_close_fds(fds, count);
}

static void read_reports(struct run *run) {
    for (;;) {
        struct launch_report report = {0};
        int fds[BOX_FILES_MAX];
        size_t count = 0;
        switch (
            message_receive(run->control, &report, sizeof(report), fds, BOX_FILES_MAX, &count)) {
        case MESSAGE_GOT: take_report(run, &report, fds, count); break;
        case MESSAGE_NONE: return;
        case MESSAGE_END:
        case MESSAGE_BAD: supervisor_close(&run->control); return; /* its pidfd tells the rest */
        }
    }
}

/* When the program was over: by itself, or by our decision. 0: not yet. */
static int64_t over_ns(const struct run *run) {
    return run->exited || run->failed ? run->report.exit_ns : run->decided_ns;
}

void run_collect(struct slot *slot) {
    for (int i = 0; i < BOX_RUNS_MAX; i++) {
        if (slot->runs[i].phase != RUN_FREE && slot->runs[i].control >= 0) {
            read_reports(&slot->runs[i]);
        }
    }
    for (;;) {
        struct run *first = NULL;
        for (int i = 0; i < BOX_RUNS_MAX; i++) {
            struct run *run = &slot->runs[i];
            if (run->phase == RUN_FREE || run->service || run->end_order != 0 ||
                over_ns(run) == 0) {
                continue;
            }
            if (first == NULL || over_ns(run) < over_ns(first)) {
                first = run;
            }
        }
        if (first == NULL) {
            return;
        }
        first->end_order = ++slot->ended_in_job;
    }
}

static void answer_run(struct supervisor *box, struct slot *slot, int index,
                       struct box_answer *answer, const int *fds, size_t fd_count) {
    answer->kind = ANSWER_ENDED;
    answer->slot = slot->number;
    answer->run = slot->runs[index].number;
    if (slot->state == SLOT_OPEN) {
        supervisor_answer(box, answer, fds, fd_count);
    }
}

void run_fail(struct supervisor *box, struct slot *slot, int index, const struct err *err) {
    struct box_answer answer = {0};
    message_error_to(err, &answer);
    answer_run(box, slot, index, &answer, NULL, 0);
    run_release(slot, index);
}

static enum box_end choose_end(const struct run *run, const struct cgroup_usage *usage,
                               const struct box_result *result) {
    if (run->decided == BOX_END_KILLED || run->decided == BOX_END_OUTPUT) {
        return run->decided;
    }
    if (usage->oom_kills > 0 || usage->memory_peak_bytes > run->limits.memory_bytes + 4095) {
        return BOX_END_MEMORY;
    }
    if (run->decided != BOX_END_NONE) {
        return run->decided;
    }
    if (run->failed) {
        return BOX_END_START;
    }
    if (run->streams[1].bytes > run->streams[1].bytes_max) {
        return BOX_END_OUTPUT;
    }
    if (usage->cpu_user_us + usage->cpu_system_us > run->limits.cpu_ms * 1000) {
        return BOX_END_CPU;
    }
    if (result->wall_us > run->limits.wall_ms * 1000) {
        return BOX_END_WALL;
    }
    return run->report.signal != 0 ? BOX_END_SIGNAL : BOX_END_EXIT;
}

static void drain_all(struct run *run) {
    for (int i = 1; i < 3; i++) {
        int64_t before = -1;
        /* Nobody writes any more: what is there is there, so an unchanged count is the end. */
        while (run->streams[i].from >= 0 && run->streams[i].bytes != before) {
            before = run->streams[i].bytes;
            (void)stream_drain(&run->streams[i]);
        }
    }
}

static void fill_result(struct slot *slot, struct run *run, const struct cgroup_usage *usage,
                        struct box_result *result) {
    result->run = run->number;
    result->exit_code = run->failed ? run->report.os_errno : run->report.exit_code;
    result->signal = run->report.signal;
    result->cpu_user_us = usage->cpu_user_us;
    result->cpu_system_us = usage->cpu_system_us;
    result->memory_peak_bytes = usage->memory_peak_bytes;
    result->wall_us = run->start_ns == 0 ? 0 : (over_ns(run) - run->start_ns) / 1000;
    result->leftover_processes = run->report.leftovers;
    result->end_order = run->end_order;
    for (int i = 1; i < 3; i++) {
        result->stream_bytes[i] = run->streams[i].bytes;
    }
    if (run->pipe >= 0) {
        result->stream_bytes[run->pipe_stream] = pipe_written(&slot->pipes[run->pipe]);
    }
    for (uint32_t i = 0; i < run->output_count; i++) {
        bool known = run->ended;
        result->output_states[i] =
            known ? (enum box_output_state)run->report.outputs[i] : BOX_OUTPUT_MISSING;
    }
    result->end = choose_end(run, usage, result);
    if (result->end == BOX_END_CPU && run->decided_cpu_us > 0) {
        /* To end hundreds of processes is work of the kernel that the program did not ask for. */
        int64_t user_us = result->cpu_user_us;
        result->cpu_user_us = user_us < run->decided_cpu_us ? user_us : run->decided_cpu_us;
        result->cpu_system_us = run->decided_cpu_us - result->cpu_user_us;
    }
}

/* Whether run-init did what it must, or we ended it ourselves. */
static bool account(const struct run *run, struct err *err) {
    if (run->decided != BOX_END_NONE) {
        return true;
    }
    if (run->failed && run->report.stage != STAGE_EXEC) {
        uint32_t stage = run->report.stage < STAGE_COUNT ? run->report.stage : STAGE_NONE;
        errno = run->report.os_errno;
        if (stage == STAGE_FILES && (errno == ENOSPC || errno == EEXIST || errno == ENOTDIR)) {
            return err_set(err, ERR_INVALID, message_code_name(CODE_BAD_RUN),
                           "the files do not fit into the work folder: %s", strerror(errno));
        }
        return err_system(err, FAILED, "%s", stage_names[stage]);
    }
    if (!run->failed && !run->ended) {
        return err_set(err, ERR_SYSTEM, message_code_name(CODE_BROKEN),
                       "the first process of the run has been killed from outside");
    }
    return true;
}

static bool take_captures(struct supervisor *box, struct run *run, struct box_answer *answer,
                          int *fds, size_t *count, struct err *err) {
    for (int i = 1; i < 3; i++) {
        if (!run->streams[i].keep) {
            continue;
        }
        int fd = stream_take(box, &run->streams[i]);
        if (fd < 0) {
            return err_set(err, ERR_SYSTEM, FAILED, "no memory left to keep a run's output");
        }
        fds[(*count)++] = fd;
        answer->capture |= 1u << i;
    }
    return true;
}

static void finish(struct supervisor *box, struct slot *slot, int index) {
    struct run *run = &slot->runs[index];
    struct box_answer answer = {.output_count = run->output_count};
    struct cgroup_usage usage = {0};
    struct err err = {0};
    int fds[2 + BOX_FILES_MAX];
    size_t count = 0;
    drain_all(run);
    if (!account(run, &err) || !cgroup_leaf_usage(&run->leaf, &usage, &err) ||
        !take_captures(box, run, &answer, fds, &count, &err)) {
        message_close_fds(fds, count);
        slot->launchers[run->launcher].broken |= err.kind == ERR_SYSTEM;
        run_fail(box, slot, index, &err);
        return;
    }
    if (!cgroup_leaf_close(&run->leaf)) {
        message_close_fds(fds, count);
        (void)err_set(&err, ERR_SYSTEM, message_code_name(CODE_BROKEN),
                      "the cgroup of an ended run is not empty");
        slot->launchers[run->launcher].broken = true;
        run_fail(box, slot, index, &err);
        return;
    }
    run->leaf.slot = NULL;
    fill_result(slot, run, &usage, &answer.result);
    memcpy(fds + count, run->output_fds, run->output_fd_count * sizeof(int));
    size_t captures = count;
    answer_run(box, slot, index, &answer, fds, count + run->output_fd_count);
    message_close_fds(fds, captures);
    run_release(slot, index);
}

void run_dead_event(struct supervisor *box, struct slot *slot, int index) {
    struct run *run = &slot->runs[index];
    struct pollfd dead = {.fd = run->pidfd, .events = POLLIN};
    /* An event may be of a run that had this place before. */
    if (run->phase != RUN_LIVE || poll(&dead, 1, 0) != 1) {
        return;
    }
    run_collect(slot);
    finish(box, slot, index);
    if (slot->state == SLOT_CLOSING) {
        slot_close_continue(box, slot);
    }
}
