/* The event loop: requests in, answers out, limits in time. */
#include "box/supervisor.h"

#include "base/clock.h"
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#define EVENTS_AT_ONCE 64
#define SECOND_NS 1000000000

uint64_t supervisor_source(enum source source, int slot, int index, int part) {
    return (uint64_t)source << 48 | (uint64_t)slot << 32 | (uint64_t)index << 16 | (uint64_t)part;
}

bool supervisor_watch(struct supervisor *box, int fd, uint32_t events, uint64_t source,
                      struct err *err) {
    struct epoll_event event = {.events = events, .data.u64 = source};
    return epoll_ctl(box->epoll, EPOLL_CTL_ADD, fd, &event) == 0 ||
           err_system(err, message_codes[CODE_FAILED], "watch a descriptor");
}

/* The socket's buffer holds the answers of every run that can be: a client for which there is no
 * room has stopped reading. */
void supervisor_answer(struct supervisor *box, struct box_answer *answer, const int *fds,
                       size_t fd_count) {
    struct err err = {0};
    answer->magic = MESSAGE_MAGIC;
    if (!box->client_gone) {
        box->client_gone = !packet_send(box->client, answer, sizeof(*answer), fds, fd_count, &err);
    }
}

/* ---- requests ---- */

static bool root_is_allowed(const struct box_setup *setup, const char *root) {
    for (uint32_t i = 0; i < setup->root_count; i++) {
        size_t length = strlen(setup->roots[i]);
        if (strncmp(root, setup->roots[i], length) == 0 &&
            (root[length] == '\0' || root[length] == '/')) {
            return true;
        }
    }
    return false;
}

static bool start(struct supervisor *box, struct slot *slot, int *fds, uint32_t *ret_run,
                  struct err *err) {
    const struct message_start *asked = &box->request.start;
    for (uint32_t i = 0; i < asked->root_count; i++) {
        if (!root_is_allowed(&box->setup, asked->roots[i])) {
            return err_set(err, ERR_INVALID, message_codes[CODE_BAD_RUN],
                           "the root %.200s is not in the box's list", asked->roots[i]);
        }
    }
    return run_start(box, slot, asked, fds, ret_run, err);
}

static bool kill_one(struct slot *slot, uint32_t number, struct err *err) {
    for (int i = 0; i < BOX_RUNS_MAX; i++) {
        if (slot->runs[i].phase != RUN_FREE && slot->runs[i].number == number) {
            run_decide(&slot->runs[i], BOX_END_KILLED);
            return true;
        }
    }
    return err_set(err, ERR_MISSING, message_codes[CODE_NO_RUN], "run %u is not in slot %d", number,
                   slot->number);
}

/* Answers the request, or begins to close a slot, which answers later. */
static void handle(struct supervisor *box, int *fds, size_t fd_count) {
    const struct box_request *request = &box->request;
    struct box_answer answer = {
        .kind = ANSWER_DONE, .sequence = request->sequence, .slot = request->slot};
    struct err err = {0};
    bool right = message_check(request, box->setup.slots, fd_count, &err);
    struct slot *slot = right ? &box->slots[request->slot] : NULL;
    if (right && request->kind == REQUEST_SLOT_OPEN) {
        right = slot_open(box, request->slot, &err);
    } else if (right && slot->state != SLOT_OPEN) {
        right = err_set(&err, ERR_CONFLICT, message_codes[CODE_BAD_SLOT], "slot %d is not open",
                        request->slot);
    } else if (right && request->kind == REQUEST_SLOT_CLOSE) {
        slot_close_begin(box, slot, request->sequence);
        return;
    } else if (right) {
        right = request->kind == REQUEST_START ? start(box, slot, fds, &answer.run, &err)
                                               : kill_one(slot, request->run, &err);
    }
    if (!right) {
        message_error_to(&err, &answer);
    }
    supervisor_answer(box, &answer, NULL, 0);
}

static void client_event(struct supervisor *box) {
    int fds[MESSAGE_FDS_MAX];
    size_t fd_count = 0;
    enum packet_got got = packet_receive(box->client, &box->request, sizeof(box->request), fds,
                                         MESSAGE_FDS_MAX, &fd_count);
    if (got == PACKET_GOT) {
        handle(box, fds, fd_count);
    }
    fds_close(fds, fd_count);
    box->client_gone = box->client_gone || got == PACKET_END || got == PACKET_BAD;
}

/* ---- events ---- */

/* An event may be of something that was closed a moment ago, and its place used again: whoever
 * handles one looks whether there is anything to do. */
static void dispatch(struct supervisor *box, uint64_t data) {
    enum source source = (enum source)(data >> 48);
    struct slot *slot = &box->slots[data >> 32 & 0xffff];
    int index = (int)(data >> 16 & 0xffff);
    struct run *run = &slot->runs[index];
    if (source == SOURCE_CLIENT) {
        client_event(box);
        return;
    }
    if (slot->state == SLOT_CLOSED || (source >= SOURCE_RUN_CONTROL && run->phase == RUN_FREE)) {
        return;
    }
    if (source == SOURCE_LAUNCHER) {
        slot_launcher_event(box, slot, index);
    } else if (source == SOURCE_PIPE) {
        run_pipe_event(slot, index);
    } else if (source == SOURCE_RUN_CONTROL) {
        run_collect(slot);
        cgroup_slot_prepare(&slot->cgroup); /* not earlier: it would hold up the start */
    } else if (source == SOURCE_RUN_DEAD) {
        run_dead_event(box, slot, index);
    } else if (source == SOURCE_RUN_STREAM) {
        run_stream_event(run, (int)(data & 0xffff));
    } else if (source == SOURCE_RUN_OOM && cgroup_leaf_is_full(&run->leaf)) {
        run_decide(run, BOX_END_MEMORY);
    }
}

/* Looks after every run's limits; returns when to do so again. */
static int64_t tick(struct supervisor *box) {
    int64_t now_ns = clock_real_mono_ns();
    int64_t next_ns = INT64_MAX;
    for (int i = 0; i < box->setup.slots; i++) {
        for (int j = 0; box->slots[i].state != SLOT_CLOSED && j < BOX_RUNS_MAX; j++) {
            int64_t at_ns = run_tick(box, &box->slots[i], j, now_ns);
            next_ns = at_ns < next_ns ? at_ns : next_ns;
        }
    }
    return next_ns;
}

void supervisor_step(struct supervisor *box) {
    struct epoll_event events[EVENTS_AT_ONCE];
    int64_t left_ns = tick(box) - clock_real_mono_ns();
    left_ns = left_ns > 0 ? left_ns : 0;
    struct timespec wait = {.tv_sec = left_ns / SECOND_NS, .tv_nsec = left_ns % SECOND_NS};
    int count = epoll_pwait2(box->epoll, events, EVENTS_AT_ONCE, &wait, NULL);
    for (int i = 0; i < count; i++) {
        dispatch(box, events[i].data.u64);
    }
}

void supervisor_serve(struct supervisor *box) {
    while (!box->client_gone) {
        supervisor_step(box);
    }
    for (int i = 0; i < box->setup.slots; i++) {
        for (int j = 0; box->slots[i].state != SLOT_CLOSED && j < SLOT_LAUNCHERS_MAX; j++) {
            if (box->slots[i].launchers[j].used) {
                slot_launcher_end(&box->slots[i], j); /* and every run with it */
            }
        }
    }
    cgroups_close(&box->groups);
}
