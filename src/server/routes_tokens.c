/* API tokens of who is signed in. */
#include "app/api_token.h"
#include "base/limits.h"
#include "server/server_internal.h"

#include <string.h>

static route_fn token_list, token_create, token_revoke;

/* clang-format off */
const struct route routes_tokens[] = {
    {HTTP_GET, "/api/v1/tokens", ACCESS_USER, 0, RATE_READ, ROUTE_BLOCKING,
     token_list, "tokenList"},
    {HTTP_POST, "/api/v1/tokens", ACCESS_USER, 4 * KIB, RATE_WRITE, ROUTE_BLOCKING,
     token_create, "tokenCreate"},
    {HTTP_DELETE, "/api/v1/tokens/{id}", ACCESS_USER, 0, RATE_WRITE, ROUTE_BLOCKING,
     token_revoke, "tokenRevoke"},
    {0},
};
/* clang-format on */

static void put_token(struct jw *json, const struct api_token_view *token) {
    jw_object_begin(json);
    jw_put_i64(json, "id", token->id.value);
    jw_put_str(json, "name", token->name);
    jw_put_cstr(json, "scope", token_scope_name(token->scope));
    jw_put_time(json, "createdAt", token->created_ms);
    jw_put_time(json, "expiresAt", token->expires_ms);
    jw_object_end(json);
}

static void token_list(struct call *call) {
    struct api_token_view *tokens = NULL;
    int count = 0;
    struct err err = {0};
    if (!api_token_list(call->app, &call->actor, call->arena, &tokens, &count, &err)) {
        call_fail(call, &err);
        return;
    }
    struct jw json;
    call_list_begin(call, &json);
    for (int i = 0; i < count; i++) {
        put_token(&json, &tokens[i]);
    }
    call_list_end(call, &json, 0);
}

static void token_create(struct call *call) {
    static const char *const known[] = {"name", "scope", "days", NULL};
    const struct json *body = NULL;
    struct api_token_request request = {0};
    struct api_token_made made = {0};
    struct str scope = {0};
    struct err err = {0};
    if (!call_json(call, known, &body)) {
        return;
    }
    if (!jr_str(body, "name", API_TOKEN_NAME_BYTES_MAX, &request.name, &err) ||
        !jr_str(body, "scope", 16, &scope, &err) ||
        !jr_i64(body, "days", 1, API_TOKEN_DAYS_MAX, &request.days, &err) ||
        !(token_scope_parse(scope, &request.scope) ||
          err_set(&err, ERR_INVALID, "bad_field", "field `scope` must be read or write")) ||
        !api_token_create(call->app, &call->actor, &request, call->arena, &made, &err)) {
        call_fail(call, &err);
        return;
    }
    struct jw json;
    call_reply_begin(call, &json);
    jw_object_begin(&json);
    jw_key(&json, "token");
    put_token(&json, &made.token);
    jw_put_cstr(&json, "secret", made.secret);
    jw_object_end(&json);
    explicit_bzero(made.secret, sizeof made.secret);
    call_reply_end(call, &json, 201);
}

static void token_revoke(struct call *call) {
    struct api_token_id id = {0};
    struct err err = {0};
    if (!call_id(call, 0, "no_token", &id.value)) {
        return;
    }
    if (!api_token_revoke(call->app, &call->actor, id, &err)) {
        call_fail(call, &err);
        return;
    }
    call_reply_empty(call, 204);
}
