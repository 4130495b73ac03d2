/* Applying, undoing and cancelling the items of a rejudging. */
#include "app/generation_internal.h"
#include "app/lease_end_internal.h"
#include "app/rejudge_note_internal.h"
#include "app/rejudge_step_internal.h"
#include "base/check.h"

struct worker {
    struct app *app;
    struct db *db;
    int64_t now_ms;
};

typedef bool item_fn(struct worker *worker, struct item_row *item, struct held_job *held,
                     struct err *err);

static struct submission_outcome outcome_of(const struct item_outcome *from, struct job_id job) {
    return (struct submission_outcome){
        .effective_job = job,
        .verdict = from->verdict,
        .score_micro = from->score_micro,
        .cases_passed = from->cases_passed,
        .cases_total = from->cases_total,
        .cpu_ms = from->cpu_ms,
        .memory_kib = from->memory_kib,
        .now_ms = from->judged_ms, /* when it was judged, not when it began to count */
    };
}

/* Unless something else counts by now than what it was compared with: nobody's choice is
 * overwritten. */
static bool apply(struct worker *worker, struct item_row *item, struct held_job *held,
                  struct err *err) {
    struct submission_outcome outcome = outcome_of(&item->after, item->job);
    if (held->submission.effective_job.value != item->old_job.value ||
        held->submission.deleted_ms != 0) {
        item->state = ITEM_SKIPPED;
        item->reason = REASON_CHANGED;
        return item_update(worker->db, item, err);
    }
    item->state = ITEM_APPLIED;
    item->reason = REASON_NONE;
    return effective_set(worker->app, worker->db, &held->submission, &outcome, err) &&
           item_update(worker->db, item, err);
}

static bool undo(struct worker *worker, struct item_row *item, struct held_job *held,
                 struct err *err) {
    struct submission_outcome outcome = outcome_of(&item->before, item->old_job);
    if (held->submission.effective_job.value != item->job.value ||
        held->submission.deleted_ms != 0) {
        item->reason = REASON_CHANGED; /* stays applied: something later counts */
        return item_update(worker->db, item, err);
    }
    item->state = ITEM_UNDONE;
    return effective_set(worker->app, worker->db, &held->submission, &outcome, err) &&
           item_update(worker->db, item, err);
}

/* A job that is the only hope of its submission goes on by itself, and counts. */
static bool cancel(struct worker *worker, struct item_row *item, struct held_job *held,
                   struct err *err) {
    bool needed = verdict_is_none(held->submission.verdict);
    bool open = item->state == ITEM_JUDGING && job_is_open(&held->job) && !needed;
    item->state = ITEM_CANCELLED;
    item->reason = REASON_CANCELLED;
    return (!open || job_withdraw(worker->app, worker->db, held, worker->now_ms, err)) &&
           item_update(worker->db, item, err);
}

/* clang-format off */
static const struct work {
    item_fn *run;
    uint32_t states; /* of the items it is about */
} works[REJUDGING_STATE_COUNT] = {
    [REJUDGING_APPLYING]   = {apply,  1U << ITEM_JUDGED | 1U << ITEM_UNDONE},
    [REJUDGING_UNDOING]    = {undo,   1U << ITEM_APPLIED},
    [REJUDGING_CANCELLING] = {cancel, 1U << ITEM_JUDGING | 1U << ITEM_JUDGED | 1U << ITEM_FAILED},
};
/* clang-format on */

bool rejudge_items_page(struct db *db, struct rejudge_step *step, struct err *err) {
    struct item_rows page = {
        .states = works[step->row.state].states,
        .after = step->row.cursor,
        .rows = arena_array(step->arena, REJUDGE_STEP_MAX, sizeof page.rows[0]),
        .max = REJUDGE_STEP_MAX,
    };
    if (!item_page(db, step->row.id, &page, err)) {
        return false;
    }
    step->items = page.rows;
    step->count = page.count;
    return true;
}

static bool work_on(struct worker *worker, const struct rejudge_step *step,
                    const struct item_row *read, struct held_job *held, struct err *err) {
    const struct work *work = &works[step->row.state];
    struct item_row item = {0};
    bool found = false;
    if (!item_get(worker->db, step->row.id, read->submission, &item, &found, err)) {
        return false;
    }
    bool mine =
        found && (work->states & 1U << item.state) != 0 && item.job.value == read->job.value;
    return !mine || work->run(worker, &item, held, err);
}

bool rejudge_items_run(struct app *app, struct db *db, struct rejudge_step *step,
                       int64_t *ret_now_ms, struct err *err) {
    struct job_id *jobs = arena_array(step->arena, (size_t)step->count + 1, sizeof jobs[0]);
    struct held_jobs held = {0};
    struct worker worker = {.app = app, .db = db};
    for (int i = 0; i < step->count; i++) {
        jobs[i] = step->items[i].job;
    }
    if (!hold_jobs(db, (struct job_list){jobs, step->count}, HOLD_SUBMISSIONS, step->arena, &held,
                   err) ||
        !db_now(db, &worker.now_ms, err)) {
        return false;
    }
    *ret_now_ms = worker.now_ms;
    for (int i = 0; i < step->count; i++) {
        struct held_job *row = held_find(&held, step->items[i].job);
        if (row->found && !work_on(&worker, step, &step->items[i], row, err)) {
            return false;
        }
        step->row.cursor = step->items[i].submission.value;
    }
    step->moved = true;
    return true;
}
