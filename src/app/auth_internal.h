#ifndef APP_AUTH_INTERNAL_H
#define APP_AUTH_INTERNAL_H

#include "app/auth.h"

/* What sign-in keeps in memory: signing keys read from the database, counts of failures, the places
 * for running password checks. struct app owns one as `auth`. */
struct auth;

/* No I/O: keys are read when first needed. */
struct auth *auth_create(const struct app_options *options);
void auth_free(struct auth *auth); /* accepts NULL; wipes the keys */
OWN_DEFINE(auth, auth_free)

#endif
