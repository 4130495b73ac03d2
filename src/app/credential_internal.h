#ifndef APP_CREDENTIAL_INTERNAL_H
#define APP_CREDENTIAL_INTERNAL_H

#include "app/app_internal.h"
#include "app/dispatch.h"
#include "app/judger.h"

/* Opaque random texts; the database knows their SHA-256 alone. */
void credential_make(struct app *app, char out[CREDENTIAL_BYTES]);
void join_code_make(struct app *app, char out[JOIN_CODE_BYTES]);

/* Credentials changed: what is remembered of them is asked for again. */
void credentials_forget(struct app *app);

#endif
