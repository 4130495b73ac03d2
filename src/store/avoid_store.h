#ifndef STORE_AVOID_STORE_H
#define STORE_AVOID_STORE_H

#include "domain/ids.h"
#include "store/rows.h"

/* Nodes that failed an open job. Rows belong to the job's lock and go when it is closed; a job with
 * any has a fault_node. */

/* Once more: the newer time counts. */
checked bool avoid_store_note(struct db *db, struct job_id job, struct node_id node, int64_t now_ms,
                              struct err *err);
checked bool avoid_store_forget(struct db *db, struct job_id job, struct err *err);
extern const struct rows_select avoid_select; /* by job: its id, the node's, when */

#endif
