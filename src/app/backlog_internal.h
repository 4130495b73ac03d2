#ifndef APP_BACKLOG_INTERNAL_H
#define APP_BACKLOG_INTERNAL_H

#include "app/app_internal.h"
#include "domain/job.h"

/* How much waits in each queue. One bounded scan of a queue serves everybody who asks within a
 * second, however many look; the more it costs, the longer it is kept. `db` is the caller's reader.
 */

#define PLACES_MAX 10000 /* counted no further */

/* 1: next; PLACES_MAX + 1: more than that are before it; 0: not known yet, it is newer than the
 * scan. */
checked bool backlog_place(struct app *app, struct db *db, const struct job *job,
                           int64_t *ret_place, struct err *err);

/* As the last scan had it; asks the database nothing. */
int64_t backlog_known_place(struct app *app, struct queue_id queue, struct job_id job);

/* How long a job of this queue has been judged, and what follows for one at `place`, with `slots`
 * in service; 0: not known. */
void backlog_pace(struct app *app, struct queue_id queue, int64_t judged_ms);
int64_t backlog_estimate_ms(struct app *app, struct queue_id queue, int64_t place, int32_t slots);

/* Whether one more may be handed in. Exams and contests always may; the others up to the settings
 * practice_waiting_max and rejudge_waiting_max of each queue. What this server accepts counts at
 * once, what others accept within a second. ERR_LIMITED "queue_full" says when to try again. */
checked bool backlog_admit(struct app *app, struct db *db, struct queue_id queue,
                           enum job_priority priority, struct err *err);
/* Whether a bulk rejudging may be made now: no queue has as many waiting as rejudge_waiting_max. */
checked bool backlog_admit_bulk(struct app *app, struct err *err);

#endif
