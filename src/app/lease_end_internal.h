#ifndef APP_LEASE_END_INTERNAL_H
#define APP_LEASE_END_INTERNAL_H

#include "app/app_internal.h"
#include "app/held_internal.h"

/* The end of a lease without a result: expiry, a reported fault, a new session, a release. The job
 * goes back to the queue, or fails where everybody can see why. */

struct ending {
    enum lease_end end;
    enum fault fault;
    struct str code;   /* empty: the end's own */
    struct str detail; /* for operators; may be empty */
    int64_t now_ms;
};

/* `held` is locked with its submission, has a lease, and is brought up to date. *ret_failed: the
 * attempts have run out. A closed job only loses its lease. */
checked bool lease_end(struct app *app, struct db *db, struct held_job *held,
                       const struct ending *ending, bool *ret_failed, struct err *err);

/* Removes the row; whoever may wait for the slot is told. */
checked bool lease_drop(struct app *app, struct db *db, const struct lease *lease, struct err *err);

/* Who reports anything about a revoked lease has stopped: its slot is free. */
checked bool lease_give_up(struct app *app, struct db *db, struct held_job *held,
                           const struct node *node, const struct lease_ref *shown, struct err *err);

/* The current job is judged. Its judging becomes the effective one, unless a rejudging will have it
 * compared first. */
struct submission_outcome;
checked bool outcome_apply(struct app *app, struct db *db, struct held_job *held,
                           struct submission_outcome *outcome, struct err *err);
/* A judging of the locked submission counts from now on (outcome->effective_job), and whoever
 * derives something from it is told. */
checked bool effective_set(struct app *app, struct db *db, struct submission_facts *submission,
                           struct submission_outcome *outcome, struct err *err);

#endif
