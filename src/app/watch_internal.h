#ifndef APP_WATCH_INTERNAL_H
#define APP_WATCH_INTERNAL_H

#include "app/app_internal.h"
#include "domain/job.h"

/* Places in the queue change without any change of the submission itself. Who has been shown one is
 * told when it has moved by a tenth: by one look at each queue for all its viewers (backlog.c). */

/* The place that viewers of the submission were shown; 0: it no longer waits in a queue. */
void watches_note_place(struct app *app, struct submission_id submission, const struct job *job,
                        int64_t place);
/* The submissions that somebody watches, each once, ascending; at most `max`. */
int watches_list(struct app *app, int64_t *ret_ids, int max);
/* How a submission stands in the database, as one number: who was told of another is told, and
 * everybody when `reported`. */
void watches_note_standing(struct app *app, struct submission_id submission, int64_t standing,
                           bool reported);
/* Now and then; costs a statement for each queue that somebody is shown a place in. */
void watches_push_places(struct app *app);

#endif
