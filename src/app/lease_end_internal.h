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

/* The judging becomes the effective one, and whoever derives something from it is told. */
struct submission_outcome;
checked bool outcome_apply(struct app *app, struct db *db, struct held_job *held,
                           struct submission_outcome *outcome, struct err *err);

#endif
