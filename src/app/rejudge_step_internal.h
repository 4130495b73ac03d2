#ifndef APP_REJUDGE_STEP_INTERNAL_H
#define APP_REJUDGE_STEP_INTERNAL_H

#include "app/app_internal.h"
#include "app/rejudge.h"
#include "store/job_store.h"

/* Working off rejudgings. A step reads without locks what it will do, then does it in one
 * transaction that begins by locking the rejudging and looking whether it still stands where the
 * reading found it: two servers may work on the same one, and what one has done the other drops. */

struct rejudge_step {
    struct write_item item;
    struct rejudging_row row; /* as read */
    struct arena *arena;
    struct rejudge_plan *plans; /* CREATING: ascending */
    struct item_row *items;     /* APPLYING, UNDOING, CANCELLING: ascending */
    int count;
    bool moved; /* out: something was done */
};

/* A further judging, made ready before the locks. */
struct rejudge_plan {
    struct submission_id submission;
    struct job_id current; /* as read */
    struct job_body body;
    struct queue_id queue;
    bool judgeable; /* its language and its test data are there */
};

/* All of a step: true when it did something and there may be more. */
bool rejudge_step(struct app *app, struct rejudging_id id);
/* Maintenance: works off what there is, at most a bounded number of steps. */
bool rejudge_pass(struct app *app);

/* rejudge_create.c: what plan->submission is judged with anew (options: REJUDGING_OLD_MANIFEST). */
checked bool rejudge_plan_one(struct app *app, struct db *db, uint32_t options, struct arena *arena,
                              struct rejudge_plan *plan, struct err *err);
/* The plans of the next submissions, and the transaction for them. */
checked bool rejudge_plan_page(struct app *app, struct db *db, struct rejudge_step *step,
                               struct err *err);
checked bool rejudge_create_run(struct app *app, struct db *db, struct rejudge_step *step,
                                int64_t *ret_now_ms, struct err *err);
/* rejudge_apply.c */
checked bool rejudge_items_page(struct db *db, struct rejudge_step *step, struct err *err);
checked bool rejudge_items_run(struct app *app, struct db *db, struct rejudge_step *step,
                               int64_t *ret_now_ms, struct err *err);

#endif
