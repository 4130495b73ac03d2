#ifndef STORE_EVENT_STORE_H
#define STORE_EVENT_STORE_H

#include "domain/ids.h"
#include "store/rows.h"

/* The outbox: what a changed effective job makes others recompute. Written in the settling
 * transaction, removed in the one that has recomputed, so a crash between any two statements
 * neither loses nor doubles anything. */

enum event_type { EVENT_EFFECTIVE_CHANGED = 1 };

struct event_row {
    struct job_id job;
    enum event_type type;
    int64_t effective_rev;
    struct submission_id submission;
};

checked bool event_store_insert(struct db *db, const struct event_row *event, int64_t now_ms,
                                struct err *err);
/* The oldest ones that are due, at most `max`. */
checked bool event_store_due(struct db *db, int64_t now_ms, struct event_row *ret_events, int max,
                             int *ret_count, struct err *err);
checked bool event_store_delete(struct db *db, const struct event_row *event, struct err *err);
/* Tried again at next_ms: one that cannot be handled must not hold up the others. */
checked bool event_store_delay(struct db *db, const struct event_row *event, int64_t next_ms,
                               struct err *err);

#endif
