#ifndef STORE_PLACE_STORE_H
#define STORE_PLACE_STORE_H

#include "base/buf.h"
#include "domain/job.h"
#include "store/rows.h"

/* Where a queued job waits: job_ready or job_delayed. The row belongs to its job's lock; its key is
 * known from the job (queue, priority, order key; due time), so that a row is always addressed by
 * its primary key. */

/* The due time of a job that waits until an operator lets it go. */
#define DELAYED_HELD_MS INT64_C(9007199254740991)

enum delay_reason { DELAY_BACKOFF = 1, DELAY_HELD };

checked bool place_insert_ready(struct db *db, const struct job *job, struct err *err);
/* No error when there is none: of a job that was closed meanwhile. */
checked bool place_delete_ready(struct db *db, const struct job *job, struct err *err);
/* Of a job that an operator closes or moves. A row that another transaction has locked, on its way
 * to a lease, is left to it (*ret_dropped false): it finds a closed job and drops the row itself.
 * Never waits, since who has it waits for the job. */
checked bool place_drop_ready(struct db *db, const struct job *job, bool *ret_dropped,
                              struct err *err);
/* Whatever the job waits in, found without its key: a repair. */
checked bool place_drop_all(struct db *db, struct job_id job, bool *ret_ready, bool *ret_delayed,
                            struct err *err);
/* At job->due_ms. */
checked bool place_insert_delayed(struct db *db, const struct job *job, enum delay_reason reason,
                                  struct err *err);
checked bool place_delete_delayed(struct db *db, int64_t due_ms, struct job_id job,
                                  struct err *err);

/* The next ready jobs of a queue and priority, in the order of their keys: parameters queue,
 * priority and how many. Each row is the job's id, its JOB_COLUMNS and the BODY_COLUMNS of its
 * snapshot; either is NULL when it is missing. Where a driver locks rows they are locked with their
 * jobs, and those that others have locked are left out: it never waits. With db_claims_owned it
 * locks nothing. */
const struct rows_select *ready_select(const struct db *db);
/* How the database means to find them, a line a step, appended: for people and for tests that no
 * sort is among them. */
checked bool place_explain_claim(struct db *db, struct queue_id queue, struct buf *out,
                                 struct err *err);
struct due_job {
    struct job_id job;
    int64_t due_ms;
};
/* Delayed jobs that are due, earliest first; held ones never are. */
checked bool place_due(struct db *db, int64_t now_ms, struct due_job *ret_jobs, int max,
                       int *ret_count, struct err *err);

/* The database's clock has jumped: all delays but the held ones move along. */
checked bool place_shift(struct db *db, int64_t jump_ms, struct err *err);

/* The ready jobs of a queue as they will be claimed, best priority first, at most `max`. */
checked bool place_scan(struct db *db, struct queue_id queue, struct job_id *ret_jobs, int max,
                        int *ret_count, struct err *err);
/* Ready jobs of one priority; counts no further than `max`. */
struct lane_query {
    struct queue_id queue;
    enum job_priority priority;
    int64_t max;
};
checked bool place_lane_depth(struct db *db, const struct lane_query *query, int64_t *ret_depth,
                              struct err *err);
/* When the oldest of the next ready jobs was handed in, 0: none waits. Looks no further than `max`.
 */
checked bool place_oldest(struct db *db, struct queue_id queue, int64_t max,
                          int64_t *ret_created_ms, struct err *err);
/* Ready jobs of a queue; counts no further than `max`. */
checked bool place_depth(struct db *db, struct queue_id queue, int64_t max, int64_t *ret_depth,
                         struct err *err);
/* Every queue that has a ready job, at most `max`. */
checked bool place_ready_queues(struct db *db, struct queue_id *ret_queues, int max, int *ret_count,
                                struct err *err);

#endif
