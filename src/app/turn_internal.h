#ifndef APP_TURN_INTERNAL_H
#define APP_TURN_INTERNAL_H

#include "app/app_internal.h"
#include "domain/ids.h"

/* Users take turns. A job's order key is its place in the queue: the later of the queue's virtual
 * time (the highest key claimed) and the user's last key plus one stride. One user's 200
 * submissions are then spread over 200 strides, and somebody else's first one comes after the job
 * being claimed now, not after those 200. */

#define TURN_STRIDE 1000

/* Under LOCK_USER_TURN of the user, exclusive. Records the key as the user's last. */
checked bool turn_take(struct app *app, struct db *db, struct queue_id queue, struct user_id user,
                       int64_t *ret_key, struct err *err);

#endif
