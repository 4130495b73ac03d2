#ifndef APP_REJUDGE_NOTE_INTERNAL_H
#define APP_REJUDGE_NOTE_INTERNAL_H

#include "app/held_internal.h"
#include "store/rejudging_store.h"

/* What happens to a job of a rejudging is noted in its item, in the same transaction. All hold the
 * submission's lock. */

/* The job is judged. *ret_beside: the result only waits to be applied, and does not count yet. */
checked bool rejudge_note_judged(struct db *db, const struct held_job *held,
                                 const struct submission_outcome *outcome, bool *ret_beside,
                                 struct err *err);
/* The job was closed without one. */
checked bool rejudge_note_closed(struct db *db, const struct held_job *held,
                                 enum item_reason reason, struct err *err);
/* The failed job was put back as another one. */
checked bool rejudge_note_requeued(struct db *db, struct job_id failed, struct job_id again,
                                   struct err *err);

/* The open job was replaced by another one of a later generation. */
checked bool rejudge_note_moved(struct db *db, struct job_id old, struct job_id fresh,
                                struct err *err);

#endif
