#ifndef APP_JOB_H
#define APP_JOB_H

#include "app/app.h"
#include "app/submission.h"
#include "app/writer.h"
#include "domain/actor.h"
#include "domain/job.h"
#include "store/selection_store.h"

/* What operators do to jobs, and users to what they have handed in. */

#define JOB_REASON_BYTES_MAX 256
#define JOB_RUNTIME_SPEC_BYTES_MAX 64
#define JOB_CHANGE_MAX 200      /* of one transaction */
#define JOB_SELECTION_MAX 10000 /* changed by one call; the rest by the next */
#define JOB_SKIPPED_MAX 200     /* named in one answer */
#define SELECTION_IDS_MAX 1000

enum job_action {
    /* An open judging ends without a result. Who handed it in may do it as long as it has no
     * verdict; administrators always. A submission that nothing was counted for yet ends as
     * CANCELLED. Skipped: "job_closed". */
    ACTION_CANCEL = 1,
    /* As ACTION_CANCEL, and nobody sees the submission any more; judged ones, too. */
    ACTION_DELETE,
    /* A FAILED job is judged again with the same snapshot, as a new generation, at its old place.
     * Skipped: "job_not_failed"; "job_superseded": another judging counts; "job_no_snapshot": it is
     * too old, and can only be rejudged. */
    ACTION_REQUEUE,
    /* A waiting job waits until it is released. Skipped: "job_closed", "job_running",
     * "job_held". */
    ACTION_HOLD,
    /* Skipped: "job_not_held". */
    ACTION_RELEASE,
    /* A waiting job is judged by another runtime spec of its pool: a new generation with the same
     * snapshot but for that, at its old place. Skipped: "job_closed", "job_running", "job_held",
     * "job_no_snapshot"; "no_queue": its pool has no queue of that spec; "job_there": it waits
     * there already. */
    ACTION_MOVE,
    ACTION_COUNT,
};

struct job_skip {
    struct submission_id submission;
    const char *code; /* "job_closed"; also "no_submission" */
};

struct job_change_request {
    struct write_item item; /* kind set by job_change */
    /* in: borrowed until done */
    struct actor actor;
    enum job_action action;
    struct str reason;       /* shown to who waits (HOLD), and in the audit log; may be empty */
    struct str runtime_spec; /* ACTION_MOVE: where to; else empty */
    const struct submission_id *submissions;
    int count; /* 1 to JOB_CHANGE_MAX */
    /* out */
    int changed;
    struct job_skip skipped[JOB_CHANGE_MAX];
    int skipped_count;
    int64_t audit; /* app's */
};
/* Changes the current jobs of the submissions, all in one transaction, each by itself: what cannot
 * be changed is listed, not an error. Audited. Errors: ERR_DENIED "not_allowed"; ERR_INVALID
 * "bad_field". A submission that the actor may not see is skipped as "no_submission". */
void job_change(struct app *app, struct job_change_request *request);
/* One submission; waits. What would be skipped is ERR_CONFLICT, or ERR_MISSING "no_submission". */
checked bool job_change_one(struct app *app, const struct actor *actor, enum job_action action,
                            struct submission_id id, struct str reason, struct err *err);

struct job_selection_change {
    enum job_action action;
    const struct selection *selection;
    struct str reason;
    struct str runtime_spec; /* ACTION_MOVE; else empty */
    int64_t cursor;          /* of the answer before; 0: from the start */
};
struct job_selection_result {
    int64_t changed;
    int64_t skipped;
    struct job_skip *named; /* the first JOB_SKIPPED_MAX of them */
    int named_count;
    int64_t next; /* 0: all done; else go on from here */
};
/* Administrators. In transactions of JOB_CHANGE_MAX, ascending; after JOB_SELECTION_MAX submissions
 * it returns with `next`. What was done stays done if a later one fails. */
checked bool job_change_selection(struct app *app, const struct actor *actor,
                                  const struct job_selection_change *change, struct arena *arena,
                                  struct job_selection_result *ret_result, struct err *err);

/* ---- looking ---- */

struct job_view {
    struct job_row row;
    struct str pool;
    struct str runtime_spec;
    struct waiting_reason waiting; /* code NULL unless it waits */
};
struct job_filter {
    struct selection selection;
    int64_t cursor;
    int limit;
};
struct job_page {
    struct job_view *items;
    int count;
    int64_t next;
};
/* Administrators: submissions with their current jobs, newest first. */
checked bool job_list(struct app *app, const struct actor *actor, const struct job_filter *filter,
                      struct arena *arena, struct job_page *ret_page, struct err *err);
/* Counts no further than `max`. Administrators. */
checked bool job_count(struct app *app, const struct actor *actor,
                       const struct selection *selection, int64_t max, int64_t *ret_count,
                       struct err *err);

#define GENERATIONS_MAX 200
struct generation_view {
    struct generation_row row;
    enum verdict verdict; /* of this judging; NONE: no result */
    int64_t score_micro;
    bool effective; /* the one that counts */
    bool current;
    struct str pool;
    struct str runtime_spec;
    int64_t rejudging; /* whose it is; 0: none */
    struct str by;     /* user who had it judged again; empty: the system, or nobody */
    struct str reason; /* his */
};
struct job_detail {
    struct job_view current;
    struct generation_view *generations; /* the first is generation 1 */
    int generation_count;
    struct str hold_actor; /* who holds it; empty: nobody, or the system */
    int64_t held_ms;
};
/* Teachers and administrators: all judgings of a submission. ERR_MISSING "no_submission". */
checked bool job_detail_get(struct app *app, const struct actor *actor, struct submission_id id,
                            struct arena *arena, struct job_detail *ret_detail, struct err *err);

const char *job_action_name(enum job_action action); /* "job.cancel": as the audit log says */
const char *job_state_name(enum job_state state);    /* "QUEUED" */

#endif
