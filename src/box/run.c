/* A run from its request until something ends it. */
#include "box/supervisor.h"

#include "base/check.h"
#include "base/clock.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FAILED message_codes[CODE_FAILED]
#define MS_NS 1000000
#define CPU_LOOK_NS_MIN (1 * MS_NS)

/* ---- the order, in the shape that launch.h names ---- */

static int add_fd(struct run *run, int fd) {
    CHECK(run->order_fd_count < LAUNCH_FDS_MAX);
    run->order_fds[run->order_fd_count] = fd;
    return (int)run->order_fd_count++;
}

static bool watch(struct slot *slot, int index, int fd, enum source source, int part,
                  struct err *err) {
    return supervisor_watch(slot->box, fd, EPOLLIN,
                            supervisor_source(source, slot->number, index, part), err);
}

static bool add_control(struct slot *slot, int index, struct err *err) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
        return err_system(err, FAILED, "make a socket pair");
    }
    slot->runs[index].control = pair[0];
    add_fd(&slot->runs[index], pair[1]);
    return fcntl(pair[0], F_SETFL, O_NONBLOCK) == 0 &&
           watch(slot, index, pair[0], SOURCE_RUN_CONTROL, 0, err);
}

/* The program's descriptor of one stream, or -1: its own /dev/null. */
static bool open_stream(struct slot *slot, int index, int number, int client_fd, int *ret_fd,
                        struct err *err) {
    struct run *run = &slot->runs[index];
    const struct message_stream *stream = &run->order->start.streams[number];
    if (stream->kind == BOX_STREAM_FD) {
        /* A service may write to what its caller handed over; the caller then bounds it. */
        return number == 0 ? stream_input(client_fd, ret_fd, err) : fd_copy(client_fd, ret_fd, err);
    }
    if (stream->kind == BOX_STREAM_PIPE) {
        run->pipe_of[number] = stream->pipe;
        return number == 0 ? pipe_reader(slot, stream->pipe, ret_fd, err)
                           : pipe_writer(slot, stream, ret_fd, err);
    }
    if (number == 0) {
        return true;
    }
    run->streams[number].keep = stream->kind == BOX_STREAM_CAPTURE;
    run->streams[number].bytes_max = stream->bytes_max;
    return stream_open(&run->streams[number], slot->uid_base + 1, ret_fd, err) &&
           watch(slot, index, run->streams[number].from, SOURCE_RUN_STREAM, number, err);
}

static bool add_streams(struct slot *slot, int index, int **fds, struct err *err) {
    struct run *run = &slot->runs[index];
    for (int number = 0; number < 3; number++) {
        bool from_client = run->order->start.streams[number].kind == BOX_STREAM_FD;
        int client_fd = from_client ? *(*fds)++ : -1;
        int fd = -1;
        bool opened = open_stream(slot, index, number, client_fd, &fd, err);
        run->order->stream_at[number] = fd < 0 ? -1 : add_fd(run, fd);
        if (!opened) {
            return false;
        }
    }
    return true;
}

static bool add_leaf(struct slot *slot, int index, struct err *err) {
    struct run *run = &slot->runs[index];
    struct cgroup_leaf *leaf = &run->leaf;
    int copy = -1; /* ours stays, for the figures */
    if (!cgroup_leaf_open(&slot->cgroup, &run->limits, leaf, err)) {
        return false;
    }
    bool unified = leaf->dirs[CGROUP_UNIFIED] >= 0;
    run->order->leaf_at = unified ? (int)run->order_fd_count : -1;
    run->order->join_at = (int)run->order_fd_count + unified;
    for (int tree = CGROUP_UNIFIED; tree < CGROUP_TREES; tree++) {
        if (leaf->dirs[tree] >= 0) {
            if (!fd_copy(leaf->dirs[tree], &copy, err)) {
                return false;
            }
            run->order->join_count += tree != CGROUP_UNIFIED;
            add_fd(run, copy);
        }
    }
    return leaf->oom_fd < 0 || watch(slot, index, leaf->oom_fd, SOURCE_RUN_OOM, 0, err);
}

static bool fill_order(struct slot *slot, int index, const struct message_start *start, int *fds,
                       struct err *err) {
    struct run *run = &slot->runs[index];
    run->order = calloc(1, sizeof(*run->order));
    CHECK(run->order != NULL);
    run->order->record = (uint32_t)index;
    run->order->start = *start;
    if (!add_control(slot, index, err) || !add_streams(slot, index, &fds, err) ||
        !add_leaf(slot, index, err)) {
        return false;
    }
    run->order->service_at = (int)run->order_fd_count;
    run->order->file_at = run->order->service_at + (int)start->service_fd_count;
    for (uint32_t i = 0; i < start->service_fd_count + start->file_count; i++) {
        add_fd(run, take_fd(&fds[i]));
    }
    return true;
}

/* ---- starting ---- */

static void init_run(struct run *run, const struct message_start *start, int launcher) {
    *run = (struct run){
        .phase = RUN_WAITS,
        .service = start->service != 0,
        .launcher = launcher,
        .control = -1,
        .pidfd = -1,
        .streams = {{.from = -1, .kept = -1}, {.from = -1, .kept = -1}, {.from = -1, .kept = -1}},
        .pipe_of = {-1, -1, -1},
        .limits = start->limits,
        .output_count = start->output_count,
        .output_file_bytes_max = start->output_file_bytes_max,
        .stuck_ns = clock_real_mono_ns() + SETUP_NS_MAX,
        .report = {.exit_code = -1},
    };
}

/* A job of the slot begins with its first run, unless a pipe still waits for its other end. */
static void begin_job(struct slot *slot, const struct message_start *start) {
    if (!slot_is_idle(slot)) {
        return;
    }
    pipe_forget(slot, start);
    bool waits = false;
    for (int i = 0; i < BOX_PIPES_MAX; i++) {
        waits = waits || pipe_is_half_open(&slot->pipes[i]);
    }
    slot->ended_in_job = waits ? slot->ended_in_job : 0;
}

bool run_start(struct supervisor *box, struct slot *slot, const struct message_start *start,
               int *fds, uint32_t *ret_number, struct err *err) {
    int index = 0;
    while (index < BOX_RUNS_MAX && slot->runs[index].phase != RUN_FREE) {
        index++;
    }
    if (index == BOX_RUNS_MAX) {
        return err_set(err, ERR_BUSY, message_codes[CODE_SLOT_FULL], "slot %d has %d runs already",
                       slot->number, BOX_RUNS_MAX);
    }
    begin_job(slot, start);
    int launcher = slot_launcher(box, slot, start, err);
    if (launcher < 0) {
        return false;
    }
    init_run(&slot->runs[index], start, launcher);
    slot->launchers[launcher].live++;
    slot->launchers[launcher].runs++;
    if (!fill_order(slot, index, start, fds, err)) {
        run_release(slot, index);
        return false;
    }
    *ret_number = slot->runs[index].number = ++box->next_run;
    if (slot->launchers[launcher].ready) {
        run_send_order(box, slot, index);
    }
    return true;
}

void run_send_order(struct supervisor *box, struct slot *slot, int index) {
    struct run *run = &slot->runs[index];
    struct err err = {0};
    struct launcher_handle *launcher = &slot->launchers[run->launcher];
    kept_choose(launcher, run->order, run->order_fds + run->order->file_at);
    bool sent = packet_send(launcher->socket, run->order, sizeof(*run->order), run->order_fds,
                            run->order_fd_count, &err);
    fds_close(run->order_fds, run->order_fd_count);
    run->order_fd_count = 0;
    free(take(run->order));
    run->phase = RUN_SENT;
    if (!sent) {
        slot_launcher_failed(box, slot, run->launcher, &err);
    }
}

/* ---- while it runs ---- */

static void kill_run(struct run *run) {
    if (run->pidfd >= 0) {
        (void)syscall(SYS_pidfd_send_signal, run->pidfd, SIGKILL, NULL, 0);
    }
}

void run_cloned(struct supervisor *box, struct slot *slot, uint32_t index, int pidfd) {
    struct err err = {0};
    if (index >= BOX_RUNS_MAX || slot->runs[index].phase != RUN_SENT) {
        close(pidfd);
        return;
    }
    struct run *run = &slot->runs[index];
    run->phase = RUN_LIVE;
    run->pidfd = pidfd;
    if (run->decided != BOX_END_NONE) {
        kill_run(run);
    }
    uint64_t source = supervisor_source(SOURCE_RUN_DEAD, slot->number, (int)index, 0);
    if (!supervisor_watch(box, pidfd, EPOLLIN | EPOLLET, source, &err)) {
        slot_launcher_failed(box, slot, run->launcher, &err);
    }
}

void run_decide(struct run *run, enum box_end end) {
    if (run->exited || run->failed || run->decided != BOX_END_NONE) {
        return;
    }
    run->decided = end;
    run->decided_ns = clock_real_mono_ns();
    run->stuck_ns = run->decided_ns + SETUP_NS_MAX;
    kill_run(run); /* pid 1 of its namespace: the kernel ends everything with it */
}

/* The group cannot have used more than (processors or processes) times the time that passed, so
 * there is no need to look before. */
static void look_at_cpu(const struct supervisor *box, struct run *run, int64_t now_ns) {
    int64_t used_us = 0;
    if (!cgroup_leaf_cpu_us(&run->leaf, &used_us)) {
        run_decide(run, BOX_END_CPU); /* a time that cannot be read must not be free */
    }
    int64_t left_ns = (run->limits.cpu_ms * 1000 - used_us) * 1000;
    if (left_ns <= 0) {
        run->decided_cpu_us = used_us;
        run_decide(run, BOX_END_CPU);
        return;
    }
    int64_t at_once = box->setup.pinned != 0 ? 1 : box->cpu_count;
    at_once = run->limits.pids_max < at_once ? run->limits.pids_max : at_once;
    int64_t wait_ns = left_ns / at_once;
    run->next_cpu_ns = now_ns + (wait_ns > CPU_LOOK_NS_MIN ? wait_ns : CPU_LOOK_NS_MIN);
}

static void give_up(struct supervisor *box, struct slot *slot, int index) {
    struct err err = {0};
    (void)err_set(&err, ERR_SYSTEM, message_codes[CODE_BROKEN],
                  "a run could not be started or ended within 10 seconds");
    slot_launcher_failed(box, slot, slot->runs[index].launcher, &err);
}

int64_t run_tick(struct supervisor *box, struct slot *slot, int index, int64_t now_ns) {
    struct run *run = &slot->runs[index];
    if (run->phase == RUN_FREE) {
        return INT64_MAX;
    }
    if (run->held) {
        run_dead_event(box, slot, index);
        return run->held ? now_ns + MS_NS : now_ns;
    }
    if (run->stuck_ns != 0) {
        if (now_ns >= run->stuck_ns) {
            give_up(box, slot, index);
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
void run_stream_event(struct run *run, int number) {
    if (!stream_drain(&run->streams[number]) && number == 1) {
        run_decide(run, BOX_END_OUTPUT);
    }
}

void run_pipe_event(struct slot *slot, int number) {
    bool kept = pipe_relay(&slot->pipes[number]);
    for (int i = 0; !kept && i < BOX_RUNS_MAX; i++) {
        const int *pipe_of = slot->runs[i].pipe_of;
        if (slot->runs[i].phase != RUN_FREE && (pipe_of[1] == number || pipe_of[2] == number)) {
            run_decide(&slot->runs[i], BOX_END_OUTPUT);
        }
    }
}

void run_release(struct slot *slot, int index) {
    struct run *run = &slot->runs[index];
    fds_close(&run->control, 1);
    fds_close(&run->pidfd, 1);
    fds_close(run->order_fds, run->order_fd_count);
    fds_close(run->output_fds, run->output_fd_count);
    for (int i = 0; i < 3; i++) {
        stream_close(&run->streams[i]);
    }
    if (run->leaf.slot != NULL && !cgroup_leaf_close(&run->leaf)) {
        slot->launchers[run->launcher].broken = true;
    }
    free(run->order);
    run->phase = RUN_FREE;
    slot_launcher_left(slot, run->launcher);
}
