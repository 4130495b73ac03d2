#ifndef APP_API_TOKEN_H
#define APP_API_TOKEN_H

#include "app/app.h"
#include "domain/actor.h"
#include "domain/api_token.h"

/* API tokens: made, listed and revoked by their user after signing in himself: who comes by a token
 * is an actor without a session. Only the SHA-256 of a
 * token is stored. All of a user's end when an administrator disables him or sets his password. */

struct api_token_view {
    struct api_token_id id;
    struct str name;
    enum token_scope scope;
    int64_t created_ms;
    int64_t expires_ms;
};

struct api_token_made {
    struct api_token_view token;
    char secret[API_TOKEN_CHARS + 1]; /* the token itself */
};

struct api_token_request {
    struct str name;
    enum token_scope scope;
    int64_t days; /* 1 to API_TOKEN_DAYS_MAX */
};
/* Errors: ERR_DENIED "not_allowed" for who came by a token; ERR_INVALID "bad_field"; ERR_CONFLICT
 * "too_many_tokens" with API_TOKENS_MAX live ones. */
checked bool api_token_create(struct app *app, const struct actor *actor,
                              const struct api_token_request *request, struct arena *arena,
                              struct api_token_made *ret_made, struct err *err);
/* The actor's own that are good, the newest first. */
checked bool api_token_list(struct app *app, const struct actor *actor, struct arena *arena,
                            struct api_token_view **ret_tokens, int *ret_count, struct err *err);
/* Errors: ERR_MISSING "no_token". */
checked bool api_token_revoke(struct app *app, const struct actor *actor, struct api_token_id id,
                              struct err *err);
/* Whom it speaks for, with the role that he has now. Reads the database.
 * Errors: ERR_UNAUTHENTICATED "no_session" for one that is unknown, revoked or over, or whose user
 * is disabled. */
checked bool api_token_check(struct app *app, struct str secret, struct actor *ret_actor,
                             enum token_scope *ret_scope, struct err *err);

#endif
