#ifndef STORE_TURN_STORE_H
#define STORE_TURN_STORE_H

#include "domain/ids.h"
#include "domain/job.h"
#include "store/rows.h"

/* The order key that a user's last job in a queue and priority got: the next one comes after it. */

struct turn_owner {
    struct queue_id queue;
    enum job_priority priority;
    struct user_id user;
};
extern const struct rows_select turn_select; /* by owner: its three parts, the last key */
/* `found`: the owner has a row already. */
checked bool turn_store_set(struct db *db, const struct turn_owner *owner, int64_t last_key,
                            bool found, struct err *err);

#endif
