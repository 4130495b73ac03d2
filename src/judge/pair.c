/* A program and its interactor at the same time. */
#include "judge/pair.h"

#include "base/check.h"

#define PIPE_TO_INTERACTOR 0
#define PIPE_TO_PROGRAM 1

void pair_join(struct pair *pair, int64_t program_bytes_max, int64_t interactor_bytes_max) {
    struct box_stream *program = pair->specs[PAIR_PROGRAM].streams;
    struct box_stream *interactor = pair->specs[PAIR_INTERACTOR].streams;
    program[0] = (struct box_stream){.kind = BOX_STREAM_PIPE, .fd = -1, .pipe = PIPE_TO_PROGRAM};
    program[1] = (struct box_stream){.kind = BOX_STREAM_PIPE,
                                     .fd = -1,
                                     .pipe = PIPE_TO_INTERACTOR,
                                     .bytes_max = program_bytes_max};
    interactor[0] =
        (struct box_stream){.kind = BOX_STREAM_PIPE, .fd = -1, .pipe = PIPE_TO_INTERACTOR};
    interactor[1] = (struct box_stream){.kind = BOX_STREAM_PIPE,
                                        .fd = -1,
                                        .pipe = PIPE_TO_PROGRAM,
                                        .bytes_max = interactor_bytes_max};
}

struct running {
    struct work *work;
    const struct pair *pair;
    struct box_result *results;
    uint32_t runs[PAIR_COUNT]; /* 0: not running */
    int live;                  /* whose result has not come */
};

static bool start(struct running *running, int which, struct err *err) {
    struct work *work = running->work;
    if (!box_start(work->judge->box, work->slot, &running->pair->specs[which],
                   &running->runs[which], err)) {
        running->runs[which] = 0;
        return work_node_fault(err);
    }
    running->live++;
    return true;
}

static bool kill_one(const struct running *running, int which, struct err *err) {
    return running->runs[which] == 0 || work_kill(running->work, running->runs[which], err);
}

/* The first error is the one that counts. */
static bool give_up(struct running *running) {
    struct work *work = running->work;
    struct err ignored = {0};
    bool killed = true;
    for (int i = 0; i < PAIR_COUNT; i++) {
        killed = kill_one(running, i, &ignored) && killed;
    }
    for (; killed && running->live > 0; running->live--) {
        own_box_result result;
        box_result_init(&result);
        killed = box_wait(work->judge->box, work->slot, -1, &result, &ignored) ||
                 ignored.kind != ERR_DEADLINE;
    }
    return false;
}

static void take_one(struct running *running, const struct box_result *result) {
    int which = result->run == running->runs[PAIR_PROGRAM] ? PAIR_PROGRAM : PAIR_INTERACTOR;
    CHECK(result->run == running->runs[which]);
    running->results[which] = *result;
    running->runs[which] = 0;
    running->live--;
}

static bool wait_one(struct running *running, struct err *err) {
    struct work *work = running->work;
    struct box_result result;
    box_result_init(&result);
    while (!box_wait(work->judge->box, work->slot, JUDGE_WAIT_MS, &result, err)) {
        if (err->kind != ERR_DEADLINE) {
            running->live--; /* that was the answer of one of the two */
            return work_node_fault(err);
        }
        if (!work_report(work, err)) {
            return false;
        }
    }
    take_one(running, &result);
    return true;
}

static bool wait_both(struct running *running, struct err *err) {
    const struct pair *pair = running->pair;
    if (!wait_one(running, err)) {
        return false;
    }
    if (running->runs[PAIR_PROGRAM] != 0 &&
        pair->is_settled(pair->context, &running->results[PAIR_INTERACTOR]) &&
        !kill_one(running, PAIR_PROGRAM, err)) {
        return false;
    }
    return wait_one(running, err);
}

bool pair_run(struct work *work, const struct pair *pair, struct box_result results[PAIR_COUNT],
              struct err *err) {
    struct running running = {.work = work, .pair = pair, .results = results};
    if (!quiet_enter(work, err)) {
        return false;
    }
    work->now.finished = NULL;
    /* The interactor first: the program's time to wait for it has not begun then. */
    bool good = start(&running, PAIR_INTERACTOR, err) && start(&running, PAIR_PROGRAM, err) &&
                wait_both(&running, err);
    good = good || give_up(&running);
    quiet_leave(work);
    return good;
}
