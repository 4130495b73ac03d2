/* Reading questions and writing answers, in one way for all routes. */
#include "server/call.h"
#include "base/check.h"
#include "base/limits.h"
#include "base/log.h"
#include "server/server_internal.h"
#include "wire/problem_json.h"

#include <stdio.h>
#include <string.h>

#define REPLY_BYTES_MAX (48 * MIB)
#define JSON_TYPE "application/json"
#define RETRY_MS_DEFAULT 2000

/* ---- the question ---- */

static bool is_json_type(struct str type) {
    struct str name = {0};
    struct str rest = {0};
    (void)str_cut(type, ';', &name, &rest);
    return str_eq_nocase(str_trim(name), STR("application/json"));
}

bool call_json(struct call *call, const char *const known[], const struct json **ret_body) {
    struct err err = {0};
    CHECK(call->body == NULL);
    if (!is_json_type(http_header(call->http, "Content-Type"))) {
        call_fail_at(call, ERR_INVALID, "wrong_content_type",
                     "send the body as Content-Type: application/json");
        return false;
    }
    if (!jr_parse(http_body(call->http), &call->body, &err) ||
        !jr_refuse_unknown(call->body, known, &err)) {
        call_fail(call, &err);
        return false;
    }
    *ret_body = call->body;
    return true;
}

bool call_id(struct call *call, int index, const char *missing_code, int64_t *ret_id) {
    struct err err = {0};
    if (!str_to_i64(call->params[index], 1, ID_MAX, ret_id, &err)) {
        call_fail_at(call, ERR_MISSING, missing_code, "there is no such thing");
        return false;
    }
    return true;
}

static bool query_number(struct call *call, const char *name, int64_t min, int64_t max,
                         int64_t *value) {
    struct err err = {0};
    if (!http_has_query(call->http, name)) {
        return true;
    }
    if (!str_to_i64(http_query(call->http, name), min, max, value, &err)) {
        call_fail_at(call, ERR_INVALID, "bad_parameter",
                     arena_printf(call->arena, "`%s` must be a number from %lld to %lld", name,
                                  (long long)min, (long long)max));
        return false;
    }
    return true;
}

bool call_page(struct call *call, int64_t *ret_cursor, int *ret_limit) {
    int64_t cursor = 0;
    int64_t limit = LIST_LIMIT_DEFAULT;
    if (!query_number(call, "cursor", 0, ID_MAX, &cursor) ||
        !query_number(call, "limit", 1, LIST_LIMIT_MAX, &limit)) {
        return false;
    }
    *ret_cursor = cursor;
    *ret_limit = (int)limit;
    return true;
}

bool call_query_id(struct call *call, const char *name, int64_t *ret_value) {
    *ret_value = 0;
    return query_number(call, name, 1, ID_MAX, ret_value);
}

static bool peer_is_trusted(const struct call *call) {
    return origin_is_trusted(call->server->trusted_proxies, http_peer(call->http));
}

bool call_is_tls(const struct call *call) {
    return peer_is_trusted(call) &&
           str_eq_nocase(http_header(call->http, "X-Forwarded-Proto"), STR("https"));
}

struct str call_client(const struct call *call) {
    struct str peer = http_peer(call->http);
    struct str rest = {0};
    struct str last = {0};
    if (peer_is_trusted(call)) { /* the last entry is the one that our own proxy wrote */
        (void)str_cut_last(http_header(call->http, "X-Forwarded-For"), ',', &rest, &last);
        last = last.len > 0 ? last : http_header(call->http, "X-Forwarded-For");
        last = str_trim(last);
    }
    return last.len > 0 ? last : peer;
}

const char *call_language(const struct call *call) {
    struct str header = str_trim(http_header(call->http, "Accept-Language"));
    return header.len >= 2 && str_eq_nocase(str_sub(header, 0, 2), STR("zh")) ? "zh" : "en";
}

void call_later(struct call *call) {
    if (!call->later) {
        call->later = true;
        http_later(call->http);
    }
}

/* ---- the answer ---- */

static void reply(struct call *call, int status, const char *type, struct str body) {
    http_add_header(call->http, "Cache-Control", "no-store");
    http_add_header(call->http, "X-Content-Type-Options", "nosniff");
    http_add_header(call->http, "X-Trace-Id", call->trace_id);
    http_send(call->http, status, type, body);
}

void call_reply_begin(struct call *call, struct jw *json) {
    buf_done(&call->out);
    buf_init(&call->out, REPLY_BYTES_MAX);
    jw_init(json, &call->out);
}

void call_reply_end(struct call *call, struct jw *json, int status) {
    struct err err = {0};
    if (!jw_finish(json, "the answer", &err)) {
        call_fail(call, &err);
        return;
    }
    reply(call, status, JSON_TYPE, buf_str(&call->out));
}

void call_reply_text(struct call *call, int status, struct str json) {
    reply(call, status, JSON_TYPE, json);
}

void call_reply_empty(struct call *call, int status) {
    reply(call, status, NULL, STR(""));
}

void call_retry_after(struct call *call, int wait_ms) {
    wait_ms = wait_ms > 0 ? wait_ms : RETRY_MS_DEFAULT;
    http_add_header(call->http, "Retry-After",
                    arena_printf(call->arena, "%d", (wait_ms + 999) / 1000));
}

void call_fail_fields(struct call *call, const struct err *err, const struct problem_field *fields,
                      int count) {
    struct err encode_err = {0};
    int status = problem_status(err);
    struct problem_json problem = {.status = status,
                                   .code = problem_code(err),
                                   .detail = str_from(err->text),
                                   .trace_id = str_from(call->trace_id),
                                   .fields = fields,
                                   .field_count = count};
    if (status >= 500) {
        log_warn("request.failed", LOG_STR("route", call->route->operation), LOG_ERR(err),
                 LOG_STR("traceId", call->trace_id));
    }
    if (err->kind == ERR_BUSY && str_starts(str_from(err->code), STR("database_"))) {
        problem.detail = STR("the database does not answer now: try again in a moment");
    }
    if (err->kind == ERR_SYSTEM) { /* how it failed inside is for the log only */
        problem.code = "internal";
        problem.detail = STR("the server failed: its log has the trace id");
    }
    if (status == 503 || status == 429) {
        call_retry_after(call, err->retry_ms);
    }
    buf_done(&call->out);
    buf_init(&call->out, REPLY_BYTES_MAX);
    if (!problem_encode(&problem, &call->out, &encode_err)) {
        buf_clear(&call->out);
    }
    reply(call, status, PROBLEM_JSON_TYPE, buf_str(&call->out));
}

void call_fail(struct call *call, const struct err *err) {
    call_fail_fields(call, err, NULL, 0);
}

void call_fail_at(struct call *call, enum err_kind kind, const char *code, const char *text) {
    struct err err = {0};
    (void)err_set(&err, kind, code, "%s", text);
    call_fail(call, &err);
}

void call_list_begin(struct call *call, struct jw *json) {
    call_reply_begin(call, json);
    jw_object_begin(json);
    jw_key(json, "items");
    jw_array_begin(json);
}

void call_list_end(struct call *call, struct jw *json, int64_t next) {
    jw_array_end(json);
    if (next > 0) {
        char text[24];
        (void)snprintf(text, sizeof text, "%lld", (long long)next);
        jw_put_cstr(json, "next", text);
    } else {
        jw_put_null(json, "next");
    }
    jw_object_end(json);
    call_reply_end(call, json, 200);
}
