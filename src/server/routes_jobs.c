/* Jobs as operators see and change them, and whether all is in one piece. */
#include "app/job.h"
#include "app/reconcile.h"
#include "base/limits.h"
#include "server/selection_json.h"
#include "server/server_internal.h"
#include "server/view_jobs.h"

#include <stdlib.h>

static route_fn job_list_route, job_change_route, job_history_route, reconcile_route;
static route_fn submission_cancel_route, submission_delete_route;

/* clang-format off */
const struct route routes_jobs[] = {
    {HTTP_GET, "/api/v1/admin/jobs", ACCESS_ADMIN, 0, RATE_READ, ROUTE_BLOCKING,
     job_list_route, "jobList"},
    {HTTP_POST, "/api/v1/admin/jobs/changes", ACCESS_ADMIN, 32 * KIB, RATE_WRITE, ROUTE_BLOCKING,
     job_change_route, "jobChange"},
    {HTTP_GET, "/api/v1/admin/submissions/{id}/judgings", ACCESS_TEACHER, 0, RATE_READ,
     ROUTE_BLOCKING, job_history_route, "submissionJudgings"},
    {HTTP_POST, "/api/v1/admin/reconcile", ACCESS_ADMIN, 4 * KIB, RATE_WRITE, ROUTE_BLOCKING,
     reconcile_route, "reconcile"},
    {HTTP_POST, "/api/v1/submissions/{id}/cancel", ACCESS_USER, 4 * KIB, RATE_WRITE,
     ROUTE_BLOCKING, submission_cancel_route, "submissionCancel"},
    {HTTP_DELETE, "/api/v1/submissions/{id}", ACCESS_ADMIN, 0, RATE_WRITE, ROUTE_BLOCKING,
     submission_delete_route, "submissionDelete"},
    {0},
};
/* clang-format on */

static void job_list_route(struct call *call) {
    struct job_filter filter = {0};
    struct job_page page = {0};
    struct err err = {0};
    if (!call_page(call, &filter.cursor, &filter.limit) ||
        !selection_of_query(call, &filter.selection)) {
        return;
    }
    if (!job_list(call->app, &call->actor, &filter, call->arena, &page, &err)) {
        call_fail(call, &err);
        return;
    }
    struct jw json;
    call_list_begin(call, &json);
    for (int i = 0; i < page.count; i++) {
        view_job(&json, &page.items[i]);
    }
    call_list_end(call, &json, page.next);
}

static bool parse_action(struct str text, enum job_action *ret_action, struct err *err) {
    static const struct {
        const char *name;
        enum job_action action;
    } actions[] = {{"CANCEL", ACTION_CANCEL},
                   {"REQUEUE", ACTION_REQUEUE},
                   {"HOLD", ACTION_HOLD},
                   {"RELEASE", ACTION_RELEASE},
                   {"MOVE", ACTION_MOVE}};
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++) {
        if (str_eq_c(text, actions[i].name)) {
            *ret_action = actions[i].action;
            return true;
        }
    }
    return err_set(err, ERR_INVALID, "bad_field",
                   "field `action` must be CANCEL, REQUEUE, HOLD, RELEASE or MOVE");
}

static bool read_change(struct call *call, const struct json *body, struct selection *selection,
                        struct job_selection_change *change, struct err *err) {
    struct str action = {0};
    struct str cursor = {0};
    change->selection = selection;
    return jr_str(body, "action", 16, &action, err) && parse_action(action, &change->action, err) &&
           jr_opt_str(body, "reason", JOB_REASON_BYTES_MAX, &change->reason, err) &&
           jr_opt_str(body, "runtimeSpec", JOB_RUNTIME_SPEC_BYTES_MAX, &change->runtime_spec,
                      err) &&
           jr_opt_str(body, "cursor", 32, &cursor, err) &&
           (cursor.len == 0 || str_to_i64(cursor, 1, ID_MAX, &change->cursor, err)) &&
           selection_of_body(call, body, selection, err);
}

static void job_change_route(struct call *call) {
    static const char *const known[] = {"action", "reason",    "runtimeSpec",
                                        "cursor", "selection", NULL};
    const struct json *body = NULL;
    struct selection selection = {0};
    struct job_selection_change change = {0};
    struct job_selection_result result = {0};
    struct err err = {0};
    if (!call_json(call, known, &body)) {
        return;
    }
    if (!read_change(call, body, &selection, &change, &err) ||
        !job_change_selection(call->app, &call->actor, &change, call->arena, &result, &err)) {
        call_fail(call, &err);
        return;
    }
    struct jw json;
    call_reply_begin(call, &json);
    jw_object_begin(&json);
    jw_put_i64(&json, "changed", result.changed);
    jw_put_i64(&json, "skippedCount", result.skipped);
    view_skipped(&json, result.named, result.named_count);
    jw_put_cstr(&json, "next",
                result.next > 0 ? arena_printf(call->arena, "%lld", (long long)result.next) : NULL);
    jw_object_end(&json);
    call_reply_end(call, &json, 200);
}

static void job_history_route(struct call *call) {
    struct submission_id id = {0};
    struct job_detail detail = {0};
    struct err err = {0};
    if (!call_id(call, 0, "no_submission", &id.value)) {
        return;
    }
    if (!job_detail_get(call->app, &call->actor, id, call->arena, &detail, &err)) {
        call_fail(call, &err);
        return;
    }
    struct jw json;
    call_reply_begin(call, &json);
    view_job_detail(&json, &detail);
    call_reply_end(call, &json, 200);
}

static void reconcile_route(struct call *call) {
    static const char *const known[] = {"settled", "repair", NULL};
    const struct json *body = NULL;
    struct reconcile_request request = {0};
    struct err err = {0};
    if (!call_json(call, known, &body)) {
        return;
    }
    struct reconcile_report *report = arena_new(call->arena, struct reconcile_report);
    if (!jr_opt_bool(body, "settled", &request.settled, &err) ||
        !jr_opt_bool(body, "repair", &request.repair, &err) ||
        !reconcile(call->app, &call->actor, &request, call->arena, report, &err)) {
        call_fail(call, &err);
        return;
    }
    struct jw json;
    call_reply_begin(call, &json);
    view_reconcile(&json, report);
    call_reply_end(call, &json, 200);
}

static void submission_cancel_route(struct call *call) {
    static const char *const known[] = {"reason", NULL};
    const struct json *body = NULL;
    struct submission_id id = {0};
    struct str reason = {0};
    struct err err = {0};
    if (!call_id(call, 0, "no_submission", &id.value) || !call_json(call, known, &body)) {
        return;
    }
    if (!jr_opt_str(body, "reason", JOB_REASON_BYTES_MAX, &reason, &err) ||
        !job_change_one(call->app, &call->actor, ACTION_CANCEL, id, reason, &err)) {
        call_fail(call, &err);
        return;
    }
    call_reply_empty(call, 204);
}

static void submission_delete_route(struct call *call) {
    struct submission_id id = {0};
    struct err err = {0};
    if (!call_id(call, 0, "no_submission", &id.value)) {
        return;
    }
    if (!job_change_one(call->app, &call->actor, ACTION_DELETE, id, (struct str){0}, &err)) {
        call_fail(call, &err);
        return;
    }
    call_reply_empty(call, 204);
}
