/* API tokens. */
#include "domain/api_token.h"
#include "base/check.h"

static const char *const names[TOKEN_SCOPE_END] = {[TOKEN_READ] = "read", [TOKEN_WRITE] = "write"};

const char *token_scope_name(enum token_scope scope) {
    CHECK(scope > 0 && scope < TOKEN_SCOPE_END);
    return names[scope];
}

bool token_scope_parse(struct str text, enum token_scope *ret_scope) {
    for (int i = TOKEN_READ; i < TOKEN_SCOPE_END; i++) {
        if (str_eq_c(text, names[i])) {
            *ret_scope = (enum token_scope)i;
            return true;
        }
    }
    return false;
}

bool api_token_is_one(struct str bearer) {
    return bearer.len == API_TOKEN_CHARS && str_starts(bearer, STR(API_TOKEN_PREFIX));
}
