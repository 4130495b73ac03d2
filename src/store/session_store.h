#ifndef STORE_SESSION_STORE_H
#define STORE_SESSION_STORE_H

#include "data/digest.h"
#include "domain/ids.h"
#include "store/db.h"

/* Sign-in sessions. The secret itself is never stored. Changes need the user's lock. */

struct session_row {
    struct user_session_id id;
    struct user_id user;
    struct digest secret; /* SHA-256 of it */
    int64_t created_ms;
    int64_t expires_ms;
    int64_t revoked_ms; /* 0: live */
};

checked bool session_store_insert(struct db *db, const struct session_row *row, struct err *err);
/* Whatever its state. Errors: ERR_UNAUTHENTICATED "no_session". */
checked bool session_store_find_secret(struct db *db, const struct digest *secret,
                                       struct session_row *ret_row, struct err *err);
checked bool session_store_find(struct db *db, struct user_session_id id,
                                struct session_row *ret_row, struct err *err);
/* Of this user only; one that is over stays as it is. */
checked bool session_store_revoke(struct db *db, struct user_id user, struct user_session_id id,
                                  int64_t now_ms, struct err *err);
/* All of the user's but `keep`, which may be 0. */
checked bool session_store_revoke_all(struct db *db, struct user_id user,
                                      struct user_session_id keep, int64_t now_ms, struct err *err);
/* Removes the user's sessions that are over, and the oldest beyond `live_max`. */
checked bool session_store_prune(struct db *db, struct user_id user, int live_max, int64_t now_ms,
                                 struct err *err);

#endif
