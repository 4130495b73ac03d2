/* Signing in and out. */
#include "app/auth.h"
#include "base/limits.h"
#include "server/server_internal.h"
#include "server/view_json.h"

static route_fn session_create, session_get, session_delete, password_change;

/* clang-format off */
const struct route routes_session[] = {
    {HTTP_POST, "/api/v1/session", ACCESS_NONE, 4 * KIB, RATE_LOGIN, ROUTE_BLOCKING,
     session_create, "sessionCreate"},
    {HTTP_GET, "/api/v1/session", ACCESS_USER, 0, RATE_READ, ROUTE_BLOCKING,
     session_get, "sessionGet"},
    {HTTP_DELETE, "/api/v1/session", ACCESS_USER, 0, RATE_WRITE, ROUTE_BLOCKING,
     session_delete, "sessionDelete"},
    {HTTP_PUT, "/api/v1/session/password", ACCESS_USER, 4 * KIB, RATE_LOGIN, ROUTE_BLOCKING,
     password_change, "passwordChange"},
    {0},
};
/* clang-format on */

static void session_create(struct call *call) {
    static const char *const known[] = {"username", "password", NULL};
    const struct json *body = NULL;
    struct sign_in_request request = {.remote = call_client(call)};
    struct session_view session = {0};
    struct err err = {0};
    if (!call_json(call, known, &body)) {
        return;
    }
    if (!jr_str(body, "username", USERNAME_BYTES_MAX, &request.username, &err) ||
        !jr_str(body, "password", PASSWORD_BYTES_MAX, &request.password, &err) ||
        !auth_sign_in(call->app, &request, call->arena, &session, &err)) {
        call_fail(call, &err);
        return;
    }
    struct jw json;
    access_set_cookies(call, &session);
    call_reply_begin(call, &json);
    view_session(&json, &session, true);
    call_reply_end(call, &json, 200);
}

static void session_get(struct call *call) {
    struct session_view session = {0};
    struct err err = {0};
    if (!user_get(call->app, &call->actor, call->actor.user, call->arena, &session.user, &err)) {
        call_fail(call, &err);
        return;
    }
    struct jw json;
    session.expires_ms = clock_utc_ms(app_clock(call->app)) + app_settings_of(call->app)->token_ms;
    call_reply_begin(call, &json);
    view_session(&json, &session, false);
    call_reply_end(call, &json, 200);
}

static void session_delete(struct call *call) {
    struct err err = {0};
    if (!auth_sign_out(call->app, &call->actor, &err)) {
        call_fail(call, &err);
        return;
    }
    access_clear_cookies(call);
    call_reply_empty(call, 204);
}

static void password_change(struct call *call) {
    static const char *const known[] = {"currentPassword", "newPassword", NULL};
    const struct json *body = NULL;
    struct str current = {0};
    struct str fresh = {0};
    struct err err = {0};
    if (!call_json(call, known, &body)) {
        return;
    }
    if (!jr_str(body, "currentPassword", PASSWORD_BYTES_MAX, &current, &err) ||
        !jr_str(body, "newPassword", PASSWORD_BYTES_MAX, &fresh, &err) ||
        !auth_change_password(call->app, &call->actor, current, fresh, &err)) {
        call_fail(call, &err);
        return;
    }
    call_reply_empty(call, 204);
}
