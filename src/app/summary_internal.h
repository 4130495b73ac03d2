#ifndef APP_SUMMARY_INTERNAL_H
#define APP_SUMMARY_INTERNAL_H

#include "app/app_internal.h"
#include "app/judger.h"
#include "domain/waiting.h"

/* What all nodes and queues look like, read once a second for everybody who asks. */

/* Nodes by what they could do for a job of the queue. `db` is the caller's reader: nobody may take
 * a second one. */
checked bool summary_nodes(struct app *app, struct db *db, struct queue_id queue,
                           struct waiting_nodes *ret_nodes, struct err *err);
/* Nodes have changed by this server's doing: read anew when next asked. */
void summary_forget(struct app *app);

#endif
