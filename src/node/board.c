/* See board.h. */
#include "node/board.h"
#include "base/check.h"
#include "base/thread.h"

#include <stdlib.h>

#define SLOT_ARENA_BYTES_MAX (64 * MIB)

enum slot_state { SLOT_FREE, SLOT_ASSIGNED, SLOT_RUNNING };

struct slot {
    enum slot_state state;
    struct machine_job job;
    struct arena *arena; /* of the job's texts and reported cases */
    int64_t deadline_mono_ms;
    enum board_stop stop;
    /* progress */
    bool dirty;
    int64_t sequence;
    enum judge_stage stage;
    int32_t case_index;
    int32_t cases_total;
    struct case_result *cases; /* not reported yet */
    int32_t case_count;
    int32_t case_capacity;
};

struct board {
    struct mutex lock;
    struct cond changed;
    const struct clock *clock;
    bool leaving;
    int count;
    struct slot slots[NODE_SLOTS_MAX];
};

struct board *board_create(int slots, const struct clock *clock) {
    CHECK(slots > 0 && slots <= NODE_SLOTS_MAX);
    struct board *board = calloc(1, sizeof *board);
    CHECK(board != NULL);
    mutex_init(&board->lock);
    cond_init(&board->changed);
    board->clock = clock;
    board->count = slots;
    return board;
}

static void slot_clear(struct slot *slot) {
    arena_free(slot->arena);
    free(slot->cases);
    *slot = (struct slot){.state = SLOT_FREE};
}

void board_free(struct board *board) {
    if (board == NULL) {
        return;
    }
    for (int i = 0; i < board->count; i++) {
        slot_clear(&board->slots[i]);
    }
    cond_done(&board->changed);
    mutex_done(&board->lock);
    free(board);
}

static int busy_locked(const struct board *board) {
    int busy = 0;
    for (int i = 0; i < board->count; i++) {
        busy += board->slots[i].state != SLOT_FREE;
    }
    return busy;
}

/* (2) */
static int64_t deadline_of(int64_t asked_mono_ms, int64_t remaining_ms) {
    return asked_mono_ms + remaining_ms - remaining_ms / 10;
}

int board_wait_free(struct board *board, int64_t wait_ms) {
    mutex_lock(&board->lock);
    bool in_time = true;
    while (in_time && !board->leaving && busy_locked(board) == board->count) {
        in_time = cond_wait_ms(&board->changed, &board->lock, wait_ms);
    }
    int free_slots = board->leaving ? 0 : board->count - busy_locked(board);
    mutex_unlock(&board->lock);
    return free_slots;
}

int board_busy(struct board *board) {
    mutex_lock(&board->lock);
    int busy = busy_locked(board);
    mutex_unlock(&board->lock);
    return busy;
}

static void copy_job(struct slot *slot, const struct machine_job *job) {
    slot->arena = arena_create(SLOT_ARENA_BYTES_MAX);
    slot->job = *job;
    slot->job.pool = arena_str(slot->arena, job->pool);
    slot->job.runtime_spec = arena_str(slot->arena, job->runtime_spec);
    slot->job.language = arena_str(slot->arena, job->language);
    slot->job.trace_id = arena_str(slot->arena, job->trace_id);
}

bool board_assign(struct board *board, const struct machine_job *job, int64_t asked_mono_ms) {
    mutex_lock(&board->lock);
    struct slot *slot = NULL;
    for (int i = 0; i < board->count && slot == NULL && !board->leaving; i++) {
        slot = board->slots[i].state == SLOT_FREE ? &board->slots[i] : NULL;
    }
    if (slot != NULL) {
        copy_job(slot, job);
        slot->state = SLOT_ASSIGNED;
        slot->case_index = -1;
        slot->deadline_mono_ms = deadline_of(asked_mono_ms, job->lease_remaining_ms);
        cond_broadcast(&board->changed);
    }
    mutex_unlock(&board->lock);
    return slot != NULL;
}

bool board_take(struct board *board, int index, struct machine_job *ret_job) {
    struct slot *slot = &board->slots[index];
    mutex_lock(&board->lock);
    while (slot->state != SLOT_ASSIGNED && !board->leaving) {
        cond_wait(&board->changed, &board->lock);
    }
    bool taken = slot->state == SLOT_ASSIGNED;
    if (taken) {
        slot->state = SLOT_RUNNING;
        *ret_job = slot->job;
    }
    mutex_unlock(&board->lock);
    return taken;
}

void board_finish(struct board *board, int index) {
    mutex_lock(&board->lock);
    CHECK(board->slots[index].state == SLOT_RUNNING);
    slot_clear(&board->slots[index]);
    cond_broadcast(&board->changed);
    mutex_unlock(&board->lock);
}

static enum board_stop ask_locked(struct board *board, struct slot *slot) {
    if (slot->stop == BOARD_GO && clock_mono_ms(board->clock) >= slot->deadline_mono_ms) {
        slot->stop = BOARD_STOP_LOST; /* (2) */
    }
    return slot->stop;
}

static void note_case(struct slot *slot, const struct case_result *finished) {
    if (slot->case_count == slot->case_capacity) {
        int32_t capacity = slot->case_capacity == 0 ? 16 : 2 * slot->case_capacity;
        CHECK(capacity <= 2 * MANIFEST_CASES_MAX);
        slot->cases = reallocarray(slot->cases, (size_t)capacity, sizeof *slot->cases);
        CHECK(slot->cases != NULL);
        slot->case_capacity = capacity;
    }
    struct case_result *copy = &slot->cases[slot->case_count++];
    *copy = *finished;
    copy->name = arena_str(slot->arena, finished->name);
    copy->message = arena_str(slot->arena, finished->message);
}

enum board_stop board_progress(struct board *board, int index, enum judge_stage stage,
                               int32_t case_index, int32_t cases_total,
                               const struct case_result *finished) {
    struct slot *slot = &board->slots[index];
    mutex_lock(&board->lock);
    CHECK(slot->state == SLOT_RUNNING);
    slot->dirty |= slot->stage != stage || slot->case_index != case_index || finished != NULL;
    slot->stage = stage;
    slot->case_index = case_index;
    slot->cases_total = cases_total;
    if (finished != NULL) {
        note_case(slot, finished);
    }
    enum board_stop stop = ask_locked(board, slot);
    mutex_unlock(&board->lock);
    return stop;
}

enum board_stop board_ask(struct board *board, int index) {
    mutex_lock(&board->lock);
    enum board_stop stop = ask_locked(board, &board->slots[index]);
    mutex_unlock(&board->lock);
    return stop;
}

int board_leases(struct board *board, struct machine_lease *leases, int max) {
    int count = 0;
    mutex_lock(&board->lock);
    for (int i = 0; i < board->count && count < max; i++) {
        if (board->slots[i].state != SLOT_FREE) {
            leases[count++] = board->slots[i].job.lease;
        }
    }
    mutex_unlock(&board->lock);
    return count;
}

/* One job can be here twice: an old lease whose slot is still ending, and a new one. */
static bool is_lease(const struct machine_lease *a, const struct machine_lease *b) {
    return a->job.value == b->job.value && a->epoch == b->epoch && a->token == b->token;
}

void board_renewed(struct board *board, const struct machine_lease *lease,
                   enum machine_renewal answer, int64_t remaining_ms, int64_t asked_mono_ms) {
    mutex_lock(&board->lock);
    for (int i = 0; i < board->count; i++) {
        struct slot *slot = &board->slots[i];
        if (slot->state == SLOT_FREE || !is_lease(&slot->job.lease, lease)) {
            continue;
        }
        if (answer == MACHINE_GO) {
            slot->deadline_mono_ms = deadline_of(asked_mono_ms, remaining_ms);
        } else if (slot->stop == BOARD_GO) { /* (3) */
            slot->stop = answer == MACHINE_STOP ? BOARD_STOP_SERVER : BOARD_STOP_LOST;
        }
    }
    mutex_unlock(&board->lock);
}

static void take_cases(struct slot *slot, struct arena *arena, struct machine_progress_item *item) {
    struct case_result *cases = arena_array(arena, (size_t)slot->case_count + 1, sizeof *cases);
    for (int32_t i = 0; i < slot->case_count; i++) {
        cases[i] = slot->cases[i];
        cases[i].name = arena_str(arena, cases[i].name);
        cases[i].message = arena_str(arena, cases[i].message);
    }
    item->cases = cases;
    item->case_count = slot->case_count;
    slot->case_count = 0;
}

int board_take_progress(struct board *board, struct arena *arena,
                        struct machine_progress_item *items, int max) {
    int count = 0;
    mutex_lock(&board->lock);
    for (int i = 0; i < board->count && count < max; i++) {
        struct slot *slot = &board->slots[i];
        if (slot->state != SLOT_RUNNING || !slot->dirty) {
            continue;
        }
        slot->dirty = false;
        struct machine_progress_item *item = &items[count++];
        *item = (struct machine_progress_item){.lease = slot->job.lease,
                                               .sequence = ++slot->sequence,
                                               .stage = slot->stage,
                                               .case_index = slot->case_index,
                                               .cases_total = slot->cases_total};
        take_cases(slot, arena, item);
    }
    mutex_unlock(&board->lock);
    return count;
}

void board_leave(struct board *board) {
    mutex_lock(&board->lock);
    board->leaving = true;
    cond_broadcast(&board->changed);
    mutex_unlock(&board->lock);
}

void board_stop_all(struct board *board, enum board_stop why) {
    mutex_lock(&board->lock);
    for (int i = 0; i < board->count; i++) {
        if (board->slots[i].state != SLOT_FREE && board->slots[i].stop == BOARD_GO) {
            board->slots[i].stop = why;
        }
    }
    mutex_unlock(&board->lock);
}

bool board_wait_idle(struct board *board, int64_t wait_ms) {
    int64_t until_ms = clock_mono_ms(board->clock) + wait_ms;
    mutex_lock(&board->lock);
    int64_t left_ms = wait_ms;
    while (busy_locked(board) > 0 && left_ms > 0 &&
           cond_wait_ms(&board->changed, &board->lock, left_ms)) {
        left_ms = until_ms - clock_mono_ms(board->clock);
    }
    bool idle = busy_locked(board) == 0;
    mutex_unlock(&board->lock);
    return idle;
}
