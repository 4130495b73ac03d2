#ifndef APP_WATCH_INTERNAL_H
#define APP_WATCH_INTERNAL_H

#include "app/app_internal.h"
#include "domain/job.h"

/* Places in the queue change without any change of the submission itself. Who has been shown one is
 * told when it has moved by a tenth: by one look at each queue for all its viewers (backlog.c). */

/* The place that viewers of the submission were shown; 0: it no longer waits in a queue. */
void watches_note_place(struct app *app, struct submission_id submission, const struct job *job,
                        int64_t place);
/* Now and then; costs a statement for each queue that somebody is shown a place in. */
void watches_push_places(struct app *app);

#endif
