#ifndef APP_AUTH_INTERNAL_H
#define APP_AUTH_INTERNAL_H

#include "app/app_internal.h"
#include "app/attempts_internal.h"
#include "app/auth.h"
#include "app/token_keys_internal.h"
#include "base/thread.h"
#include "data/password.h"
#include "store/user_store.h"

/* What the files about accounts share: auth.c (signing in and out), user.c (the administrator's
 * view), account_write.c (what both write). */

#define PASSWORDS_RUNNING_MAX 2  /* 19 MiB and a core each */
#define PASSWORDS_WAITING_MAX 64 /* three seconds at most */
#define SESSIONS_LIVE_MAX 50     /* of one user; the oldest ends */

struct auth {
    struct attempts *attempts;
    struct token_keys *keys;
    const struct password_cost *cost;
    char nobody_hash[PASSWORD_HASH_BYTES]; /* checked for users who are not there */

    struct mutex mutex; /* the rest */
    struct cond freed;
    int running;
    int waiting;
};

/* No database: keys are read when first needed. */
struct auth *auth_create(const struct app_options *options);
void auth_free(struct auth *auth); /* accepts NULL; wipes the keys */
OWN_DEFINE(auth, auth_free)

/* password_gate.c: password_hash and password_verify, only a few at a time.
 * ERR_BUSY "busy" when too many wait. */
checked bool password_gate_verify(struct app *app, const char *hash, struct str password,
                                  bool *ret_right, struct err *err);
checked bool password_gate_hash(struct app *app, struct str password,
                                char ret_hash[PASSWORD_HASH_BYTES], struct err *err);

void user_view_from_row(const struct user_row *row, struct user_view *ret_view);

/* account_write.c. Each waits for its commit; texts of results live in `arena`. */

struct session_make {
    struct user_id user;
    const char *verified_hash; /* the session is refused when the password has another by now */
    const char *fresh_hash;    /* replaces it when its cost is outdated; NULL: keep */
    struct digest secret;
};
/* ERR_UNAUTHENTICATED "bad_credentials" when the account changed meanwhile. */
checked bool account_make_session(struct app *app, const struct session_make *make,
                                  struct user_session_id *ret_session, int64_t *ret_expires_ms,
                                  struct err *err);
checked bool account_end_session(struct app *app, const struct actor *actor, struct err *err);

struct password_change {
    const struct actor *actor;
    struct user_id user;
    const char *verified_hash; /* NULL: whatever it is */
    const char *fresh_hash;
    struct user_session_id keep; /* 0: all sessions end */
};
checked bool account_change_password(struct app *app, const struct password_change *change,
                                     struct err *err);

/* `user` without an id. ERR_CONFLICT "conflict_username". */
checked bool account_create(struct app *app, const struct actor *actor, const struct user_row *user,
                            struct arena *arena, struct user_row *ret_user, struct err *err);

struct account_update {
    const struct actor *actor;
    const struct user_update_request *request;
    const char *fresh_hash; /* of request->password; NULL: keep */
};
/* Errors: as user_update. */
checked bool account_update(struct app *app, const struct account_update *update,
                            struct arena *arena, struct user_row *ret_user, struct err *err);

#endif
