#ifndef APP_REJUDGE_H
#define APP_REJUDGE_H

#include "app/job.h"
#include "domain/rejudging.h"
#include "store/rejudging_store.h"

/* Judging anew: a batch of new generations beside those that count, to be looked at, then applied
 * or dropped, and undone when that was wrong (domain/rejudging.h). All for administrators. What is
 * asked for here is only written down; the maintenance of any server works it off in transactions
 * of at most REJUDGE_STEP_MAX submissions, so that a crash anywhere is gone on from. */

#define REJUDGE_STEP_MAX 200
#define REJUDGE_COUNTED_MAX 1000000

struct rejudging_create_request {
    const struct selection *selection;
    struct str reason;
    uint32_t options; /* enum rejudging_option */
};
/* Everything handed in until now that the selection names when its turn comes. Errors: ERR_INVALID
 * "bad_field". */
checked bool rejudging_create(struct app *app, const struct actor *actor,
                              const struct rejudging_create_request *request,
                              struct rejudging_id *ret_id, struct err *err);
/* One submission, applied by itself when it is judged. Errors: ERR_MISSING "no_submission";
 * ERR_CONFLICT "submission_being_judged". */
checked bool submission_rejudge(struct app *app, const struct actor *actor, struct submission_id id,
                                struct str reason, struct rejudging_id *ret_id, struct err *err);

/* APPLY, UNDO, CANCEL. Errors: ERR_MISSING "no_rejudging"; ERR_CONFLICT "rejudging_not_ready". */
checked bool rejudging_change(struct app *app, const struct actor *actor, struct rejudging_id id,
                              enum rejudging_event event, struct err *err);

struct rejudging_view {
    struct rejudging_row row;
    struct rejudging_counts counts;
    int64_t items;
};
checked bool rejudging_get(struct app *app, const struct actor *actor, struct rejudging_id id,
                           struct arena *arena, struct rejudging_view *ret_view, struct err *err);
struct rejudging_page {
    int64_t cursor; /* in */
    int limit;      /* in */
    struct rejudging_view *items;
    int count;
    int64_t next;
};
/* Newest first. */
checked bool rejudging_list(struct app *app, const struct actor *actor, struct arena *arena,
                            struct rejudging_page *page, struct err *err);
struct item_list_page {
    struct item_named *items;
    int count;
    int64_t next;
};
/* By submission. */
checked bool rejudging_items(struct app *app, const struct actor *actor,
                             const struct item_query *query, struct arena *arena,
                             struct item_list_page *ret_page, struct err *err);

#endif
