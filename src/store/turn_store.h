#ifndef STORE_TURN_STORE_H
#define STORE_TURN_STORE_H

#include "domain/ids.h"
#include "store/db.h"

/* The order key that a user's last submission in a queue got: the next one comes after it. */
checked bool turn_store_get(struct db *db, struct queue_id queue, struct user_id user,
                            int64_t *ret_last_key, bool *ret_found, struct err *err);
checked bool turn_store_set(struct db *db, struct queue_id queue, struct user_id user,
                            int64_t last_key, bool found, struct err *err);

#endif
