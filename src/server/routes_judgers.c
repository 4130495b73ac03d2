/* Judge nodes as administrators see them. */
#include "app/judger.h"
#include "base/limits.h"
#include "domain/base_url.h"
#include "server/server_internal.h"
#include "server/view_json.h"

static route_fn judger_list_route, judger_create_route, judger_get_route, judger_update_route;

/* clang-format off */
const struct route routes_judgers[] = {
    {HTTP_GET, "/api/v1/admin/judgers", ACCESS_ADMIN, 0, RATE_READ, ROUTE_BLOCKING,
     judger_list_route, "judgerList"},
    {HTTP_POST, "/api/v1/admin/judgers", ACCESS_ADMIN, 4 * KIB, RATE_WRITE, ROUTE_BLOCKING,
     judger_create_route, "judgerCreate"},
    {HTTP_GET, "/api/v1/admin/judgers/{id}", ACCESS_ADMIN, 0, RATE_READ, ROUTE_BLOCKING,
     judger_get_route, "judgerGet"},
    {HTTP_PATCH, "/api/v1/admin/judgers/{id}", ACCESS_ADMIN, 4 * KIB, RATE_WRITE, ROUTE_BLOCKING,
     judger_update_route, "judgerUpdate"},
    {0},
};
/* clang-format on */

#define NAME_BYTES_MAX 64

static void reply_judger(struct call *call, const struct node_view *node) {
    struct jw json;
    call_reply_begin(call, &json);
    view_judger(&json, node);
    call_reply_end(call, &json, 200);
}

static void judger_list_route(struct call *call) {
    struct node_view *nodes = NULL;
    int count = 0;
    struct err err = {0};
    if (!judger_list(call->app, &call->actor, call->arena, &nodes, &count, &err)) {
        call_fail(call, &err);
        return;
    }
    struct jw json;
    call_list_begin(call, &json);
    for (int i = 0; i < count; i++) {
        view_judger(&json, &nodes[i]);
    }
    call_list_end(call, &json, 0);
}

static bool read_registration(const struct json *body, struct node_register_request *request,
                              struct err *err) {
    int64_t slots = 0;
    if (!jr_str(body, "name", NAME_BYTES_MAX, &request->name, err) ||
        !jr_str(body, "pool", NAME_BYTES_MAX, &request->pool, err) ||
        !jr_opt_str(body, "runtimeSpec", NAME_BYTES_MAX, &request->runtime_spec, err) ||
        !jr_opt_str(body, "hostGroup", NAME_BYTES_MAX, &request->host_group, err) ||
        !jr_opt_str(body, "baseUrl", BASE_URL_BYTES_MAX, &request->base_url, err) ||
        !jr_i64(body, "slots", 1, NODE_SLOTS_MAX, &slots, err)) {
        return false;
    }
    request->slots = (int32_t)slots;
    return true;
}

static void judger_create_route(struct call *call) {
    static const char *const known[] = {"name",      "pool",    "runtimeSpec", "slots",
                                        "hostGroup", "baseUrl", NULL};
    const struct json *body = NULL;
    struct node_register_request request = {0};
    struct node_registered registered = {0};
    struct err err = {0};
    if (!call_json(call, known, &body)) {
        return;
    }
    if (!read_registration(body, &request, &err) ||
        !judger_register(call->app, &call->actor, &request, call->arena, &registered, &err)) {
        call_fail(call, &err);
        return;
    }
    view_registered(call, &registered, 201);
}

static void judger_get_route(struct call *call) {
    struct node_view node = {0};
    struct node_id id = {0};
    struct err err = {0};
    if (!call_id(call, 0, "no_judger", &id.value)) {
        return;
    }
    if (!judger_get(call->app, &call->actor, id, call->arena, &node, &err)) {
        call_fail(call, &err);
        return;
    }
    reply_judger(call, &node);
}

static bool parse_config(struct str text, enum node_config *ret_config, struct err *err) {
    static const struct {
        const char *name;
        enum node_config config;
    } configs[] = {{"PENDING", NODE_PENDING},
                   {"ENABLED", NODE_ENABLED},
                   {"DRAINING", NODE_DRAINING},
                   {"DISABLED", NODE_DISABLED}};
    for (size_t i = 0; i < sizeof configs / sizeof configs[0]; i++) {
        if (str_eq_c(text, configs[i].name)) {
            *ret_config = configs[i].config;
            return true;
        }
    }
    return err_set(err, ERR_INVALID, "bad_field",
                   "field `configState` must be PENDING, ENABLED, DRAINING or DISABLED");
}

static void judger_update_route(struct call *call) {
    static const char *const known[] = {"revision", "configState", "slots", "baseUrl", NULL};
    const struct json *body = NULL;
    struct judger_update_request request = {0};
    struct node_view node = {0};
    struct str config_text = {0};
    struct str base_url = {0};
    enum node_config config = NODE_PENDING;
    int64_t slots = 0;
    int32_t slots_32 = 0;
    struct err err = {0};
    if (!call_id(call, 0, "no_judger", &request.id.value) || !call_json(call, known, &body)) {
        return;
    }
    if (!jr_i64(body, "revision", 1, ID_MAX, &request.revision, &err) ||
        !jr_opt_str(body, "configState", NAME_BYTES_MAX, &config_text, &err) ||
        !jr_opt_i64(body, "slots", 1, NODE_SLOTS_MAX, &slots, &err) ||
        !jr_opt_str(body, "baseUrl", BASE_URL_BYTES_MAX, &base_url, &err) ||
        (config_text.len > 0 && !parse_config(config_text, &config, &err))) {
        call_fail(call, &err);
        return;
    }
    slots_32 = (int32_t)slots;
    request.config = config_text.len > 0 ? &config : NULL;
    request.slots = slots > 0 ? &slots_32 : NULL;
    request.base_url = jr_kind(jr_get(body, "baseUrl")) == JR_STR ? &base_url : NULL;
    if (!judger_update(call->app, &call->actor, &request, call->arena, &node, &err)) {
        call_fail(call, &err);
        return;
    }
    reply_judger(call, &node);
}
