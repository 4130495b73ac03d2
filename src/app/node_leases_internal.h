#ifndef APP_NODE_LEASES_INTERNAL_H
#define APP_NODE_LEASES_INTERNAL_H

#include "app/held_internal.h"
#include "app/lease_end_internal.h"

/* All leases of one node, for what ends them at once: a new session, being shut out. */

struct node_leases {
    struct node node;
    struct held_jobs jobs;
    int64_t now_ms;
};

/* Locks the node exclusively, so that no claim adds one, then its jobs; reads the clock.
 * ERR_MISSING "no_judger". */
checked bool node_leases_hold(struct db *db, struct node_id node, struct arena *arena,
                              struct node_leases *ret_leases, struct err *err);
checked bool node_leases_end(struct app *app, struct db *db, struct node_leases *leases,
                             enum lease_end end, struct err *err);

#endif
