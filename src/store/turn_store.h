#ifndef STORE_TURN_STORE_H
#define STORE_TURN_STORE_H

#include "domain/ids.h"
#include "domain/job.h"
#include "store/db.h"

/* The order key that a user's last job in a queue and priority got: the next one comes after it. */

struct turn_owner {
    struct queue_id queue;
    enum job_priority priority;
    struct user_id user;
};
/* *ret_last_key is 0 when there was none. */
checked bool turn_store_get(struct db *db, const struct turn_owner *owner, int64_t *ret_last_key,
                            bool *ret_found, struct err *err);
checked bool turn_store_set(struct db *db, const struct turn_owner *owner, int64_t last_key,
                            bool found, struct err *err);

#endif
