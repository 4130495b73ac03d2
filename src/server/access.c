/* Who asks, and may they. Four ways in: a JWT (cookie or bearer), a session cookie that renews it,
 * an API token, a node's credential. A role is checked here for the route; the use case checks the
 * right on the object. */
#include "app/api_token.h"
#include "app/auth.h"
#include "app/dispatch.h"
#include "base/limits.h"
#include "server/server_internal.h"
#include "wire/problem_json.h"

#include <stdio.h>
#include <string.h>

#define COOKIE_SESSION "assize_session"
#define COOKIE_TOKEN "assize_token"
#define COOKIE_BYTES_MAX 800
#define EARLY_BODY_BYTES_MAX (64 * KIB)

static struct str bearer(const struct call *call) {
    struct str header = http_header(call->http, "Authorization");
    return str_starts(header, STR("Bearer ")) ? str_trim(str_sub(header, 7, header.len))
                                              : (struct str){0};
}

static void set_cookie(struct call *call, const char *name, const char *value,
                       const char *lifetime) {
    char line[COOKIE_BYTES_MAX];
    (void)snprintf(line, sizeof line, "%s=%s; Path=/; HttpOnly; SameSite=Lax%s%s", name, value,
                   call_is_tls(call) ? "; Secure" : "", lifetime);
    http_add_header(call->http, "Set-Cookie", line);
}

void access_set_cookies(struct call *call, const struct session_view *session) {
    char lifetime[64];
    int64_t now_ms = clock_utc_ms(app_clock(call->app));
    if (session->secret[0] != '\0') {
        (void)snprintf(lifetime, sizeof lifetime, "; Max-Age=%lld",
                       (long long)((session->session_expires_ms - now_ms) / 1000));
        set_cookie(call, COOKIE_SESSION, session->secret, lifetime);
    }
    (void)snprintf(lifetime, sizeof lifetime, "; Max-Age=%lld",
                   (long long)((session->expires_ms - now_ms) / 1000));
    set_cookie(call, COOKIE_TOKEN, session->access_token, lifetime);
}

void access_clear_cookies(struct call *call) {
    set_cookie(call, COOKIE_SESSION, "", "; Max-Age=0");
    set_cookie(call, COOKIE_TOKEN, "", "; Max-Age=0");
}

static bool too_many(struct err *err, int64_t retry_s) {
    (void)err_set(err, ERR_LIMITED, "too_many_requests",
                  "too many requests: wait a moment and try again");
    err->retry_ms = (int)retry_s * 1000;
    return false;
}

/* A valid JWT needs no database. */
static bool check_token(struct call *call, struct err *err) {
    struct str token = bearer(call);
    if (token.len == 0) {
        token = http_cookie(call->http, COOKIE_TOKEN);
    }
    if (token.len == 0) {
        return err_set(err, ERR_UNAUTHENTICATED, "no_session", "sign in first");
    }
    return auth_check_token(call->app, token, &call->actor, err);
}

static bool renew_token(struct call *call, struct err *err) {
    struct str secret = http_cookie(call->http, COOKIE_SESSION);
    struct session_view session = {0};
    int64_t retry_s = 0;
    if (secret.len == 0 || bearer(call).len > 0) {
        return err_set(err, ERR_UNAUTHENTICATED, "no_session", "sign in first");
    }
    if (!rate_has(call->server->rates, RATE_STRANGER, call_client(call), &retry_s)) {
        return too_many(err, retry_s); /* before the database is asked once more */
    }
    if (!auth_renew(call->app, secret, call->arena, &session, err) ||
        !auth_check_token(call->app, str_from(session.access_token), &call->actor, err)) {
        return false;
    }
    access_set_cookies(call, &session);
    return true;
}

/* Against the database each time: a token that was revoked is not good for another minute. */
static bool check_api_token(struct call *call, struct err *err) {
    enum token_scope scope = TOKEN_READ;
    int64_t retry_s = 0;
    /* Counted before the database is asked, whatever comes of it. */
    if (!rate_has(call->server->rates, RATE_STRANGER, call_client(call), &retry_s) ||
        !rate_take(call->server->rates, call->route->rate, bearer(call), &retry_s)) {
        return too_many(err, retry_s);
    }
    if (!api_token_check(call->app, bearer(call), &call->actor, &scope, err)) {
        return false;
    }
    return scope == TOKEN_WRITE || call->route->method == HTTP_GET ||
           err_set(err, ERR_DENIED, "not_allowed", "this API token may only read");
}

bool access_is_quick(struct call *call) {
    struct err err = {0};
    enum access access = call->route->access;
    if (api_token_is_one(bearer(call))) {
        return call->is_known;
    }
    return call->is_known || access == ACCESS_NONE || access == ACCESS_NODE ||
           check_token(call, &err) || http_cookie(call->http, COOKIE_SESSION).len == 0;
}

static enum role role_needed(enum access access) {
    switch (access) {
    case ACCESS_ADMIN: return ROLE_ADMIN;
    case ACCESS_TEACHER: return ROLE_TEACHER;
    case ACCESS_NONE:
    case ACCESS_USER:
    case ACCESS_NODE: return ROLE_STUDENT;
    }
    return ROLE_ADMIN;
}

static bool find_who(struct call *call, struct err *err) {
    switch (call->route->access) {
    case ACCESS_NONE: return true;
    case ACCESS_NODE: return dispatch_authenticate(call->app, bearer(call), &call->actor, err);
    case ACCESS_USER:
    case ACCESS_TEACHER:
    case ACCESS_ADMIN: break;
    }
    if (api_token_is_one(bearer(call))) {
        if (!check_api_token(call, err)) {
            return false;
        }
    } else if (!check_token(call, err) && !renew_token(call, err)) {
        return false;
    }
    return actor_need_role(&call->actor, role_needed(call->route->access), err);
}

/* Who fails is counted by address, or guessing would cost nothing: the limits of a route are
 * counted for who is known. A good token of a session is never asked about this. */
static bool count_stranger(const struct call *call, struct err *err) {
    int64_t retry_s = 0;
    return err->kind == ERR_UNAUTHENTICATED &&
                   !rate_take(call->server->rates, RATE_STRANGER, call_client(call), &retry_s)
               ? too_many(err, retry_s)
               : false;
}

static bool check_who(struct call *call, struct err *err) {
    return find_who(call, err) || count_stranger(call, err);
}

void access_refuse_unnamed(struct call *call) {
    struct err err = {0};
    (void)err_set(&err, ERR_UNAUTHENTICATED,
                  call->route->access == ACCESS_NODE ? "bad_credential" : "no_session",
                  "sign in first");
    (void)count_stranger(call, &err);
    call_fail(call, &err);
}

/* A page of another site can make a browser send our cookies; it cannot make it hide where it came
 * from. */
static bool check_origin(struct call *call, struct err *err) {
    if (call->route->method == HTTP_GET || call->route->access == ACCESS_NODE ||
        bearer(call).len > 0) {
        return true;
    }
    if (origin_is_own(http_header(call->http, "Origin"), http_header(call->http, "Sec-Fetch-Site"),
                      http_header(call->http, "Host"))) {
        return true;
    }
    return err_set(err, ERR_DENIED, "cross_site",
                   "this request came from a page of another site: open Assize itself");
}

static bool check_rate(struct call *call, struct err *err) {
    enum rate_class rate = call->route->rate;
    int64_t retry_s = 0;
    struct str key = call_client(call);
    if (rate != RATE_LOGIN && call->actor.kind == ACTOR_USER) {
        key = str_from(arena_printf(call->arena, "user %lld", (long long)call->actor.user.value));
    }
    if (rate_take(call->server->rates, rate, key, &retry_s)) {
        return true;
    }
    return too_many(err, retry_s);
}

bool access_check_early(struct call *call) {
    struct err err = {0};
    if (call->route->body_bytes_max <= EARLY_BODY_BYTES_MAX) {
        return true;
    }
    if (!check_origin(call, &err) || !check_who(call, &err)) {
        call_fail(call, &err);
        return false;
    }
    call->is_known = true;
    return true;
}

bool access_check(struct call *call) {
    struct err err = {0};
    bool is_known = call->is_known || (check_origin(call, &err) && check_who(call, &err));
    if (!is_known || !check_rate(call, &err)) {
        call_fail(call, &err);
        return false;
    }
    (void)snprintf(call->actor.trace_id, sizeof call->actor.trace_id, "%s", call->trace_id);
    return true;
}
