#ifndef STORE_PROGRESS_STORE_H
#define STORE_PROGRESS_STORE_H

#include "domain/ids.h"
#include "domain/lease.h"
#include "store/rows.h"

/* Reports of running jobs on their way to viewers at other servers. Hints: nothing is locked. */

struct progress_row {
    struct submission_id submission;
    struct job_id job;
    int64_t lease_epoch;
    int64_t sequence;
    int64_t at_ms;
    struct str body;
};

/* Instead of what was there. */
checked bool progress_store_put(struct db *db, const struct progress_row *row, struct err *err);
checked bool progress_store_delete(struct db *db, struct submission_id submission, struct err *err);
/* What nobody has written to since then: its server is gone. At most `max` rows. */
checked bool progress_store_sweep(struct db *db, int64_t before_ms, int max, struct err *err);

/* By submission: how each stands and what is reported, in one statement. Columns: id, effective
 * revision, current job, its state (NULL: no such job), epoch of its newest lease, due time, epoch,
 * sequence and body of the report (NULL: none). */
extern const struct rows_select progress_watch_select;

#endif
