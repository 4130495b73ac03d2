#include "app/generation_internal.h"
#include "app/manifest_hold_internal.h"
#include "app/news_internal.h"
#include "app/refusal_internal.h"
#include "app/rejudge_note_internal.h"
#include "app/rejudge_step_internal.h"
#include "base/check.h"
#include "base/limits.h"
#include "base/log.h"

#include <string.h>

#define ARENA_BYTES_MAX (8 * MIB)
#define PAGE_MAX 200
#define HOLDS_MAX 64
#define PAGES_MAX 50 /* of one pass */

bool manifest_fault_note(struct app *app, struct db *db, const struct held_job *held,
                         const struct ending *ending, bool *ret_hold, struct err *err) {
    own(arena) arena = arena_create(ARENA_BYTES_MAX);
    struct job_body body = {0};
    struct manifest_hold hold = {0};
    int64_t count = 0;
    bool found = false;
    (void)app;
    if (!job_body_get(db, held->id, arena, &body, err) ||
        !manifest_hold_get(db, body.manifest_id, arena, &hold, &found, err)) {
        return false;
    }
    *ret_hold = found && hold.state != MANIFEST_RELEASING;
    if (found) {
        return true;
    }
    if (!manifest_fault_add(db, body.manifest_id, held->submission.id, ending->now_ms, err) ||
        !manifest_fault_count(db, body.manifest_id, MANIFEST_FAULTS_MAX, &count, err)) {
        return false;
    }
    if (count < MANIFEST_FAULTS_MAX) {
        return true;
    }
    hold = (struct manifest_hold){
        .problem = held->submission.problem,
        .state = MANIFEST_HOLDING,
        .code = ending->code,
        .detail = ending->detail,
        .at_ms = ending->now_ms,
    };
    memcpy(hold.manifest, body.manifest_id, sizeof hold.manifest);
    log_warn("problem.held", LOG_I64("problem", hold.problem.value), LOG_TEXT("code", hold.code));
    return manifest_hold_insert(db, &hold, err);
}

bool manifest_hold_mended(struct db *db, struct problem_id problem, struct arena *arena,
                          struct err *err) {
    struct manifest_holds holds = {.rows = arena_array(arena, HOLDS_MAX, sizeof holds.rows[0]),
                                   .max = HOLDS_MAX};
    if (!manifest_hold_list(db, problem, arena, &holds, err)) {
        return false;
    }
    for (int i = 0; i < holds.count; i++) {
        holds.rows[i].state = MANIFEST_RELEASING;
        holds.rows[i].cursor = 0;
        if (!manifest_hold_update(db, &holds.rows[i], err)) {
            return false;
        }
    }
    return true;
}

/* ---- working off ---- */

struct sweep {
    struct write_item item;
    struct manifest_hold hold; /* as read */
    struct submission_id submissions[PAGE_MAX];
    struct rejudge_plan *plans; /* RELEASING: what each is judged with now */
    int count;
    struct arena *arena;
};

static bool put_on_hold(struct app *app, struct db *db, struct held_job *held, int64_t now_ms,
                        struct err *err) {
    struct job_hold row = {.job = held->id, .kind = HOLD_BY_PROBLEM, .at_ms = now_ms};
    bool taken = false; /* a node has it: it fails there, and is held then */
    return held->job.state != JOB_QUEUED || job_is_on_hold(&held->job) ||
           job_put_on_hold(app, db, held, &row, &taken, err);
}

/* With the present version of the problem: the broken one would only fail again. */
static bool judge_mended(struct app *app, struct db *db, const struct sweep *sweep,
                         struct held_job *held, int64_t now_ms, struct err *err) {
    const struct rejudge_plan *plan = NULL;
    for (int i = 0; i < sweep->count && plan == NULL; i++) {
        bool same = sweep->plans[i].submission.value == held->submission.id.value;
        plan = same ? &sweep->plans[i] : NULL;
    }
    if (!job_is_on_hold(&held->job) || plan == NULL || !plan->judgeable) {
        return true;
    }
    if (memcmp(plan->body.manifest_id, sweep->hold.manifest, 32) == 0) {
        return job_let_go(app, db, held, err);
    }
    struct job_id old = held->id;
    struct generation generation = {.body = &plan->body,
                                    .queue = plan->queue,
                                    .priority = held->job.priority,
                                    .order_key = held->job.order_key,
                                    .now_ms = now_ms};
    return job_withdraw(app, db, held, now_ms, err) &&
           generation_add(app, db, held, &generation, err) &&
           rejudge_note_moved(db, old, generation.job, err);
}

static bool hold_all(struct db *db, const struct sweep *sweep, struct held_jobs *held,
                     int64_t *ret_now_ms, struct err *err) {
    struct job_id *jobs = arena_array(sweep->arena, PAGE_MAX, sizeof jobs[0]);
    int count = 0;
    for (int i = 0; i < sweep->count; i++) {
        struct submission_facts facts = {0};
        bool found = false;
        if (!submission_store_get(db, sweep->submissions[i], &facts, &found, err)) {
            return false;
        }
        if (found) {
            jobs[count++] = facts.current_job;
        }
    }
    return hold_jobs(db, (struct job_list){jobs, count}, HOLD_SUBMISSIONS, sweep->arena, held,
                     err) &&
           db_now(db, ret_now_ms, err);
}

static bool finish_page(struct db *db, const struct sweep *sweep, struct err *err) {
    struct manifest_hold hold = sweep->hold;
    bool last = sweep->count < PAGE_MAX;
    if (hold.state == MANIFEST_RELEASING && last) {
        return manifest_hold_delete(db, hold.manifest, err) &&
               manifest_fault_forget(db, hold.manifest, err);
    }
    if (sweep->count > 0) {
        hold.cursor = sweep->submissions[sweep->count - 1].value;
    }
    return manifest_hold_update(db, &hold, err);
}

static bool run(struct app *app, struct db *db, struct write_item **items, int count,
                struct err *err) {
    CHECK(count == 1);
    struct sweep *sweep = (struct sweep *)items[0];
    struct held_jobs held = {0};
    int64_t now_ms = 0;
    bool releasing = sweep->hold.state == MANIFEST_RELEASING;
    news_reset(app);
    if (!hold_all(db, sweep, &held, &now_ms, err)) {
        return false;
    }
    for (int i = 0; i < held.count; i++) {
        struct held_job *row = &held.rows[i];
        bool current = row->found && row->submission.current_job.value == row->id.value;
        if (current && !(releasing ? judge_mended(app, db, sweep, row, now_ms, err)
                                   : put_on_hold(app, db, row, now_ms, err))) {
            return false;
        }
    }
    sweep->item.ok = true;
    return finish_page(db, sweep, err);
}

static const struct write_kind sweep_kind = {
    .name = "manifest.hold", .batch_max = 1, .run = run, .committed = news_tell};

static bool read_page(struct app *app, struct sweep *sweep, struct err *err) {
    own(db_reader) reader = NULL;
    if (!db_pool_take(app->readers, &reader, err) || !db_begin(reader->db, err) ||
        !manifest_hold_jobs(reader->db, &sweep->hold, sweep->submissions, PAGE_MAX, &sweep->count,
                            err)) {
        return false;
    }
    sweep->plans = arena_array(sweep->arena, PAGE_MAX, sizeof sweep->plans[0]);
    for (int i = 0; sweep->hold.state == MANIFEST_RELEASING && i < sweep->count; i++) {
        sweep->plans[i].submission = sweep->submissions[i];
        if (!rejudge_plan_one(app, reader->db, 0, sweep->arena, &sweep->plans[i], err)) {
            return false;
        }
    }
    return true;
}

/* *ret_more: a whole page was done. */
static bool sweep_page(struct app *app, struct manifest_hold *hold, bool *ret_more) {
    own(arena) arena = arena_create(ARENA_BYTES_MAX);
    struct err ignored = {0}; /* the next pass tries again */
    struct sweep sweep = {.item = {.kind = &sweep_kind}, .hold = *hold, .arena = arena};
    *ret_more = false;
    if (!read_page(app, &sweep, &ignored) ||
        (sweep.count == 0 && hold->state != MANIFEST_RELEASING) ||
        !app_write_wait(app, &sweep.item, &ignored)) {
        return false;
    }
    hold->cursor = sweep.count > 0 ? sweep.submissions[sweep.count - 1].value : hold->cursor;
    *ret_more = sweep.count == PAGE_MAX;
    return true;
}

bool manifest_hold_pass(struct app *app) {
    own(arena) arena = arena_create(ARENA_BYTES_MAX);
    struct manifest_holds holds = {.rows = arena_array(arena, HOLDS_MAX, sizeof holds.rows[0]),
                                   .max = HOLDS_MAX};
    struct err ignored = {0};
    bool some = false;
    {
        own(db_reader) reader = NULL;
        if (!db_pool_take(app->readers, &reader, &ignored) ||
            !manifest_hold_list(reader->db, (struct problem_id){0}, arena, &holds, &ignored)) {
            return false;
        }
    }
    for (int i = 0; i < holds.count; i++) {
        bool more = true;
        for (int page = 0; more && page < PAGES_MAX; page++) {
            some = sweep_page(app, &holds.rows[i], &more) || some;
        }
    }
    return some;
}
