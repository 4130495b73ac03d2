/* Handing in programs and following them to their verdict. */
#include "app/answer_upload.h"
#include "app/submission.h"
#include "base/limits.h"
#include "server/server_internal.h"
#include "server/view_json.h"

static route_fn submission_create, answers_create, submission_list_route, submission_get_route,
    submission_events;

/* clang-format off */
const struct route routes_submissions[] = {
    {HTTP_POST, "/api/v1/submissions", ACCESS_USER, SUBMISSION_BODY_BYTES_MAX, RATE_WRITE, ROUTE_BLOCKING,
     submission_create, "submissionCreate"},
    {HTTP_POST, "/api/v1/problems/{id}/answers", ACCESS_USER, ANSWERS_ZIP_BYTES_MAX, RATE_WRITE,
     ROUTE_BLOCKING | ROUTE_SPOOL | ROUTE_RAW, answers_create, "answersCreate"},
    {HTTP_GET, "/api/v1/submissions", ACCESS_USER, 0, RATE_READ, ROUTE_BLOCKING,
     submission_list_route, "submissionList"},
    {HTTP_GET, "/api/v1/submissions/{id}", ACCESS_USER, 0, RATE_READ, ROUTE_BLOCKING,
     submission_get_route, "submissionGet"},
    {HTTP_GET, "/api/v1/submissions/{id}/events", ACCESS_USER, 0, RATE_READ, ROUTE_BLOCKING,
     submission_events, "submissionEvents"},
    {0},
};
/* clang-format on */

static void reply_submission(struct call *call, struct submission_id id, int status) {
    struct submission_view view = {0};
    struct err err = {0};
    if (!submission_get(call->app, &call->actor, id, call->arena, &view, &err)) {
        call_fail(call, &err);
        return;
    }
    struct jw json;
    call_reply_begin(call, &json);
    view_submission(&json, &view, call_language(call));
    call_reply_end(call, &json, status);
}

/* What was created is read back in a worker: the writer's thread must not read for one client. */
struct creation {
    struct submit_request request;
    struct call *call;
    struct http_job job;
};

static void creation_reply(void *context) {
    struct creation *creation = context;
    struct call *call = creation->call;
    http_add_header(call->http, "Location",
                    arena_printf(call->arena, "/api/v1/submissions/%lld",
                                 (long long)creation->request.submission.value));
    reply_submission(call, creation->request.submission, 201);
}

static void creation_done(struct write_item *item) {
    struct creation *creation = item->context;
    struct call *call = creation->call;
    if (!item->ok) {
        call_fail(call, &item->err);
        return;
    }
    creation->job = (struct http_job){.run = creation_reply, .context = creation};
    if (!http_defer(call->server->http, &creation->job)) {
        creation_reply(creation); /* stored is stored: the answer is given even when all are busy */
    }
}

static bool read_key(struct call *call, struct submit_request *request, struct err *err) {
    struct str key = http_header(call->http, "Idempotency-Key");
    if (http_has_header(call->http, "Idempotency-Key") &&
        (key.len == 0 || key.len > IDEMPOTENCY_KEY_BYTES_MAX || !str_is_utf8(key))) {
        return err_set(err, ERR_INVALID, "bad_parameter",
                       "Idempotency-Key must have 1 to %d characters", IDEMPOTENCY_KEY_BYTES_MAX);
    }
    if (key.len > 0) {
        request->request_id = key;
    }
    return true;
}

static bool read_creation(struct call *call, const struct json *body, struct creation *creation,
                          struct err *err) {
    struct submit_request *request = &creation->request;
    if (!jr_i64(body, "problemId", 1, ID_MAX, &request->problem.value, err) ||
        !jr_str(body, "language", LANGUAGE_ID_BYTES_MAX, &request->language, err) ||
        !jr_str(body, "source", SUBMISSION_BODY_BYTES_MAX, &request->source, err) ||
        !jr_opt_str(body, "request_id", IDEMPOTENCY_KEY_BYTES_MAX, &request->request_id, err)) {
        return false;
    }
    return read_key(call, request, err);
}

static struct creation *creation_new(struct call *call) {
    struct creation *creation = arena_new(call->arena, struct creation);
    creation->call = call;
    creation->request.actor = call->actor;
    creation->request.item.done = creation_done;
    creation->request.item.context = creation;
    return creation;
}

static void submission_create(struct call *call) {
    static const char *const known[] = {"problemId", "language", "source", "request_id", NULL};
    const struct json *body = NULL;
    struct err err = {0};
    if (!call_json(call, known, &body)) {
        return;
    }
    struct creation *creation = creation_new(call);
    if (!read_creation(call, body, creation, &err)) {
        call_fail(call, &err);
        return;
    }
    call_later(call);
    submission_submit(call->app, &creation->request);
}

static void answers_create(struct call *call) {
    struct answer_upload upload = {.fd = http_body_fd(call->http)};
    struct err err = {0};
    if (!call_id(call, 0, "no_problem", &upload.problem.value)) {
        return;
    }
    struct str type = http_header(call->http, "Content-Type");
    if (!str_starts(type, STR("application/zip")) &&
        !str_starts(type, STR("application/x-zip-compressed"))) {
        call_fail_at(call, ERR_INVALID, "wrong_content_type",
                     "send the answers as a zip, with Content-Type: application/zip");
        return;
    }
    struct creation *creation = creation_new(call);
    creation->request.problem = upload.problem;
    creation->request.language = STR(ANSWERS_LANGUAGE);
    if (!read_key(call, &creation->request, &err) ||
        !answers_read(call->app, &call->actor, &upload, call->arena, &creation->request.source,
                      &err)) {
        call_fail(call, &err);
        return;
    }
    call_later(call);
    submission_submit(call->app, &creation->request);
}

static void submission_list_route(struct call *call) {
    struct submission_filter filter = {.all_users =
                                           str_eq(http_query(call->http, "user"), STR("all"))};
    struct submission_page page = {0};
    struct err err = {0};
    if (!call_page(call, &filter.cursor, &filter.limit) ||
        !call_query_id(call, "problemId", &filter.problem.value)) {
        return;
    }
    if (http_has_query(call->http, "user") && !filter.all_users) {
        call_fail_at(call, ERR_INVALID, "bad_parameter", "`user` can only be \"all\"");
        return;
    }
    if (!submission_list(call->app, &call->actor, &filter, call->arena, &page, &err)) {
        call_fail(call, &err);
        return;
    }
    struct jw json;
    call_list_begin(call, &json);
    for (int i = 0; i < page.count; i++) {
        view_submission_summary(&json, &page.items[i], call_language(call));
    }
    call_list_end(call, &json, page.next);
}

static void submission_get_route(struct call *call) {
    struct submission_id id = {0};
    if (call_id(call, 0, "no_submission", &id.value)) {
        reply_submission(call, id, 200);
    }
}

static void submission_events(struct call *call) {
    struct submission_id id = {0};
    struct submission_view view = {0};
    struct err err = {0};
    if (!call_id(call, 0, "no_submission", &id.value)) {
        return;
    }
    if (!submission_get(call->app, &call->actor, id, call->arena, &view, &err)) {
        call_fail(call, &err);
        return;
    }
    event_stream_open(call, id.value);
}
