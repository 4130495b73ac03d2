#ifndef STORE_QUEUE_OWNER_STORE_H
#define STORE_QUEUE_OWNER_STORE_H

#include "domain/ids.h"
#include "store/rows.h"

/* A queue's owner: the one transaction that may claim of it, on engines that cannot skip locked
 * rows. See docs/decisions/0018-claims-without-skip-locked.md. */

#define QUEUE_OWNER_BYTES_MAX 64

extern const struct rows_select queue_owner_select; /* by queue: its id, the term */

struct queue_ownership {
    struct queue_id queue;
    int64_t term; /* as it was read under the lock; 0: nobody has owned it */
};

/* Begins the next term, under LOCK_QUEUE.
 * Errors: ERR_BUSY "database_busy" when the term is no longer what was read: the whole transaction
 *         is to be tried again. An engine whose lock is real never says so. */
checked bool queue_owner_take(struct db *db, const struct queue_ownership *read, struct str owner,
                              struct err *err);

#endif
