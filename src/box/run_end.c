/* The end of a run: what it says, what was counted, what is handed out. */
#include "box/supervisor.h"

#include "base/clock.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>

#define FAILED message_codes[CODE_FAILED]
#define CAUSE_NS 100000000 /* a crash takes its time, on a busy machine most of all */

static const char *const stage_names[STAGE_COUNT] = {
    [STAGE_NONE] = "start",          [STAGE_MOUNT] = "mount /proc, /w and /tmp",
    [STAGE_FILES] = "place files",   [STAGE_CGROUP] = "enter the cgroup",
    [STAGE_STREAMS] = "set streams", [STAGE_LIMITS] = "set limits",
    [STAGE_RIGHTS] = "drop rights",  [STAGE_FILTER] = "load the system call filter",
    [STAGE_EXEC] = "execute",
};

/* ---- what run-init says: it is believed in nothing that can be checked ---- */

static bool output_is_right(const struct run *run, int fd) {
    struct stat stat = {0};
    return fstat(fd, &stat) == 0 && S_ISREG(stat.st_mode) &&
           stat.st_size <= run->output_file_bytes_max &&
           (fcntl(fd, F_GETFL) & (O_ACCMODE | O_PATH)) == O_RDONLY;
}

static void take_outputs(struct run *run, const struct launch_report *report, int *fds,
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
    if (!right || told != count || run->ended) {
        fds_close(fds, count); /* run->ended stays as it is: without it the run fails */
        return;
    }
    memcpy(run->report.outputs, report->outputs, sizeof(run->report.outputs));
    memcpy(run->output_fds, fds, count * sizeof(int));
    run->output_fd_count = count;
    run->report.leftovers = report->leftovers;
    run->ended = true;
}

static void take_report(struct run *run, const struct launch_report *report, int *fds,
                        size_t count) {
    bool over = run->exited || run->failed;
    if (report->kind == RUN_ENDED) {
        take_outputs(run, report, fds, count);
        return;
    }
    if (report->kind == RUN_STARTED && !over) {
        run->start_ns = report->start_ns;
        run->stuck_ns = run->decided == BOX_END_NONE ? 0 : run->stuck_ns;
    } else if ((report->kind == RUN_EXITED || report->kind == RUN_FAILED) && !over) {
        run->exited = report->kind == RUN_EXITED;
        run->failed = report->kind == RUN_FAILED;
        run->report = *report;
        run->stuck_ns = clock_real_mono_ns() + SETUP_NS_MAX;
    }
    fds_close(fds, count);
}

static void read_reports(struct run *run) {
    enum packet_got got = PACKET_GOT;
    while (got == PACKET_GOT) {
        struct launch_report report = {0};
        int fds[BOX_FILES_MAX];
        size_t count = 0;
        got = packet_receive(run->control, &report, sizeof(report), fds, BOX_FILES_MAX, &count);
        if (got == PACKET_GOT) {
            take_report(run, &report, fds, count);
        }
    }
    if (got != PACKET_NONE) {
        fds_close(&run->control, 1); /* its pidfd tells the rest */
    }
}

/* When the program was over: by itself, or by our decision. 0: not yet. */
static int64_t over_ns(const struct run *run) {
    return run->exited || run->failed ? run->report.exit_ns : run->decided_ns;
}

/* It wrote to the other, and got SIGPIPE. */
static bool is_unread(const struct run *run, const struct run *other) {
    int pipe = other->pipe_of[0];
    return run->report.signal == SIGPIPE && pipe >= 0 &&
           (pipe == run->pipe_of[1] || pipe == run->pipe_of[2]);
}

/* It read what the other wrote to the end, and wrote on; and the other was gone soon after. */
static bool saw_the_end(const struct slot *slot, const struct run *run, const struct run *other) {
    int in = run->pipe_of[0];
    int out = run->pipe_of[1];
    int64_t gone_ns = over_ns(other) != 0 ? over_ns(other) : clock_real_mono_ns();
    return in >= 0 && in == other->pipe_of[1] && out >= 0 && slot->pipes[out].bytes_max > 0 &&
           slot->pipes[in].ended_ns < slot->pipes[out].ended_ns &&
           gone_ns < slot->pipes[in].ended_ns + CAUSE_NS;
}

/* The run that closed a pipe which this one may have ended for, or NULL. */
static const struct run *cause_of(const struct slot *slot, const struct run *run) {
    for (int i = 0; run->exited && i < BOX_RUNS_MAX; i++) {
        const struct run *other = &slot->runs[i];
        if (other->phase != RUN_FREE && (is_unread(run, other) || saw_the_end(slot, run, other))) {
            return other;
        }
    }
    return NULL;
}

/* An exiting program closes its pipes before anybody can see that it is gone, and who is at their
 * other ends may end for that and be seen first. So of two ends this near, the cause's was first.
 */
static int64_t ordered_ns(const struct slot *slot, const struct run *run) {
    const struct run *cause = cause_of(slot, run);
    int64_t own_ns = over_ns(run);
    int64_t cause_ns = cause == NULL ? 0 : over_ns(cause);
    return cause_ns > own_ns && cause_ns < own_ns + CAUSE_NS ? cause_ns + 1 : own_ns;
}

/* Until it is known whether its cause is ending too. */
static bool must_wait(const struct slot *slot, const struct run *run) {
    const struct run *cause = cause_of(slot, run);
    return cause != NULL && over_ns(cause) == 0 && clock_real_mono_ns() < over_ns(run) + CAUSE_NS;
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
            bool counts = run->phase != RUN_FREE && !run->service && run->end_order == 0 &&
                          over_ns(run) != 0 && !must_wait(slot, run);
            bool before = first == NULL || ordered_ns(slot, run) < ordered_ns(slot, first);
            first = counts && before ? run : first;
        }
        if (first == NULL) {
            return;
        }
        first->end_order = ++slot->ended_in_job;
    }
}

/* ---- the result ---- */

static enum box_end choose_end(const struct run *run, const struct cgroup_usage *usage,
                               const struct box_result *result) {
    if (run->decided == BOX_END_KILLED || run->decided == BOX_END_OUTPUT) {
        return run->decided;
    }
    if (usage->oom_kills > 0 || usage->memory_peak_bytes > run->limits.memory_bytes + 4095) {
        return BOX_END_MEMORY;
    }
    if (run->decided != BOX_END_NONE || run->failed) {
        return run->failed ? BOX_END_START : run->decided;
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

static void fill_result(struct slot *slot, struct run *run, const struct cgroup_usage *usage,
                        struct box_result *result) {
    result->run = run->number;
    result->exit_code = run->failed ? run->report.os_errno : run->report.exit_code;
    result->signal = run->report.signal;
    result->cpu_user_us = usage->cpu_user_us;
    result->cpu_system_us = usage->cpu_system_us;
    result->memory_peak_bytes = usage->memory_peak_bytes;
    result->pressure_us = usage->pressure_us;
    result->wall_us = run->start_ns == 0 ? 0 : (over_ns(run) - run->start_ns) / 1000;
    result->leftover_processes = run->report.leftovers;
    result->end_order = run->end_order;
    for (int i = 1; i < 3; i++) {
        int pipe = run->pipe_of[i];
        result->stream_bytes[i] =
            pipe < 0 ? run->streams[i].bytes : pipe_written(&slot->pipes[pipe]);
    }
    for (uint32_t i = 0; i < run->output_count; i++) {
        result->output_states[i] =
            run->ended ? (enum box_output_state)run->report.outputs[i] : BOX_OUTPUT_MISSING;
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
static bool went_right(const struct run *run, struct err *err) {
    if (run->decided != BOX_END_NONE || (run->failed && run->report.stage == STAGE_EXEC)) {
        return true;
    }
    if (!run->failed) {
        return run->ended || err_set(err, ERR_SYSTEM, message_codes[CODE_BROKEN],
                                     "the first process of the run was killed from outside");
    }
    errno = run->report.os_errno;
    if (run->report.stage == STAGE_FILES &&
        (errno == ENOSPC || errno == EEXIST || errno == ENOTDIR)) {
        return err_set(err, ERR_INVALID, message_codes[CODE_BAD_RUN],
                       "the files do not fit into the work folder");
    }
    return err_system(err, FAILED, "%s",
                      stage_names[run->report.stage < STAGE_COUNT ? run->report.stage : 0]);
}

/* A process ended for lack of memory that its run had not used up says nothing about the run. */
static bool was_own_memory(const struct cgroup_usage *usage, struct err *err) {
    return usage->oom_kills == 0 || usage->limit_hits > 0 ||
           err_set(err, ERR_SYSTEM, FAILED,
                   "the machine, or all slots together, ran out of memory: fewer slots, or more");
}

static bool take_captures(struct supervisor *box, struct run *run, struct box_answer *answer,
                          int *fds, size_t *count, struct err *err) {
    for (int i = 1; i < 3; i++) {
        int64_t before = -1;
        /* Nobody writes any more: what is there is there, so an unchanged count is the end. */
        while (run->streams[i].from >= 0 && run->streams[i].bytes != before) {
            before = run->streams[i].bytes;
            (void)stream_drain(&run->streams[i]);
        }
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

static void send_answer(struct supervisor *box, struct slot *slot, int index,
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
    send_answer(box, slot, index, &answer, NULL, 0);
    run_release(slot, index);
}

static void finish(struct supervisor *box, struct slot *slot, int index) {
    struct run *run = &slot->runs[index];
    struct box_answer answer = {.output_count = run->output_count};
    struct cgroup_usage usage = {0};
    struct err err = {0};
    int fds[2 + BOX_FILES_MAX];
    size_t captures = 0;
    bool right = went_right(run, &err) && cgroup_leaf_usage(&run->leaf, &usage, &err) &&
                 was_own_memory(&usage, &err) &&
                 take_captures(box, run, &answer, fds, &captures, &err);
    if (right) {
        fill_result(slot, run, &usage, &answer.result);
        memcpy(fds + captures, run->output_fds, run->output_fd_count * sizeof(int));
        send_answer(box, slot, index, &answer, fds, captures + run->output_fd_count);
        run_release(slot, index);
    } else {
        slot->launchers[run->launcher].broken |= err.kind == ERR_SYSTEM;
        run_fail(box, slot, index, &err);
    }
    fds_close(fds, captures);
}

void run_dead_event(struct supervisor *box, struct slot *slot, int index) {
    struct run *run = &slot->runs[index];
    struct pollfd dead = {.fd = run->pidfd, .events = POLLIN};
    /* An event may be of a run that had this place before. */
    if (run->phase != RUN_LIVE || poll(&dead, 1, 0) != 1) {
        return;
    }
    run_collect(slot);
    run->held = must_wait(slot, run);
    if (!run->held) {
        finish(box, slot, index);
        slot_close_continue(box, slot);
    }
}
