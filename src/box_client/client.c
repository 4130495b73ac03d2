/* The client: starts assize-box and routes its answers to the threads that wait for them. Whoever
 * waits reads the socket for all, one at a time; so no thread of the library's own is needed. */
#include "box/box.h"

#include "base/check.h"
#include "base/clock.h"
#include "base/thread.h"
#include "box_client/doctor.h"
#include "box_client/pack.h"
#include "box_client/prove.h"
#include "box_client/spawn.h"
#include "box_client/steal.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILD_FD 3 /* where assize-box expects its socket */
#define READY_MS_MAX 30000
#define RESULT_FDS_MAX (2 + BOX_FILES_MAX)
#define RESULTS_MAX (2 * BOX_RUNS_MAX) /* of one slot, not yet taken */

struct box_arrived {
    struct box_answer answer;
    int fds[RESULT_FDS_MAX];
    size_t fd_count;
};

/* What the machine had lost when a run began. */
struct client_run {
    uint32_t run;
    int64_t steal_us;
};

struct client_slot {
    struct client_run runs[RESULTS_MAX];
    size_t next_run;
    struct box_arrived results[RESULTS_MAX]; /* a ring of `count` from `first` on */
    size_t first;
    size_t count;
};

struct box {
    int socket;
    pid_t pid;
    int slot_count;
    struct mutex lock; /* of all below */
    struct cond changed;
    bool reading; /* some thread reads the socket */
    bool broken;
    uint32_t sequence;
    struct box_answer done[BOX_SLOTS_MAX]; /* the answer to the slot's last request */
    struct client_slot *slots;
    struct steal steal;
};

static bool broken(struct err *err) {
    return err_fault(err, FAULT_NODE, ERR_SYSTEM, message_codes[CODE_BROKEN],
                     "assize-box has ended");
}

void box_result_init(struct box_result *result) {
    memset(result, 0, sizeof(*result));
    for (int i = 0; i < 3; i++) {
        result->stream_fds[i] = -1;
    }
    for (int i = 0; i < BOX_FILES_MAX; i++) {
        result->output_fds[i] = -1;
    }
}

void box_result_done(struct box_result *result) {
    if (result == NULL || result->run == 0) {
        return;
    }
    fds_close(result->stream_fds, 3);
    fds_close(result->output_fds, BOX_FILES_MAX);
    result->run = 0;
}

/* ---- starting and ending ---- */

static bool wait_ready(struct box *box, struct err *err) {
    struct box_answer answer = {0};
    struct pollfd readable = {.fd = box->socket, .events = POLLIN};
    int fds[1];
    size_t count = 0;
    if (poll(&readable, 1, READY_MS_MAX) != 1 ||
        packet_receive(box->socket, &answer, sizeof(answer), fds, 1, &count) != PACKET_GOT ||
        answer.magic != MESSAGE_MAGIC || answer.kind != ANSWER_READY) {
        return err_set(
            err, ERR_SYSTEM, message_codes[CODE_UNAVAILABLE],
            "assize-box did not answer: is it of the same version, and started as root?");
    }
    return pack_error(&answer, err);
}

bool box_open(const struct box_options *options, struct box **ret_box, struct err *err) {
    int pair[2];
    struct box_setup setup; /* some 17 KB */
    if (!spawn_setup(options, &setup, err) || !doctor_check(err)) {
        return false;
    }
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
        return err_system(err, message_codes[CODE_UNAVAILABLE], "make a socket pair");
    }
    own_fd theirs = pair[1];
    if (theirs == CHILD_FD) { /* dup2 onto itself would leave it to be closed by the exec */
        theirs = fcntl(pair[1], F_DUPFD_CLOEXEC, CHILD_FD + 1);
        close(pair[1]);
    }
    own(box) box = calloc(1, sizeof(*box));
    CHECK(box != NULL);
    box->slots = calloc((size_t)options->slots, sizeof(*box->slots));
    CHECK(box->slots != NULL);
    box->socket = pair[0];
    box->slot_count = options->slots;
    mutex_init(&box->lock);
    cond_init(&box->changed);
    if (!spawn_box(options, theirs, &box->pid, err) ||
        !packet_send(box->socket, &setup, sizeof(setup), NULL, 0, err)) {
        return false;
    }
    fd_cleanup(&theirs);
    theirs = -1;
    if (!wait_ready(box, err) || !prove_box(box, err)) {
        return false;
    }
    *ret_box = take(box);
    return true;
}

static struct box_arrived *oldest(struct client_slot *slot) {
    return &slot->results[slot->first];
}

static void drop_oldest(struct client_slot *slot) {
    slot->first = (slot->first + 1) % RESULTS_MAX;
    slot->count--;
}

static void drop_results(struct client_slot *slot) {
    for (; slot->count > 0; drop_oldest(slot)) {
        fds_close(oldest(slot)->fds, oldest(slot)->fd_count);
    }
}

void box_close(struct box *box) {
    if (box == NULL) {
        return;
    }
    fd_cleanup(&box->socket); /* the box ends everything and itself when it sees this */
    while (box->pid > 0 && waitpid(box->pid, NULL, 0) < 0 && errno == EINTR) {
    }
    for (int i = 0; i < box->slot_count; i++) {
        drop_results(&box->slots[i]);
    }
    cond_done(&box->changed);
    mutex_done(&box->lock);
    free(box->slots);
    free(box);
}

/* ---- answers ---- */

static void keep_answer(struct box *box, const struct box_arrived *arrived) {
    const struct box_answer *answer = &arrived->answer;
    if (answer->magic != MESSAGE_MAGIC || answer->slot < 0 || answer->slot >= box->slot_count) {
        box->broken = true;
        return;
    }
    if (answer->kind == ANSWER_DONE) {
        box->done[answer->slot] = *answer;
        return;
    }
    struct client_slot *slot = &box->slots[answer->slot];
    if (slot->count == RESULTS_MAX) {
        box->broken = true; /* more ended runs than there can be */
        return;
    }
    slot->results[(slot->first + slot->count++) % RESULTS_MAX] = *arrived;
}

/* Reads one answer with the lock released. False when `timeout_ms` passed. */
static bool read_one(struct box *box, int64_t timeout_ms) {
    struct box_arrived arrived = {.fd_count = 0};
    struct pollfd readable = {.fd = box->socket, .events = POLLIN};
    int wait_ms = timeout_ms < 0 ? -1 : timeout_ms > INT_MAX ? INT_MAX : (int)timeout_ms;
    mutex_unlock(&box->lock);
    int there = poll(&readable, 1, wait_ms);
    enum packet_got got = PACKET_NONE;
    if (there == 1) {
        got = packet_receive(box->socket, &arrived.answer, sizeof(arrived.answer), arrived.fds,
                             RESULT_FDS_MAX, &arrived.fd_count);
    }
    mutex_lock(&box->lock);
    if (got == PACKET_GOT) {
        keep_answer(box, &arrived);
    } else if (got != PACKET_NONE) {
        box->broken = true;
    }
    return there != 0;
}

/* Lets one answer arrive, read by this thread or by another. Called with the lock held. False when
 * the deadline passed; what is there by then is read even so. */
static bool wait_change(struct box *box, int64_t deadline_ms) {
    int64_t left_ms = -1;
    if (deadline_ms >= 0) {
        left_ms = deadline_ms - clock_mono_ms(&clock_real);
        left_ms = left_ms < 0 ? 0 : left_ms;
    }
    if (box->reading) {
        if (left_ms < 0) {
            cond_wait(&box->changed, &box->lock);
            return true;
        }
        return cond_wait_ms(&box->changed, &box->lock, left_ms);
    }
    box->reading = true;
    bool in_time = read_one(box, left_ms);
    box->reading = false;
    cond_broadcast(&box->changed); /* the answer may be another's, and another must read on */
    return in_time;
}

/* Sends a request of a slot and waits for its answer. */
static bool ask(struct box *box, struct box_request *request, const int *fds, size_t fd_count,
                uint32_t *ret_run, struct err *err) {
    mutex_lock(&box->lock);
    request->magic = MESSAGE_MAGIC;
    request->sequence = ++box->sequence;
    bool sent =
        !box->broken && packet_send(box->socket, request, sizeof(*request), fds, fd_count, err);
    bool answered = false;
    while (sent && !answered && !box->broken) {
        answered = box->done[request->slot].sequence == request->sequence;
        if (!answered) {
            (void)wait_change(box, -1);
        }
    }
    struct box_answer answer = box->done[request->slot];
    mutex_unlock(&box->lock);
    if (!answered) {
        return broken(err);
    }
    *ret_run = answer.run;
    return pack_error(&answer, err);
}

static bool ask_simply(struct box *box, enum request_kind kind, int slot, uint32_t run,
                       struct err *err) {
    struct box_request *request = calloc(1, sizeof(*request));
    CHECK(request != NULL);
    *request = (struct box_request){.magic = MESSAGE_MAGIC, .kind = kind, .slot = slot, .run = run};
    uint32_t ignored = 0;
    bool done = message_check(request, box->slot_count, 0, err) &&
                ask(box, request, NULL, 0, &ignored, err);
    free(request);
    return done;
}

/* ---- the interface ---- */

bool box_slot_open(struct box *box, int slot, struct err *err) {
    return ask_simply(box, REQUEST_SLOT_OPEN, slot, 0, err);
}

bool box_slot_close(struct box *box, int slot, struct err *err) {
    bool closed = ask_simply(box, REQUEST_SLOT_CLOSE, slot, 0, err);
    if (slot >= 0 && slot < box->slot_count) {
        mutex_lock(&box->lock);
        drop_results(&box->slots[slot]);
        mutex_unlock(&box->lock);
    }
    return closed;
}

bool box_start(struct box *box, int slot, const struct box_run_spec *spec, uint32_t *ret_run,
               struct err *err) {
    struct box_request *request = calloc(1, sizeof(*request));
    CHECK(request != NULL);
    int fds[MESSAGE_FDS_MAX];
    size_t count = 0;
    bool done = pack_run(spec, request, fds, &count, err);
    request->slot = slot;
    done = done && message_check(request, box->slot_count, count, err) &&
           ask(box, request, fds, count, ret_run, err);
    free(request);
    if (done) {
        mutex_lock(&box->lock);
        struct client_slot *own = &box->slots[slot];
        own->runs[own->next_run++ % RESULTS_MAX] =
            (struct client_run){.run = *ret_run, .steal_us = steal_us(&box->steal)};
        mutex_unlock(&box->lock);
    }
    return done;
}

/* Puts the descriptors where the result names them. */
static bool take_result(struct box_arrived *arrived, struct box_result *ret_result,
                        struct err *err) {
    const struct box_answer *answer = &arrived->answer;
    size_t next = 0;
    if (!pack_error(answer, err)) {
        fds_close(arrived->fds, arrived->fd_count);
        return false;
    }
    *ret_result = answer->result;
    for (int i = 0; i < 3; i++) {
        bool there = (answer->capture >> i & 1) != 0 && next < arrived->fd_count;
        ret_result->stream_fds[i] = there ? arrived->fds[next++] : -1;
    }
    for (size_t i = 0; i < BOX_FILES_MAX; i++) {
        bool there = i < answer->output_count && next < arrived->fd_count &&
                     ret_result->output_states[i] == BOX_OUTPUT_FILE;
        ret_result->output_fds[i] = there ? arrived->fds[next++] : -1;
    }
    return true;
}

static int64_t stolen_from(struct box *box, int slot, uint32_t run) {
    for (size_t i = 0; i < RESULTS_MAX; i++) {
        if (box->slots[slot].runs[i].run == run) {
            return steal_us(&box->steal) - box->slots[slot].runs[i].steal_us;
        }
    }
    return 0;
}

bool box_wait(struct box *box, int slot, int64_t timeout_ms, struct box_result *ret_result,
              struct err *err) {
    if (slot < 0 || slot >= box->slot_count) {
        return err_set(err, ERR_INVALID, message_codes[CODE_BAD_SLOT], "there is no slot %d", slot);
    }
    int64_t deadline_ms = timeout_ms < 0 ? -1 : clock_mono_ms(&clock_real) + timeout_ms;
    bool in_time = true;
    mutex_lock(&box->lock);
    while (box->slots[slot].count == 0 && !box->broken && in_time) {
        in_time = wait_change(box, deadline_ms);
    }
    if (box->slots[slot].count == 0) {
        bool is_broken = box->broken;
        mutex_unlock(&box->lock);
        return is_broken
                   ? broken(err)
                   : err_set(err, ERR_DEADLINE, "box_still_runs",
                             "no run of slot %d ended within %lld ms", slot, (long long)timeout_ms);
    }
    struct box_arrived arrived = *oldest(&box->slots[slot]);
    drop_oldest(&box->slots[slot]);
    arrived.answer.result.steal_us = stolen_from(box, slot, arrived.answer.run);
    mutex_unlock(&box->lock);
    return take_result(&arrived, ret_result, err);
}

bool box_kill(struct box *box, int slot, uint32_t run, struct err *err) {
    return ask_simply(box, REQUEST_KILL, slot, run, err);
}

bool box_run(struct box *box, int slot, const struct box_run_spec *spec,
             struct box_result *ret_result, struct err *err) {
    uint32_t run = 0;
    return box_start(box, slot, spec, &run, err) && box_wait(box, slot, -1, ret_result, err);
}
