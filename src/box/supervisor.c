/* The event loop: requests in, answers out, limits in time. */
#include "box/supervisor.h"

#include "base/check.h"
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#define EVENTS_AT_ONCE 64
#define SECOND_NS 1000000000

int64_t supervisor_now_ns(void) {
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * SECOND_NS + now.tv_nsec;
}

bool supervisor_watch(struct supervisor *box, int fd, uint32_t events, enum source source, int slot,
                      int index, int part, struct err *err) {
    struct epoll_event event = {
        .events = events,
        .data.u64 =
            (uint64_t)source << 48 | (uint64_t)slot << 32 | (uint64_t)index << 16 | (uint64_t)part,
    };
    return epoll_ctl(box->epoll, EPOLL_CTL_ADD, fd, &event) == 0
               ? true
               : err_system(err, message_code_name(CODE_FAILED), "watch a descriptor");
}

void supervisor_close(int *fd) {
    fd_cleanup(fd);
    *fd = -1;
}

/* The socket's buffer holds the answers of every run that can be: a client for which there is no
 * room has stopped reading. */
void supervisor_answer(struct supervisor *box, struct box_answer *answer, const int *fds,
                       size_t fd_count) {
    struct err err = {0};
    answer->magic = MESSAGE_MAGIC;
    if (!box->client_gone &&
        !message_send(box->client, answer, sizeof(*answer), fds, fd_count, &err)) {
        box->client_gone = true;
    }
}

static struct slot *open_slot(struct supervisor *box, struct err *err) {
    struct slot *slot = &box->slots[box->request.slot];
    if (slot->state != SLOT_OPEN) {
        (void)err_set(err, ERR_CONFLICT, message_code_name(CODE_BAD_SLOT), "slot %d is not open",
                      box->request.slot);
        return NULL;
    }
    return slot;
}

static bool root_is_allowed(const struct supervisor *box, const char *root) {
    for (size_t i = 0; box->allowed_roots[i] != NULL; i++) {
        size_t length = strlen(box->allowed_roots[i]);
        if (strncmp(root, box->allowed_roots[i], length) == 0 &&
            (root[length] == '\0' || root[length] == '/')) {
            return true;
        }
    }
    return false;
}

static bool start(struct supervisor *box, int *fds, uint32_t *ret_run, struct err *err) {
    const struct message_start *asked = &box->request.start;
    struct slot *slot = open_slot(box, err);
    if (slot == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < asked->root_count; i++) {
        if (!root_is_allowed(box, asked->roots[i])) {
            return err_set(err, ERR_INVALID, message_code_name(CODE_BAD_RUN),
                           "the root %.200s is not in the box's list", asked->roots[i]);
        }
    }
    return run_start(box, slot, asked, fds, ret_run, err);
}

static bool kill_one(struct supervisor *box, struct err *err) {
    struct slot *slot = open_slot(box, err);
    if (slot == NULL) {
        return false;
    }
    for (int i = 0; i < BOX_RUNS_MAX; i++) {
        if (slot->runs[i].phase != RUN_FREE && slot->runs[i].number == box->request.run) {
            run_decide(&slot->runs[i], BOX_END_KILLED);
            return true;
        }
    }
    return err_set(err, ERR_MISSING, message_code_name(CODE_NO_RUN), "run %u is not in slot %d",
                   box->request.run, box->request.slot);
}

/* False: the answer comes later. */
static bool handle(struct supervisor *box, int *fds, size_t fd_count, struct box_answer *answer) {
    struct err err = {0};
    struct slot *slot = NULL;
    bool done = message_check(&box->request, box->slot_count, fd_count, &err);
    if (done) {
        switch ((enum request_kind)box->request.kind) {
        case REQUEST_SLOT_OPEN: done = slot_open(box, box->request.slot, &err); break;
        case REQUEST_SLOT_CLOSE:
            slot = open_slot(box, &err);
            if (slot != NULL) {
                slot_close_begin(box, slot, box->request.sequence);
                return false;
            }
            done = false;
            break;
        case REQUEST_START: done = start(box, fds, &answer->run, &err); break;
        case REQUEST_KILL: done = kill_one(box, &err); break;
        }
    }
    if (!done) {
        message_error_to(&err, answer);
    }
    return true;
}

static void client_event(struct supervisor *box) {
    int fds[MESSAGE_FDS_MAX];
    size_t fd_count = 0;
    switch (message_receive(box->client, &box->request, sizeof(box->request), fds, MESSAGE_FDS_MAX,
                            &fd_count)) {
    case MESSAGE_NONE: return;
    case MESSAGE_BAD:
    case MESSAGE_END: box->client_gone = true; return;
    case MESSAGE_GOT: break;
    }
    struct box_answer answer = {
        .kind = ANSWER_DONE, .sequence = box->request.sequence, .slot = box->request.slot};
    if (handle(box, fds, fd_count, &answer)) {
        supervisor_answer(box, &answer, NULL, 0);
    }
    message_close_fds(fds, fd_count);
}

/* An event may be of a run that had this place before: the kernel also signals its descriptor when
 * its cgroup goes, and a launcher that is being forked may hold a copy of it. Only the count in
 * this run's own descriptor counts. */
static bool is_out_of_memory(const struct run *run) {
    uint64_t count = 0;
    return run->leaf.oom_fd >= 0 &&
           read(run->leaf.oom_fd, &count, sizeof(count)) == (ssize_t)sizeof(count);
}

static void run_event(struct supervisor *box, enum source source, struct slot *slot, int index,
                      int part) {
    struct run *run = &slot->runs[index];
    switch (source) {
    case SOURCE_RUN_CONTROL: run_collect(slot); return;
    case SOURCE_RUN_DEAD: run_dead_event(box, slot, index); return;
    case SOURCE_RUN_OOM:
        if (run->phase != RUN_FREE && is_out_of_memory(run)) {
            run_decide(run, BOX_END_MEMORY);
        }
        return;
    case SOURCE_STREAM: run_stream_event(slot, index, part); return;
    case SOURCE_PIPE:
    case SOURCE_CLIENT:
    case SOURCE_LAUNCHER: break;
    }
    CHECK(false);
}

static void dispatch(struct supervisor *box, uint64_t data) {
    enum source source = (enum source)(data >> 48);
    struct slot *slot = &box->slots[data >> 32 & 0xffff];
    int index = (int)(data >> 16 & 0xffff);
    if (source == SOURCE_CLIENT) {
        client_event(box);
    } else if (slot->state == SLOT_CLOSED) {
        return; /* an event of what was closed a moment ago */
    } else if (source == SOURCE_LAUNCHER) {
        slot_launcher_event(box, slot, index);
    } else if (source == SOURCE_PIPE) {
        run_pipe_event(slot, index);
    } else {
        run_event(box, source, slot, index, (int)(data & 0xffff));
    }
}

/* Looks after every run's limits; returns when to do so again. */
static int64_t tick(struct supervisor *box) {
    int64_t now_ns = supervisor_now_ns();
    int64_t next_ns = INT64_MAX;
    for (int i = 0; i < box->slot_count; i++) {
        if (box->slots[i].state == SLOT_CLOSED) {
            continue;
        }
        for (int j = 0; j < BOX_RUNS_MAX; j++) {
            int64_t at_ns = run_tick(box, &box->slots[i], j, now_ns);
            next_ns = at_ns < next_ns ? at_ns : next_ns;
        }
    }
    return next_ns;
}

static int wait_events(struct supervisor *box, struct epoll_event *events, int64_t until_ns) {
    struct timespec wait = {0};
    int64_t left_ns = until_ns - supervisor_now_ns();
    if (left_ns > 0) {
        wait.tv_sec = left_ns / SECOND_NS;
        wait.tv_nsec = left_ns % SECOND_NS;
    }
    return epoll_pwait2(box->epoll, events, EVENTS_AT_ONCE, until_ns == INT64_MAX ? NULL : &wait,
                        NULL);
}

static void end_all(struct supervisor *box) {
    for (int i = 0; i < box->slot_count; i++) {
        struct slot *slot = &box->slots[i];
        for (int j = 0; slot->state != SLOT_CLOSED && j < SLOT_LAUNCHERS_MAX; j++) {
            if (slot->launchers[j].used) {
                slot_launcher_end(slot, j); /* and every run with it */
            }
        }
    }
    cgroups_close(&box->groups);
}

void supervisor_serve(struct supervisor *box) {
    while (!box->client_gone) {
        struct epoll_event events[EVENTS_AT_ONCE];
        int count = wait_events(box, events, tick(box));
        for (int i = 0; i < count; i++) {
            dispatch(box, events[i].data.u64);
        }
    }
    end_all(box);
}
