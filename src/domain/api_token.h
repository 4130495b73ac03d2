#ifndef DOMAIN_API_TOKEN_H
#define DOMAIN_API_TOKEN_H

#include "base/str.h"

#include <stdint.h>

/* A token lets a program speak for a user, without his password. It may never do more than the user
 * may at that moment, nor make tokens, nor change the password. */

enum token_scope {
    TOKEN_READ = 1, /* what changes nothing */
    TOKEN_WRITE,    /* all that the user may */
    TOKEN_SCOPE_END
};
#define API_TOKEN_PREFIX "assize_" /* tells it from a session's access token */
#define API_TOKEN_CHARS 50         /* the prefix, and 32 random bytes in base64url */
#define API_TOKEN_NAME_BYTES_MAX 64
#define API_TOKEN_DAYS_MAX 366
#define API_TOKENS_MAX 50 /* of one user, live ones */

struct api_token_id {
    int64_t value;
};

const char *token_scope_name(enum token_scope scope); /* "read" */
bool token_scope_parse(struct str text, enum token_scope *ret_scope);
bool api_token_is_one(struct str bearer); /* by its form alone */

#endif
