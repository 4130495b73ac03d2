#ifndef APP_TOKEN_KEYS_INTERNAL_H
#define APP_TOKEN_KEYS_INTERNAL_H

#include "app/app_internal.h"
#include "data/jwt.h"

/* The keys of access tokens: in the database, so that every server accepts what another has signed,
 * and in memory, so that a token is checked without it. A key signs for TOKEN_KEY_DAYS; then the
 * next one is made by whoever needs it first. May be called from any thread. */

#define TOKEN_KEY_DAYS 30

struct token_keys;

struct token_keys *token_keys_create(void);
void token_keys_free(struct token_keys *keys); /* accepts NULL; wipes them */
OWN_DEFINE(token_keys, token_keys_free)

/* Appends the token. Reads the keys, and makes one, when none that is known signs. */
checked bool token_keys_sign(struct app *app, struct token_keys *keys,
                             const struct jwt_claims *claims, struct buf *out, struct err *err);
/* ERR_UNAUTHENTICATED as jwt_verify. A token of an unknown key makes the keys be read again, at
 * most once in some seconds. */
checked bool token_keys_verify(struct app *app, struct token_keys *keys, struct str token,
                               struct jwt_claims *ret_claims, struct err *err);

#endif
