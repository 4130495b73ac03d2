#ifndef APP_GENERATION_INTERNAL_H
#define APP_GENERATION_INTERNAL_H

#include "app/app_internal.h"
#include "app/held_internal.h"
#include "store/hold_store.h"
#include "store/job_store.h"

/* How operators move a held job (HOLD_SUBMISSIONS) between its states and places. Each leaves the
 * database sound; the caller commits. */

/* Closes an open job. Its lease stays, revoked, until the node says that it has stopped or it runs
 * out. The submission's verdict is not touched. */
checked bool job_withdraw(struct app *app, struct db *db, struct held_job *held, int64_t now_ms,
                          struct err *err);

/* A further generation of the submission, ready at once, which becomes the current one. The present
 * job is closed. */
struct generation {
    const struct job_body *body;
    struct queue_id queue;
    enum job_priority priority;
    int64_t order_key;
    int64_t now_ms;
    struct job_id job; /* out */
};
checked bool generation_add(struct app *app, struct db *db, struct held_job *held,
                            struct generation *generation, struct err *err);

/* A waiting job waits until somebody lets it go. *ret_held false: a node is just taking it. */
checked bool job_put_on_hold(struct app *app, struct db *db, struct held_job *held,
                             const struct job_hold *hold, bool *ret_held, struct err *err);
/* A held job waits for its turn again. */
checked bool job_let_go(struct app *app, struct db *db, struct held_job *held, struct err *err);
bool job_is_on_hold(const struct job *job);

#endif
