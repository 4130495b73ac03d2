#ifndef APP_AUTH_H
#define APP_AUTH_H

#include "app/app.h"
#include "app/writer.h"
#include "domain/actor.h"

/* Accounts and sign-in. Passwords: Argon2id. A session is an opaque 256-bit secret, stored as its
 * SHA-256 and revocable; an access token is a JWT of a few minutes made from it. */

#define SESSION_SECRET_BYTES 44 /* base64url with NUL */
#define ACCESS_TOKEN_BYTES_MAX 512

struct user_view {
    struct user_id id;
    struct str username;
    struct str display_name;
    enum role role;
    bool disabled;
    int64_t created_ms;
};

struct session_view {
    struct user_view user;
    struct user_session_id id;
    char secret[SESSION_SECRET_BYTES]; /* for the cookie; empty when only renewed */
    char access_token[ACCESS_TOKEN_BYTES_MAX];
    int64_t expires_ms; /* of the access token */
    int64_t session_expires_ms;
};

struct sign_in_request {
    struct str username;
    struct str password;
    struct str remote; /* the client's address; failures are counted for it and the name */
};
/* Verifies the password: about 50 ms of CPU, so not in an HTTP thread. At most two run at once;
 * further callers wait their turn, too many are ERR_BUSY "busy". Makes a session. Errors:
 * ERR_UNAUTHENTICATED "bad_credentials" (also for unknown and disabled users, in the same time);
 * ERR_LIMITED "too_many_attempts" after many failures, for some minutes. */
checked bool auth_sign_in(struct app *app, const struct sign_in_request *request,
                          struct arena *arena, struct session_view *ret_session, struct err *err);
/* A new access token for a session that is neither revoked nor expired, of an enabled user.
 * Errors: ERR_UNAUTHENTICATED "no_session". */
checked bool auth_renew(struct app *app, struct str secret, struct arena *arena,
                        struct session_view *ret_session, struct err *err);
/* No database: signature, expiry and form only. ERR_UNAUTHENTICATED "no_session". */
checked bool auth_check_token(struct app *app, struct str access_token, struct actor *ret_actor,
                              struct err *err);
checked bool auth_sign_out(struct app *app, const struct actor *actor, struct err *err);
/* Ends all other sessions of the user. Errors: ERR_DENIED "wrong_password" for a wrong current
 * password; ERR_INVALID "bad_field"; ERR_LIMITED "too_many_attempts". */
checked bool auth_change_password(struct app *app, const struct actor *actor, struct str current,
                                  struct str fresh, struct err *err);

struct user_create_request {
    struct str username; /* [A-Za-z0-9._-]{1,64} or any UTF-8 letters; unique without case */
    struct str display_name;
    enum role role;
    struct str password; /* empty: one is generated */
};
struct user_created {
    struct user_view user;
    struct str password; /* the generated one, else empty */
};
/* Administrators only. Errors: ERR_CONFLICT "conflict_username"; ERR_INVALID "bad_field" naming the
 * field. */
checked bool user_create(struct app *app, const struct actor *actor,
                         const struct user_create_request *request, struct arena *arena,
                         struct user_created *ret_created, struct err *err);

struct user_update_request {
    struct user_id id;
    const struct str *display_name; /* NULL: unchanged */
    const enum role *role;
    const bool *disabled;
    const struct str *password;
};
/* Administrators. A new password or `disabled` ends all sessions of the user. Errors: ERR_MISSING
 * "no_user"; ERR_CONFLICT "conflict_last_admin" when no enabled administrator would be left;
 * ERR_INVALID "bad_field". */
checked bool user_update(struct app *app, const struct actor *actor,
                         const struct user_update_request *request, struct arena *arena,
                         struct user_view *ret_user, struct err *err);
/* Oneself, and administrators anyone. ERR_MISSING "no_user". */
checked bool user_get(struct app *app, const struct actor *actor, struct user_id id,
                      struct arena *arena, struct user_view *ret_user, struct err *err);

struct user_page {
    struct user_view *items;
    int count;
    int64_t next; /* cursor, 0: no more */
};
struct user_filter {
    int64_t cursor;
    int limit;
};
/* Administrators; by id. ERR_INVALID "bad_parameter". */
checked bool user_list(struct app *app, const struct actor *actor, const struct user_filter *filter,
                       struct arena *arena, struct user_page *ret_page, struct err *err);

/* Makes the first administrator when there is none: *ret_created tells, *ret_password is shown
 * once. */
checked bool auth_ensure_admin(struct app *app, struct arena *arena, bool *ret_created,
                               struct str *ret_password, struct err *err);
/* For `assize admin reset-password --local`: gives the user (made if it is "admin" and missing) a
 * new password and ends the sessions. */
checked bool auth_reset_password(struct app *app, struct str username, struct arena *arena,
                                 struct str *ret_password, struct err *err);

#endif
