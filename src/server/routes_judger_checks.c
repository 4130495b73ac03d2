/* Proving a node, and giving or taking its credential. */
#include "app/judger.h"
#include "app/judger_check.h"
#include "base/limits.h"
#include "server/probe.h"
#include "server/server_internal.h"
#include "server/view_json.h"
#include "server/view_nodes.h"

static route_fn check_list_route, check_create_route, rotate_route, revoke_route;

/* clang-format off */
const struct route routes_judger_checks[] = {
    {HTTP_GET, "/api/v1/admin/judgers/{id}/checks", ACCESS_ADMIN, 0, RATE_READ, ROUTE_BLOCKING,
     check_list_route, "judgerCheckList"},
    {HTTP_POST, "/api/v1/admin/judgers/{id}/checks", ACCESS_ADMIN, 4 * KIB, RATE_WRITE,
     ROUTE_BLOCKING | ROUTE_SLOW, check_create_route, "judgerCheckCreate"},
    {HTTP_POST, "/api/v1/admin/judgers/{id}/rotate", ACCESS_ADMIN, 4 * KIB, RATE_WRITE, ROUTE_BLOCKING,
     rotate_route, "judgerRotate"},
    {HTTP_POST, "/api/v1/admin/judgers/{id}/revoke", ACCESS_ADMIN, 4 * KIB, RATE_WRITE, ROUTE_BLOCKING,
     revoke_route, "judgerRevoke"},
    {0},
};
/* clang-format on */

static void check_list_route(struct call *call) {
    struct node_id id = {0};
    struct node_check_list checks = {0};
    struct err err = {0};
    if (!call_id(call, 0, "no_judger", &id.value)) {
        return;
    }
    if (!judger_checks(call->app, &call->actor, id, call->arena, &checks, &err)) {
        call_fail(call, &err);
        return;
    }
    struct jw json;
    call_list_begin(call, &json);
    for (int i = 0; i < checks.count; i++) {
        view_check(&json, &checks.items[i]);
    }
    call_list_end(call, &json, 0);
}

static bool probe(struct call *call, struct node_id id, struct node_check *ret_check,
                  struct err *err) {
    struct probe_target target = {0};
    struct connection_outcome outcome = {0};
    if (!judger_probe_target(call->app, &call->actor, id, call->arena, &target, err)) {
        return false;
    }
    if (target.base_url.len == 0) {
        return err_set(err, ERR_CONFLICT, "not_probed",
                       "node %lld has no base URL: it is not probed", (long long)id.value);
    }
    struct node_probe look = {.rules = &call->server->probe_rules,
                              .ca_file = call->server->probe_ca_file,
                              .random = call->server->random,
                              .target = &target};
    node_probe_run(&look, call->arena, &outcome);
    return judger_connection_checked(call->app, &call->actor, &outcome, call->arena, ret_check,
                                     err);
}

static void check_create_route(struct call *call) {
    static const char *const known[] = {"kind", NULL};
    const struct json *body = NULL;
    struct node_check check = {0};
    struct node_id id = {0};
    struct str kind = {0};
    struct err err = {0};
    if (!call_id(call, 0, "no_judger", &id.value) || !call_json(call, known, &body)) {
        return;
    }
    bool ok = jr_str(body, "kind", 16, &kind, &err);
    if (ok && str_eq(kind, STR("SELF_TEST"))) {
        ok = judger_self_test(call->app, &call->actor, id, call->arena, &check, &err);
    } else if (ok && str_eq(kind, STR("CONNECTION"))) {
        ok = probe(call, id, &check, &err);
    } else if (ok) {
        ok =
            err_set(&err, ERR_INVALID, "bad_field", "field `kind` must be SELF_TEST or CONNECTION");
    }
    if (!ok) {
        call_fail(call, &err);
        return;
    }
    struct jw json;
    call_reply_begin(call, &json);
    view_check(&json, &check);
    call_reply_end(call, &json, 201);
}

/* ---- the credential ---- */

static bool read_access(struct call *call, struct judger_access_request *request) {
    static const char *const known[] = {"revision", NULL};
    const struct json *body = NULL;
    struct err err = {0};
    if (!call_id(call, 0, "no_judger", &request->id.value) || !call_json(call, known, &body)) {
        return false;
    }
    if (!jr_i64(body, "revision", 1, ID_MAX, &request->revision, &err)) {
        call_fail(call, &err);
        return false;
    }
    return true;
}

static void rotate_route(struct call *call) {
    struct judger_access_request request = {0};
    struct node_registered registered = {0};
    struct err err = {0};
    if (!read_access(call, &request)) {
        return;
    }
    if (!judger_rotate(call->app, &call->actor, &request, call->arena, &registered, &err)) {
        call_fail(call, &err);
        return;
    }
    view_registered(call, &registered, 200);
}

static void revoke_route(struct call *call) {
    struct judger_access_request request = {0};
    struct node_view node = {0};
    struct err err = {0};
    if (!read_access(call, &request)) {
        return;
    }
    if (!judger_revoke(call->app, &call->actor, &request, call->arena, &node, &err)) {
        call_fail(call, &err);
        return;
    }
    struct jw json;
    call_reply_begin(call, &json);
    view_judger(&json, &node);
    call_reply_end(call, &json, 200);
}
