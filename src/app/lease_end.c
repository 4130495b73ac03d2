#include "app/lease_end_internal.h"
#include "app/manifest_hold_internal.h"
#include "app/news_internal.h"
#include "app/rejudge_note_internal.h"
#include "base/check.h"
#include "store/avoid_store.h"
#include "store/event_store.h"
#include "store/hold_store.h"
#include "store/job_store.h"
#include "store/lease_store.h"
#include "store/place_store.h"

bool effective_set(struct app *app, struct db *db, struct submission_facts *submission,
                   struct submission_outcome *outcome, struct err *err) {
    outcome->id = submission->id;
    outcome->effective_rev = submission->effective_rev + 1;
    struct event_row event = {
        .job = outcome->effective_job,
        .type = EVENT_EFFECTIVE_CHANGED,
        .effective_rev = outcome->effective_rev,
        .submission = submission->id,
    };
    if (!submission_store_judged(db, outcome, err) ||
        !event_store_insert(db, &event, outcome->now_ms, err)) {
        return false;
    }
    submission->effective_job = outcome->effective_job;
    submission->effective_rev = outcome->effective_rev;
    submission->verdict = outcome->verdict;
    news_submission(app, submission->id);
    return true;
}

bool outcome_apply(struct app *app, struct db *db, struct held_job *held,
                   struct submission_outcome *outcome, struct err *err) {
    struct submission_facts *submission = &held->submission;
    bool beside = false;
    CHECK(submission->current_job.value == held->id.value); /* S10, S14: with its event, below */
    outcome->effective_job = held->id;
    if (!rejudge_note_judged(db, held, outcome, &beside, err)) {
        return false;
    }
    if (beside) {
        news_submission(app, submission->id);
        return true;
    }
    return effective_set(app, db, submission, outcome, err);
}

bool lease_drop(struct app *app, struct db *db, const struct lease *lease, struct err *err) {
    news_slot(app);
    return lease_store_delete(db, lease->job, err);
}

bool lease_give_up(struct app *app, struct db *db, struct held_job *held, const struct node *node,
                   const struct lease_ref *shown, struct err *err) {
    if (!held->has_lease || !lease_is_given_up(&held->lease, node, shown)) {
        return true;
    }
    held->has_lease = false;
    return lease_drop(app, db, &held->lease, err);
}

static bool put_back(struct app *app, struct db *db, struct job *job, int64_t due_ms,
                     struct err *err) {
    job->due_ms = due_ms;
    if (!job_store_update(db, job, err)) {
        return false;
    }
    if (due_ms > 0) {
        return place_insert_delayed(db, job, DELAY_BACKOFF, err);
    }
    news_ready(app, job->queue);
    return place_insert_ready(db, job, err);
}

static bool wait_for_problem(struct db *db, struct job *job, int64_t now_ms, struct err *err) {
    struct job_hold hold = {.job = job->id, .kind = HOLD_BY_PROBLEM, .at_ms = now_ms};
    job->due_ms = DELAYED_HELD_MS;
    return job_store_update(db, job, err) && place_insert_delayed(db, job, DELAY_HELD, err) &&
           job_hold_insert(db, &hold, err);
}

static bool fail_job(struct app *app, struct db *db, struct held_job *held, int64_t now_ms,
                     struct err *err) {
    struct submission_outcome outcome = {.verdict = VERDICT_SYSTEM_ERROR, .now_ms = now_ms};
    return job_store_close(db, &held->job, now_ms, err) &&
           (held->submission.current_job.value != held->id.value ||
            outcome_apply(app, db, held, &outcome, err));
}

static bool remember_fault(struct db *db, struct held_job *held, const struct ending *ending,
                           struct err *err) {
    struct job_fault fault = {
        .job = held->id,
        .fault = ending->fault,
        .code = ending->code.len > 0 ? ending->code : str_from(lease_end_code(ending->end)),
        .detail = ending->detail.len > 0 ? ending->detail : str_from(lease_end_text(ending->end)),
    };
    return job_store_set_fault(db, &fault, err);
}

/* Another node should try (S15). A claim of the node itself may be what the job's return wakes, so
 * one more is woken. */
static bool blame_node(struct app *app, struct db *db, const struct held_job *held,
                       const struct ending *ending, struct err *err) {
    if (!job_is_open(&held->job) || !lease_end_blames_node(ending->end)) {
        return true;
    }
    news_ready(app, held->job.queue);
    return avoid_store_note(db, held->id, held->lease.node, ending->now_ms, err);
}

bool lease_end(struct app *app, struct db *db, struct held_job *held, const struct ending *ending,
               bool *ret_failed, struct err *err) {
    CHECK(held->found && held->has_lease);
    struct job *job = &held->job;
    *ret_failed = false;
    held->has_lease = false;
    if (!lease_drop(app, db, &held->lease, err)) {
        return false;
    }
    if (!job_is_open(job)) {
        return true;
    }
    struct node_id node = held->lease.node;
    bool other_node_failed = job->fault_node.value != 0 && job->fault_node.value != node.value;
    struct retry_facts facts = {.end = ending->end,
                                .attempts = job->attempts,
                                .attempts_max = app->settings.attempts_max,
                                .leases = job->lease_epoch,
                                .other_node_failed = other_node_failed};
    struct retry retry = job_retry(&facts);
    bool hold = false;
    if (retry.event == JOB_GIVE_UP && ending->fault == FAULT_PROBLEM &&
        !manifest_fault_note(app, db, held, ending, &hold, err)) {
        return false;
    }
    if (hold) {
        retry = (struct retry){.event = JOB_EXPIRE};
    }
    CHECK(job_apply(job, retry.event, err)); /* a leased open job is running */
    if (retry.event != JOB_RELEASE || lease_end_blames_node(ending->end)) {
        job->fault_node = node;
    }
    if (!remember_fault(db, held, ending, err) || !blame_node(app, db, held, ending, err)) {
        return false;
    }
    *ret_failed = retry.event == JOB_GIVE_UP;
    news_submission(app, job->submission);
    if (hold) {
        return wait_for_problem(db, job, ending->now_ms, err);
    }
    if (*ret_failed) {
        return fail_job(app, db, held, ending->now_ms, err);
    }
    return put_back(app, db, job, retry.delay_ms > 0 ? ending->now_ms + retry.delay_ms : 0, err);
}
