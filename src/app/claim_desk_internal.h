#ifndef APP_CLAIM_DESK_INTERNAL_H
#define APP_CLAIM_DESK_INTERNAL_H

#include "app/app_internal.h"
#include "app/dispatch.h"

/* Claims that found nothing and wait. A job that becomes ready wakes one of them for its queue; a
 * wake-up that was lost is made up for by a look every second (maintenance.c). */

/* How often the queue was woken so far: read before a claim looks at it, for wakes_seen. */
uint64_t claims_wakes(struct app *app, struct queue_id queue);
/* Keeps the request until it is woken, its time is over, or the client hangs up. When its queue was
 * woken since it looked (by another writer's commit) it is queued again at once. */
void claims_park(struct app *app, struct claim_request *request);
/* Lets at most `count` waiting claims of the queue try again, those that waited longest first. */
void claims_wake(struct app *app, struct queue_id queue, int64_t count);
/* Queues with waiting claims: room for QUEUES_MAX. */
int claims_waiting(struct app *app, struct queue_id *ret_queues);
/* The client hung up before the claim was run: it gets nothing. */
bool claims_is_cancelled(struct app *app, const struct claim_request *request);

#endif
