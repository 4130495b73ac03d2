/* A run from its request until something ends it. */
#include "box/supervisor.h"

#include "base/check.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FAILED message_code_name(CODE_FAILED)
#define MS_NS 1000000
#define CPU_LOOK_NS_MIN (1 * MS_NS)

static int free_run(const struct slot *slot) {
    for (int i = 0; i < BOX_RUNS_MAX; i++) {
        if (slot->runs[i].phase == RUN_FREE) {
            return i;
        }
    }
    return -1;
}

static void add_fd(struct run *run, int fd) {
    CHECK(run->order_fd_count < LAUNCH_FDS_MAX);
    run->order_fds[run->order_fd_count++] = fd;
}

static bool add_input(struct slot *slot, struct run *run, const struct message_stream *stream,
                      int **fds, struct err *err) {
    int fd = -1;
    switch ((enum box_stream_kind)stream->kind) {
    case BOX_STREAM_NULL: return true; /* the program opens its own /dev/null */
    case BOX_STREAM_FD:
        if (!stream_input(*(*fds)++, &fd, err)) {
            return false;
        }
        break;
    case BOX_STREAM_PIPE:
        if (!pipe_reader(slot, stream->pipe, &fd, err)) {
            return false;
        }
        break;
    case BOX_STREAM_CAPTURE: CHECK(false);
    }
    add_fd(run, fd);
    return true;
}

/* A service may write to what its caller handed over; the caller then bounds it. */
static bool add_own(struct run *run, int fd, struct err *err) {
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    if (copy < 0) {
        return err_system(err, FAILED, "copy a stream of a service");
    }
    add_fd(run, copy);
    return true;
}

static bool add_writer(struct supervisor *box, struct slot *slot, int index, int number,
                       const struct message_stream *stream, int **fds, struct err *err) {
    struct run *run = &slot->runs[index];
    int fd = -1;
    if (stream->kind == BOX_STREAM_FD) {
        return add_own(run, *(*fds)++, err);
    }
    if (stream->kind == BOX_STREAM_PIPE) {
        run->pipe = stream->pipe;
        run->pipe_stream = number;
        if (!pipe_writer(box, slot, stream->pipe, stream->bytes_max, &fd, err)) {
            return false;
        }
        add_fd(run, fd);
        return true;
    }
    struct stream *out = &run->streams[number];
    bool opened = stream_open(out, slot->uid_base + 1, stream->kind == BOX_STREAM_CAPTURE,
                              stream->bytes_max, &fd, err);
    if (fd >= 0) {
        add_fd(run, fd);
    }
    return opened && supervisor_watch(box, out->from, EPOLLIN, SOURCE_STREAM, slot->number, index,
                                      number, err);
}

static bool add_control(struct supervisor *box, struct slot *slot, int index, struct err *err) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
        return err_system(err, FAILED, "make a socket pair");
    }
    slot->runs[index].control = pair[0];
    add_fd(&slot->runs[index], pair[1]);
    return fcntl(pair[0], F_SETFL, O_NONBLOCK) == 0 &&
           supervisor_watch(box, pair[0], EPOLLIN, SOURCE_RUN_CONTROL, slot->number, index, 0, err);
}

static bool add_leaf(struct supervisor *box, struct slot *slot, int index,
                     const struct message_start *start, struct err *err) {
    struct run *run = &slot->runs[index];
    if (!cgroup_leaf_open(&slot->cgroup, slot->leaves_made++, slot->uid_base, &start->limits,
                          &run->leaf, err)) {
        return false;
    }
    if (run->leaf.oom_fd >= 0 && !supervisor_watch(box, run->leaf.oom_fd, EPOLLIN, SOURCE_RUN_OOM,
                                                   slot->number, index, 0, err)) {
        return false;
    }
    /* The launcher closes its copies; ours stay for the figures, so it gets new ones. */
    if (run->leaf.dirs[CGROUP_UNIFIED] >= 0) {
        int copy = fcntl(run->leaf.dirs[CGROUP_UNIFIED], F_DUPFD_CLOEXEC, 3);
        if (copy < 0) {
            return err_system(err, FAILED, "copy the leaf's descriptor");
        }
        run->order->into_cgroup = 1;
        add_fd(run, copy);
    }
    for (int tree = CGROUP_MEMORY; tree < CGROUP_TREES; tree++) {
        if (run->leaf.joins[tree] >= 0) {
            run->order->join_count++;
            add_fd(run, take_fd(&run->leaf.joins[tree]));
        }
    }
    return true;
}

/* In the order that launch.h names. */
static bool prepare(struct supervisor *box, struct slot *slot, int index,
                    const struct message_start *start, int *fds, struct err *err) {
    struct run *run = &slot->runs[index];
    run->order = calloc(1, sizeof(*run->order));
    if (run->order == NULL) {
        return err_system(err, FAILED, "memory for a run");
    }
    run->order->record = (uint32_t)index;
    run->order->start = *start;
    if (!add_control(box, slot, index, err) ||
        !add_input(slot, run, &start->streams[0], &fds, err)) {
        return false;
    }
    for (int number = 1; number < 3; number++) {
        if (!add_writer(box, slot, index, number, &start->streams[number], &fds, err)) {
            return false;
        }
    }
    if (!add_leaf(box, slot, index, start, err)) {
        return false;
    }
    for (uint32_t i = 0; i < start->file_count; i++) {
        if (!add_own(run, fds[i], err)) {
            return false;
        }
    }
    return true;
}

static void init_run(struct run *run, const struct message_start *start) {
    *run = (struct run){
        .phase = RUN_WAITS,
        .service = start->service != 0,
        .launcher = -1,
        .control = -1,
        .pidfd = -1,
        .pipe = -1,
        .limits = start->limits,
        .output_count = start->output_count,
        .output_file_bytes_max = start->output_file_bytes_max,
        .report = {.exit_code = -1},
    };
    for (int i = 0; i < 3; i++) {
        run->streams[i] = (struct stream){.from = -1, .kept = -1};
    }
}

static bool begins_job(const struct slot *slot) {
    for (int i = 0; i < BOX_PIPES_MAX; i++) {
        if (pipe_is_half_open(&slot->pipes[i])) {
            return false;
        }
    }
    return slot_is_idle(slot);
}

bool run_start(struct supervisor *box, struct slot *slot, const struct message_start *start,
               int *fds, uint32_t *ret_number, struct err *err) {
    int index = free_run(slot);
    if (index < 0) {
        return err_set(err, ERR_BUSY, message_code_name(CODE_SLOT_FULL),
                       "slot %d has %d runs already", slot->number, BOX_RUNS_MAX);
    }
    if (slot_is_idle(slot)) {
        pipe_forget(slot, start);
    }
    if (begins_job(slot)) {
        slot->ended_in_job = 0;
    }
    int launcher = slot_launcher(box, slot, start, err);
    if (launcher < 0) {
        return false;
    }
    struct run *run = &slot->runs[index];
    init_run(run, start);
    run->launcher = launcher;
    slot->launchers[launcher].live++;
    slot->launchers[launcher].runs++;
    if (!prepare(box, slot, index, start, fds, err)) {
        run_release(slot, index);
        return false;
    }
    run->number = ++box->next_run;
    run->stuck_ns = supervisor_now_ns() + SETUP_NS_MAX;
    *ret_number = run->number;
    if (slot->launchers[launcher].ready) {
        run_send_order(box, slot, index);
    }
    return true;
}

void run_send_order(struct supervisor *box, struct slot *slot, int index) {
    struct run *run = &slot->runs[index];
    struct err err = {0};
    bool sent = message_send(slot->launchers[run->launcher].socket, run->order, sizeof(*run->order),
                             run->order_fds, run->order_fd_count, &err);
    message_close_fds(run->order_fds, run->order_fd_count);
    run->order_fd_count = 0;
    cgroup_leaf_started(&run->leaf);
    free(take(run->order));
    run->phase = RUN_SENT;
    if (!sent) {
        slot_launcher_failed(box, slot, run->launcher, &err);
    }
}

static void kill_run(struct run *run) {
    if (run->pidfd >= 0) {
        (void)syscall(SYS_pidfd_send_signal, run->pidfd, SIGKILL, NULL, 0);
    }
}

void run_cloned(struct supervisor *box, struct slot *slot, int index, int pidfd) {
    struct run *run = &slot->runs[index];
    struct err err = {0};
    if (run->phase != RUN_SENT) {
        close(pidfd);
        return;
    }
    run->phase = RUN_LIVE;
    run->pidfd = pidfd;
    if (!supervisor_watch(box, pidfd, EPOLLIN, SOURCE_RUN_DEAD, slot->number, index, 0, &err)) {
        slot_launcher_failed(box, slot, run->launcher, &err);
        return;
    }
    if (run->decided != BOX_END_NONE) {
        kill_run(run);
    }
}

void run_decide(struct run *run, enum box_end end) {
    if (run->exited || run->failed || run->decided != BOX_END_NONE) {
        return;
    }
    run->decided = end;
    run->decided_ns = supervisor_now_ns();
    run->stuck_ns = run->decided_ns + SETUP_NS_MAX;
    kill_run(run); /* pid 1 of its namespace: the kernel ends everything with it */
}

/* The group cannot have used more than (processors or processes) times the time that passed, so
 * there is no need to look before. */
static void look_at_cpu(const struct supervisor *box, struct run *run, int64_t now_ns) {
    int64_t used_us = 0;
    if (!cgroup_leaf_cpu_us(&run->leaf, &used_us)) {
        return; /* the end finds out too, and says so */
    }
    int64_t left_ns = (run->limits.cpu_ms * 1000 - used_us) * 1000;
    if (left_ns <= 0) {
        run->decided_cpu_us = used_us;
        run_decide(run, BOX_END_CPU);
        return;
    }
    int at_once = run->limits.pids_max < box->cpu_count ? run->limits.pids_max : box->cpu_count;
    int64_t wait_ns = left_ns / at_once;
    run->next_cpu_ns = now_ns + (wait_ns > CPU_LOOK_NS_MIN ? wait_ns : CPU_LOOK_NS_MIN);
}

static void stuck(struct supervisor *box, struct slot *slot, int index) {
    struct err err = {0};
    (void)err_set(&err, ERR_SYSTEM, message_code_name(CODE_BROKEN),
                  "a run could not be started or ended within 10 seconds");
    slot_launcher_failed(box, slot, slot->runs[index].launcher, &err);
}

int64_t run_tick(struct supervisor *box, struct slot *slot, int index, int64_t now_ns) {
    struct run *run = &slot->runs[index];
    if (run->phase == RUN_FREE) {
        return INT64_MAX;
    }
    if (run->stuck_ns != 0) {
        if (now_ns >= run->stuck_ns) {
            stuck(box, slot, index);
            return now_ns;
        }
        return run->stuck_ns;
    }
    int64_t wall_end_ns = run->start_ns + run->limits.wall_ms * MS_NS;
    if (now_ns >= wall_end_ns) {
        run_decide(run, BOX_END_WALL);
        return now_ns;
    }
    if (now_ns >= run->next_cpu_ns) {
        look_at_cpu(box, run, now_ns);
    }
    return run->next_cpu_ns < wall_end_ns ? run->next_cpu_ns : wall_end_ns;
}

/* Too much on fd 1 ends the run; fd 2 is only cut. */
void run_stream_event(struct slot *slot, int index, int number) {
    struct run *run = &slot->runs[index];
    if (run->phase != RUN_FREE && !stream_drain(&run->streams[number]) && number == 1) {
        run_decide(run, BOX_END_OUTPUT);
    }
}

void run_pipe_event(struct slot *slot, int number) {
    if (pipe_relay(&slot->pipes[number])) {
        return;
    }
    for (int i = 0; i < BOX_RUNS_MAX; i++) {
        if (slot->runs[i].phase != RUN_FREE && slot->runs[i].pipe == number) {
            run_decide(&slot->runs[i], BOX_END_OUTPUT);
        }
    }
}

void run_release(struct slot *slot, int index) {
    struct run *run = &slot->runs[index];
    supervisor_close(&run->control);
    supervisor_close(&run->pidfd);
    message_close_fds(run->order_fds, run->order_fd_count);
    message_close_fds(run->output_fds, run->output_fd_count);
    for (int i = 0; i < 3; i++) {
        stream_close(&run->streams[i]);
    }
    if (run->leaf.slot != NULL && !cgroup_leaf_close(&run->leaf)) {
        slot->launchers[run->launcher].broken = true;
    }
    free(run->order);
    int launcher = run->launcher;
    *run = (struct run){.phase = RUN_FREE};
    slot_launcher_left(slot, launcher);
}
