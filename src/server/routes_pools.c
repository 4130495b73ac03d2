/* Pools, queues and host groups, as administrators see and change them. */
#include "app/host_group.h"
#include "app/pool.h"
#include "base/limits.h"
#include "server/server_internal.h"
#include "server/view_nodes.h"

static route_fn pool_list_route, pool_update_route, queue_update_route, warning_list_route;
static route_fn group_list_route, group_create_route, group_update_route;

/* clang-format off */
const struct route routes_pools[] = {
    {HTTP_GET, "/api/v1/admin/pools", ACCESS_ADMIN, 0, RATE_READ, ROUTE_BLOCKING,
     pool_list_route, "poolList"},
    {HTTP_PATCH, "/api/v1/admin/pools/{name}", ACCESS_ADMIN, 4 * KIB, RATE_WRITE, ROUTE_BLOCKING,
     pool_update_route, "poolUpdate"},
    {HTTP_GET, "/api/v1/admin/pool-warnings", ACCESS_ADMIN, 0, RATE_READ, ROUTE_BLOCKING,
     warning_list_route, "poolWarningList"},
    {HTTP_PATCH, "/api/v1/admin/queues/{id}", ACCESS_ADMIN, 4 * KIB, RATE_WRITE, ROUTE_BLOCKING,
     queue_update_route, "queueUpdate"},
    {HTTP_GET, "/api/v1/admin/host-groups", ACCESS_ADMIN, 0, RATE_READ, ROUTE_BLOCKING,
     group_list_route, "hostGroupList"},
    {HTTP_POST, "/api/v1/admin/host-groups", ACCESS_ADMIN, 4 * KIB, RATE_WRITE, ROUTE_BLOCKING,
     group_create_route, "hostGroupCreate"},
    {HTTP_PATCH, "/api/v1/admin/host-groups/{id}", ACCESS_ADMIN, 4 * KIB, RATE_WRITE, ROUTE_BLOCKING,
     group_update_route, "hostGroupUpdate"},
    {0},
};
/* clang-format on */

#define NAME_BYTES_MAX 64

/* ---- pools and queues ---- */

static void pool_list_route(struct call *call) {
    struct pool_view *pools = NULL;
    int count = 0;
    struct err err = {0};
    if (!pool_list(call->app, &call->actor, call->arena, &pools, &count, &err)) {
        call_fail(call, &err);
        return;
    }
    struct jw json;
    call_list_begin(call, &json);
    for (int i = 0; i < count; i++) {
        view_pool(&json, &pools[i]);
    }
    call_list_end(call, &json, 0);
}

static void reply_pool(struct call *call, const struct pool_view *pool) {
    struct jw json;
    call_reply_begin(call, &json);
    view_pool(&json, pool);
    call_reply_end(call, &json, 200);
}

static void pool_update_route(struct call *call) {
    static const char *const known[] = {"revision", "held", "runtimeSpec", NULL};
    const struct json *body = NULL;
    struct pool_update_request request = {.name = call->params[0]};
    struct pool_view pool = {0};
    struct str spec = {0};
    bool held = false;
    struct err err = {0};
    if (!call_json(call, known, &body)) {
        return;
    }
    bool has_held = jr_kind(jr_get(body, "held")) == JR_BOOL;
    if (!jr_i64(body, "revision", 1, ID_MAX, &request.revision, &err) ||
        !jr_opt_bool(body, "held", &held, &err) ||
        !jr_opt_str(body, "runtimeSpec", NAME_BYTES_MAX, &spec, &err)) {
        call_fail(call, &err);
        return;
    }
    request.held = has_held ? &held : NULL;
    request.runtime_spec = spec.len > 0 ? &spec : NULL;
    if (!pool_update(call->app, &call->actor, &request, call->arena, &pool, &err)) {
        call_fail(call, &err);
        return;
    }
    reply_pool(call, &pool);
}

static void queue_update_route(struct call *call) {
    static const char *const known[] = {"revision", "held", NULL};
    const struct json *body = NULL;
    struct queue_update_request request = {0};
    struct pool_view pool = {0};
    struct err err = {0};
    if (!call_id(call, 0, "no_queue", &request.id.value) || !call_json(call, known, &body)) {
        return;
    }
    if (!jr_i64(body, "revision", 1, ID_MAX, &request.revision, &err) ||
        !jr_bool(body, "held", &request.held, &err) ||
        !queue_update(call->app, &call->actor, &request, call->arena, &pool, &err)) {
        call_fail(call, &err);
        return;
    }
    reply_pool(call, &pool);
}

static void warning_list_route(struct call *call) {
    struct pool_warning *warnings = NULL;
    int count = 0;
    struct err err = {0};
    if (!pool_warnings(call->app, &call->actor, call->arena, &warnings, &count, &err)) {
        call_fail(call, &err);
        return;
    }
    struct jw json;
    call_list_begin(call, &json);
    for (int i = 0; i < count; i++) {
        view_pool_warning(&json, &warnings[i]);
    }
    call_list_end(call, &json, 0);
}

/* ---- host groups ---- */

static void group_list_route(struct call *call) {
    struct host_group_row *groups = NULL;
    int count = 0;
    struct err err = {0};
    if (!host_group_list(call->app, &call->actor, call->arena, &groups, &count, &err)) {
        call_fail(call, &err);
        return;
    }
    struct jw json;
    call_list_begin(call, &json);
    for (int i = 0; i < count; i++) {
        view_host_group(&json, &groups[i]);
    }
    call_list_end(call, &json, 0);
}

static void write_group(struct call *call, const struct host_group_change *change, int status) {
    struct host_group_row group = {0};
    struct err err = {0};
    if (!host_group_write(call->app, &call->actor, change, call->arena, &group, &err)) {
        call_fail(call, &err);
        return;
    }
    struct jw json;
    call_reply_begin(call, &json);
    view_host_group(&json, &group);
    call_reply_end(call, &json, status);
}

static void group_create_route(struct call *call) {
    static const char *const known[] = {"name", "slots", NULL};
    const struct json *body = NULL;
    struct host_group_change change = {0};
    int64_t slots = 0;
    struct err err = {0};
    if (!call_json(call, known, &body)) {
        return;
    }
    if (!jr_str(body, "name", NAME_BYTES_MAX, &change.name, &err) ||
        !jr_i64(body, "slots", 1, HOST_SLOTS_MAX, &slots, &err)) {
        call_fail(call, &err);
        return;
    }
    change.slots = (int32_t)slots;
    write_group(call, &change, 201);
}

static void group_update_route(struct call *call) {
    static const char *const known[] = {"revision", "slots", NULL};
    const struct json *body = NULL;
    struct host_group_change change = {0};
    int64_t slots = 0;
    struct err err = {0};
    if (!call_id(call, 0, "no_host_group", &change.id.value) || !call_json(call, known, &body)) {
        return;
    }
    if (!jr_i64(body, "revision", 1, ID_MAX, &change.revision, &err) ||
        !jr_i64(body, "slots", 1, HOST_SLOTS_MAX, &slots, &err)) {
        call_fail(call, &err);
        return;
    }
    change.slots = (int32_t)slots;
    write_group(call, &change, 200);
}
