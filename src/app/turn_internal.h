#ifndef APP_TURN_INTERNAL_H
#define APP_TURN_INTERNAL_H

#include "app/app_internal.h"
#include "store/turn_store.h"

/* The order key of a user's next job (domain/turn.h), recorded as his last. Under LOCK_USER_TURN of
 * the user, exclusive. */
checked bool turn_take(struct app *app, struct db *db, const struct turn_owner *owner,
                       int64_t *ret_key, struct err *err);

#endif
