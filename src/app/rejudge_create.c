/* Making the items of a rejudging: for each submission a further generation, or the reason why
 * there is none. */
#include "app/generation_internal.h"
#include "app/manifest_cache_internal.h"
#include "app/queues_internal.h"
#include "app/rejudge_note_internal.h"
#include "app/rejudge_step_internal.h"
#include "base/check.h"

#include <string.h>

/* ---- before the locks ---- */

static bool plan_body(struct app *app, uint32_t options, const struct submission_snapshot *snapshot,
                      struct rejudge_plan *plan) {
    struct err gone = {0};
    own(cached_manifest) cached = NULL;
    bool old = (options & REJUDGING_OLD_MANIFEST) != 0;
    const uint8_t *id = old ? snapshot->manifest_id : snapshot->problem_manifest;
    const struct language *language =
        app->languages != NULL ? language_find(app->languages, snapshot->language) : NULL;
    const struct queue_info *queue =
        language != NULL ? queues_of_pool(app, str_from(language->pool)) : NULL;
    if (queue == NULL || !manifest_get(app, id, &cached, &gone)) {
        return false;
    }
    const struct manifest *manifest = &cached->manifest;
    plan->queue = queue->id;
    plan->body = (struct job_body){
        .pool = queue->pool,
        .runtime_spec = queue->runtime_spec,
        .language = snapshot->language,
        .source_bytes = snapshot->source_bytes,
        .time_limit_ms = manifest_time_ms(manifest, -1, snapshot->language),
        .memory_limit_kib = manifest_memory_kib(manifest, -1, snapshot->language),
        .output_limit_kib = manifest->limits.output_kib,
        .job_total_ms = manifest->limits.job_total_ms,
        .trace_id = snapshot->trace_id,
    };
    memcpy(plan->body.manifest_id, id, 32);
    memcpy(plan->body.source_sha256, snapshot->source_sha256, 32);
    return true;
}

bool rejudge_plan_one(struct app *app, struct db *db, uint32_t options, struct arena *arena,
                      struct rejudge_plan *plan, struct err *err) {
    struct submission_snapshot snapshot = {0};
    bool found = false;
    if (!submission_store_snapshot(db, plan->submission, arena, &snapshot, &found, err)) {
        return false;
    }
    plan->judgeable = found && plan_body(app, options, &snapshot, plan);
    return true;
}

bool rejudge_plan_page(struct app *app, struct db *db, struct rejudge_step *step, struct err *err) {
    struct job_row *rows = NULL;
    struct selection_query query = {.selection = &step->row.selection,
                                    .after = step->row.cursor,
                                    .until = step->row.until,
                                    .limit = REJUDGE_STEP_MAX};
    if (!selection_page(db, &query, step->arena, &rows, &step->count, err)) {
        return false;
    }
    step->plans = arena_array(step->arena, (size_t)step->count + 1, sizeof step->plans[0]);
    for (int i = 0; i < step->count; i++) {
        struct rejudge_plan *plan = &step->plans[i];
        plan->submission = rows[i].submission;
        plan->current = rows[i].job.id;
        if (!rejudge_plan_one(app, db, step->row.options, step->arena, plan, err)) {
            return false;
        }
    }
    return true;
}

/* ---- under them ---- */

struct maker {
    struct app *app;
    struct db *db;
    const struct rejudging_row *row;
    int64_t now_ms;
};

/* *ret_other: the item of another rejudging that is not over. */
static enum item_reason reason_of(const struct maker *maker, const struct rejudge_plan *plan,
                                  const struct held_job *held, bool in_other) {
    bool supersede = (maker->row->options & REJUDGING_SUPERSEDE) != 0;
    if (held->submission.verdict == VERDICT_CANCELLED || held->submission.deleted_ms != 0) {
        return REASON_WITHDRAWN;
    }
    if (!plan->judgeable) {
        return REASON_UNJUDGEABLE;
    }
    if (in_other && !supersede) {
        return REASON_OTHER_REJUDGING;
    }
    return job_is_open(&held->job) && !supersede ? REASON_BEING_JUDGED : REASON_NONE;
}

static bool supersede_other(struct maker *maker, struct item_row *other, struct err *err) {
    other->state = ITEM_CANCELLED;
    other->reason = REASON_SUPERSEDED;
    return item_update(maker->db, other, err);
}

static bool add_job(struct maker *maker, const struct rejudge_plan *plan, struct held_job *held,
                    struct item_row *item, struct err *err) {
    struct generation generation = {
        .body = &plan->body,
        .queue = plan->queue,
        .priority = PRIORITY_REJUDGE,
        .order_key = queues_virtual_key(maker->app, plan->queue, PRIORITY_REJUDGE),
        .now_ms = maker->now_ms,
    };
    if (job_is_open(&held->job) &&
        !(job_withdraw(maker->app, maker->db, held, maker->now_ms, err) &&
          rejudge_note_closed(maker->db, held, REASON_SUPERSEDED, err))) {
        return false;
    }
    if (!generation_add(maker->app, maker->db, held, &generation, err)) {
        return false;
    }
    item->state = ITEM_JUDGING;
    item->job = generation.job;
    return true;
}

static bool make_item(struct maker *maker, const struct rejudge_plan *plan, struct held_job *held,
                      struct err *err) {
    const struct submission_facts *facts = &held->submission;
    struct item_row other = {0};
    bool in_other = false;
    struct item_row item = {
        .rejudging = maker->row->id,
        .submission = facts->id,
        .state = ITEM_SKIPPED,
        .old_job = facts->effective_job,
        .before = {.verdict = facts->verdict,
                   .score_micro = facts->score_micro,
                   .cases_passed = facts->cases_passed,
                   .cases_total = facts->cases_total,
                   .cpu_ms = facts->cpu_ms,
                   .memory_kib = facts->memory_kib,
                   .judged_ms = facts->judged_ms},
    };
    if (!item_pending(maker->db, facts->id, maker->row->id, &other, &in_other, err)) {
        return false;
    }
    item.reason = reason_of(maker, plan, held, in_other);
    if (item.reason == REASON_NONE) {
        if ((in_other && !supersede_other(maker, &other, err)) ||
            !add_job(maker, plan, held, &item, err)) {
            return false;
        }
    }
    return item_insert(maker->db, &item, err);
}

static const struct rejudge_plan *plan_of(const struct rejudge_step *step,
                                          struct submission_id id) {
    for (int i = 0; i < step->count; i++) {
        if (step->plans[i].submission.value == id.value) {
            return &step->plans[i];
        }
    }
    return NULL;
}

/* A judging that began between reading and locking: the page is read anew. */
static bool is_as_read(const struct rejudge_step *step, const struct held_jobs *held) {
    bool same = held->count == step->count;
    for (int i = 0; same && i < held->count; i++) {
        const struct held_job *row = &held->rows[i];
        same = row->found && row->submission.current_job.value == row->id.value &&
               plan_of(step, row->submission.id) != NULL;
    }
    return same;
}

bool rejudge_create_run(struct app *app, struct db *db, struct rejudge_step *step,
                        int64_t *ret_now_ms, struct err *err) {
    struct job_id *jobs = arena_array(step->arena, (size_t)step->count + 1, sizeof jobs[0]);
    struct held_jobs held = {0};
    struct maker maker = {.app = app, .db = db, .row = &step->row};
    for (int i = 0; i < step->count; i++) {
        jobs[i] = step->plans[i].current;
    }
    if (!hold_jobs(db, (struct job_list){jobs, step->count}, HOLD_SUBMISSIONS, step->arena, &held,
                   err) ||
        !db_now(db, &maker.now_ms, err)) {
        return false;
    }
    *ret_now_ms = maker.now_ms;
    if (!is_as_read(step, &held)) {
        step->moved = false;
        return true;
    }
    for (int i = 0; i < held.count; i++) {
        const struct rejudge_plan *plan = plan_of(step, held.rows[i].submission.id);
        if (!make_item(&maker, plan, &held.rows[i], err)) {
            return false;
        }
    }
    if (step->count > 0) {
        step->row.cursor = step->plans[step->count - 1].submission.value;
    }
    step->moved = true;
    return true;
}
