#ifndef APP_CLAIM_DESK_INTERNAL_H
#define APP_CLAIM_DESK_INTERNAL_H

#include "app/app_internal.h"
#include "app/dispatch.h"

/* Claims that found nothing and wait. A job that becomes ready wakes one of them for its queue, of
 * those whose nodes could take it; a slot that becomes free or a node that is enabled lets the
 * others look. A wake-up that was lost is made up for by a look every second (maintenance.c). */

/* Before a claim looks at its queue: notes in it how often the queue was woken so far. */
void claims_note_wakes(struct app *app, struct claim_request *request);
/* Keeps the request until it is woken, its time is over, or the client hangs up. When its queue was
 * woken since it looked (by another writer's commit) it is queued again at once. */
void claims_park(struct app *app, struct claim_request *request);
/* `count` jobs became ready: lets at most so many waiting claims of the queue try again, those that
 * waited longest first, none that is `unable`. */
void claims_wake(struct app *app, struct queue_id queue, int64_t count);
/* A node of the queue may have room or leave now: lets those that were `unable` try again. */
void claims_look(struct app *app, struct queue_id queue);
void claims_look_all(struct app *app); /* of every queue: a slot is free */
/* Queues with waiting claims: room for QUEUES_MAX. */
int claims_waiting(struct app *app, struct queue_id *ret_queues);
/* The client hung up before the claim was run: it gets nothing. */
bool claims_is_cancelled(struct app *app, const struct claim_request *request);

#endif
