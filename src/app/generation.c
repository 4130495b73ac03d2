#include "app/generation_internal.h"
#include "app/news_internal.h"
#include "app/runners_internal.h"
#include "base/check.h"
#include "store/lease_store.h"
#include "store/place_store.h"

bool job_is_on_hold(const struct job *job) {
    return job->state == JOB_QUEUED && job->due_ms == DELAYED_HELD_MS;
}

/* The row that a queued job waits in; *ret_left false: a claim has it, and will find the job
 * closed. */
static bool leave_place(struct db *db, const struct job *job, bool *ret_left, struct err *err) {
    if (job->due_ms == 0) {
        return place_drop_ready(db, job, ret_left, err);
    }
    *ret_left = true;
    if (!place_delete_delayed(db, job->due_ms, job->id, err)) {
        return false;
    }
    return job->due_ms != DELAYED_HELD_MS || job_hold_delete(db, job->id, err);
}

bool job_withdraw(struct app *app, struct db *db, struct held_job *held, int64_t now_ms,
                  struct err *err) {
    struct job *job = &held->job;
    bool left = false;
    if (!(held->has_lease ? lease_store_revoke(db, job->id, err)
                          : leave_place(db, job, &left, err))) {
        return false;
    }
    held->lease.revoked = held->has_lease;
    CHECK(job_apply(job, JOB_CANCEL, err)); /* it is open */
    news_submission(app, job->submission);
    return job_store_close(db, job, now_ms, err);
}

bool generation_add(struct app *app, struct db *db, struct held_job *held,
                    struct generation *generation, struct err *err) {
    struct submission_facts *submission = &held->submission;
    CHECK(!job_is_open(&held->job) && submission->current_job.value == held->id.value);
    struct job job = {
        .id = {runner_take_id(app, ID_JOB)},
        .subject = held->job.subject,
        .submission = submission->id,
        .generation = submission->generation + 1,
        .queue = generation->queue,
        .priority = generation->priority,
        .order_key = generation->order_key,
        .state = JOB_QUEUED,
    };
    if (!job_store_insert(db, &job, generation->now_ms, err) ||
        !job_body_insert(db, job.id, generation->body, err) || !place_insert_ready(db, &job, err) ||
        !submission_store_set_current(db, submission->id, job.id, job.generation, err)) {
        return false;
    }
    submission->current_job = job.id;
    submission->generation = job.generation;
    news_ready(app, job.queue);
    news_submission(app, submission->id);
    generation->job = job.id;
    return true;
}

bool job_put_on_hold(struct app *app, struct db *db, struct held_job *held,
                     const struct job_hold *hold, bool *ret_held, struct err *err) {
    struct job *job = &held->job;
    CHECK(job->state == JOB_QUEUED && !job_is_on_hold(job));
    if (!leave_place(db, job, ret_held, err)) {
        return false;
    }
    if (!*ret_held) {
        return true;
    }
    job->due_ms = DELAYED_HELD_MS;
    news_submission(app, job->submission);
    return job_store_update(db, job, err) && place_insert_delayed(db, job, DELAY_HELD, err) &&
           job_hold_insert(db, hold, err);
}

bool job_let_go(struct app *app, struct db *db, struct held_job *held, struct err *err) {
    struct job *job = &held->job;
    bool left = false;
    CHECK(job_is_on_hold(job));
    if (!leave_place(db, job, &left, err)) {
        return false;
    }
    job->due_ms = 0;
    news_ready(app, job->queue);
    news_submission(app, job->submission);
    return job_store_update(db, job, err) && place_insert_ready(db, job, err);
}
