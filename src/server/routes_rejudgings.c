/* Judging anew, for administrators. */
#include "app/rejudge.h"
#include "base/limits.h"
#include "server/selection_json.h"
#include "server/server_internal.h"
#include "server/view_jobs.h"

static route_fn list_route, create_route, get_route, items_route, one_route;
static route_fn apply_route, undo_route, cancel_route;

/* clang-format off */
const struct route routes_rejudgings[] = {
    {HTTP_GET, "/api/v1/admin/rejudgings", ACCESS_ADMIN, 0, RATE_READ, ROUTE_BLOCKING,
     list_route, "rejudgingList"},
    {HTTP_POST, "/api/v1/admin/rejudgings", ACCESS_ADMIN, 32 * KIB, RATE_WRITE, ROUTE_BLOCKING,
     create_route, "rejudgingCreate"},
    {HTTP_GET, "/api/v1/admin/rejudgings/{id}", ACCESS_ADMIN, 0, RATE_READ, ROUTE_BLOCKING,
     get_route, "rejudgingGet"},
    {HTTP_GET, "/api/v1/admin/rejudgings/{id}/items", ACCESS_ADMIN, 0, RATE_READ, ROUTE_BLOCKING,
     items_route, "rejudgingItems"},
    {HTTP_POST, "/api/v1/admin/rejudgings/{id}/apply", ACCESS_ADMIN, 4 * KIB, RATE_WRITE,
     ROUTE_BLOCKING, apply_route, "rejudgingApply"},
    {HTTP_POST, "/api/v1/admin/rejudgings/{id}/undo", ACCESS_ADMIN, 4 * KIB, RATE_WRITE,
     ROUTE_BLOCKING, undo_route, "rejudgingUndo"},
    {HTTP_POST, "/api/v1/admin/rejudgings/{id}/cancel", ACCESS_ADMIN, 4 * KIB, RATE_WRITE,
     ROUTE_BLOCKING, cancel_route, "rejudgingCancel"},
    {HTTP_POST, "/api/v1/admin/submissions/{id}/rejudge", ACCESS_ADMIN, 4 * KIB, RATE_WRITE,
     ROUTE_BLOCKING, one_route, "submissionRejudge"},
    {0},
};
/* clang-format on */

static void reply(struct call *call, struct rejudging_id id, int status) {
    struct rejudging_view view = {0};
    struct err err = {0};
    if (!rejudging_get(call->app, &call->actor, id, call->arena, &view, &err)) {
        call_fail(call, &err);
        return;
    }
    struct jw json;
    call_reply_begin(call, &json);
    view_rejudging(&json, &view);
    call_reply_end(call, &json, status);
}

static void list_route(struct call *call) {
    struct rejudging_page page = {0};
    struct err err = {0};
    if (!call_page(call, &page.cursor, &page.limit)) {
        return;
    }
    if (!rejudging_list(call->app, &call->actor, call->arena, &page, &err)) {
        call_fail(call, &err);
        return;
    }
    struct jw json;
    call_list_begin(call, &json);
    for (int i = 0; i < page.count; i++) {
        view_rejudging(&json, &page.items[i]);
    }
    call_list_end(call, &json, page.next);
}

static bool read_options(const struct json *body, uint32_t *ret_options, bool *ret_count_only,
                         struct err *err) {
    bool old = false;
    bool supersede = false;
    bool automatic = false;
    *ret_count_only = false;
    if (!jr_opt_bool(body, "oldManifest", &old, err) ||
        !jr_opt_bool(body, "supersede", &supersede, err) ||
        !jr_opt_bool(body, "autoApply", &automatic, err) ||
        !jr_opt_bool(body, "countOnly", ret_count_only, err)) {
        return false;
    }
    *ret_options = (old ? (uint32_t)REJUDGING_OLD_MANIFEST : 0) |
                   (supersede ? (uint32_t)REJUDGING_SUPERSEDE : 0) |
                   (automatic ? (uint32_t)REJUDGING_AUTO_APPLY : 0);
    return true;
}

static void reply_count(struct call *call, const struct selection *selection) {
    int64_t count = 0;
    struct err err = {0};
    if (!job_count(call->app, &call->actor, selection, REJUDGE_COUNTED_MAX, &count, &err)) {
        call_fail(call, &err);
        return;
    }
    struct jw json;
    call_reply_begin(call, &json);
    jw_object_begin(&json);
    jw_put_i64(&json, "count", count);
    jw_object_end(&json);
    call_reply_end(call, &json, 200);
}

static void create_route(struct call *call) {
    static const char *const known[] = {"selection", "reason",    "oldManifest", "supersede",
                                        "autoApply", "countOnly", NULL};
    const struct json *body = NULL;
    struct selection selection = {0};
    struct rejudging_create_request request = {.selection = &selection};
    struct rejudging_id id = {0};
    bool count_only = false;
    struct err err = {0};
    if (!call_json(call, known, &body)) {
        return;
    }
    if (!jr_opt_str(body, "reason", JOB_REASON_BYTES_MAX, &request.reason, &err) ||
        !read_options(body, &request.options, &count_only, &err) ||
        !selection_of_body(call, body, &selection, &err)) {
        call_fail(call, &err);
        return;
    }
    if (count_only) {
        reply_count(call, &selection);
        return;
    }
    if (!rejudging_create(call->app, &call->actor, &request, &id, &err)) {
        call_fail(call, &err);
        return;
    }
    reply(call, id, 201);
}

static void get_route(struct call *call) {
    struct rejudging_id id = {0};
    if (call_id(call, 0, "no_rejudging", &id.value)) {
        reply(call, id, 200);
    }
}

static bool read_filter(struct call *call, struct item_query *query, struct err *err) {
    struct str change = http_query(call->http, "change");
    struct str state = http_query(call->http, "state");
    if (change.len > 0 && !item_change_parse(change, &query->change)) {
        return err_set(err, ERR_INVALID, "bad_parameter",
                       "`change` must be GAIN, LOSS, OTHER or SAME");
    }
    for (int s = ITEM_JUDGING; s < ITEM_STATE_COUNT; s++) {
        if (str_eq_c(state, item_state_name((enum item_state)s))) {
            query->state = (enum item_state)s;
        }
    }
    return state.len == 0 || query->state != ITEM_NONE ||
           err_set(err, ERR_INVALID, "bad_parameter", "`state` is no state of an item");
}

static void items_route(struct call *call) {
    struct item_query query = {0};
    struct item_list_page page = {0};
    struct err err = {0};
    if (!call_id(call, 0, "no_rejudging", &query.rejudging.value) ||
        !call_page(call, &query.after, &query.limit)) {
        return;
    }
    if (!read_filter(call, &query, &err) ||
        !rejudging_items(call->app, &call->actor, &query, call->arena, &page, &err)) {
        call_fail(call, &err);
        return;
    }
    struct jw json;
    call_list_begin(call, &json);
    for (int i = 0; i < page.count; i++) {
        view_item(&json, &page.items[i]);
    }
    call_list_end(call, &json, page.next);
}

static void change(struct call *call, enum rejudging_event event) {
    static const char *const known[] = {NULL};
    const struct json *body = NULL;
    struct rejudging_id id = {0};
    struct err err = {0};
    if (!call_id(call, 0, "no_rejudging", &id.value) || !call_json(call, known, &body)) {
        return;
    }
    if (!rejudging_change(call->app, &call->actor, id, event, &err)) {
        call_fail(call, &err);
        return;
    }
    reply(call, id, 200);
}

static void apply_route(struct call *call) {
    change(call, REJUDGING_APPLY);
}

static void undo_route(struct call *call) {
    change(call, REJUDGING_UNDO);
}

static void cancel_route(struct call *call) {
    change(call, REJUDGING_CANCEL);
}

static void one_route(struct call *call) {
    static const char *const known[] = {"reason", NULL};
    const struct json *body = NULL;
    struct submission_id id = {0};
    struct rejudging_id rejudging = {0};
    struct str reason = {0};
    struct err err = {0};
    if (!call_id(call, 0, "no_submission", &id.value) || !call_json(call, known, &body)) {
        return;
    }
    if (!jr_opt_str(body, "reason", JOB_REASON_BYTES_MAX, &reason, &err) ||
        !submission_rejudge(call->app, &call->actor, id, reason, &rejudging, &err)) {
        call_fail(call, &err);
        return;
    }
    reply(call, rejudging, 201);
}
