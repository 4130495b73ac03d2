/* Errors over HTTP, both ways. */
#include "wire/problem_json.h"

#include "base/check.h"
#include "base/limits.h"
#include "data/json.h"
#include "data/json_write.h"

/* The codes that this program knows, so that a decoded error has one with static storage; test:
 * these are the ones of docs/api/errors.yaml. */
static const char *const known_codes[] = {
    "bad_json",
    "unknown_field",
    "bad_field",
    "bad_parameter",
    "empty_source",
    "unknown_language",
    "no_session",
    "bad_credentials",
    "bad_credential",
    "bad_join_code",
    "not_allowed",
    "cross_site",
    "wrong_password",
    "not_found",
    "no_problem",
    "no_file",
    "no_submission",
    "no_user",
    "no_judger",
    "no_job",
    "no_rejudging",
    "no_check",
    "no_pool",
    "no_queue",
    "no_host_group",
    "no_token",
    "too_many_tokens",
    "conflict_host_group_name",
    "not_probed",
    "check_over",
    "no_artifact",
    "method_not_allowed",
    "conflict_username",
    "conflict_judger_name",
    "conflict_last_admin",
    "judger_not_ready",
    "stale_revision",
    "protocol_unsupported",
    "session_superseded",
    "lease_superseded",
    "lease_expired",
    "job_superseded",
    "rejudging_not_ready",
    "submission_being_judged",
    "job_closed",
    "job_running",
    "job_held",
    "job_not_held",
    "job_not_failed",
    "job_there",
    "job_no_snapshot",
    "digest_conflict",
    "too_large",
    "source_too_large",
    "wrong_content_type",
    "idempotency_mismatch",
    "bad_package",
    "bad_answers",
    "too_many_attempts",
    "queue_full",
    "too_many_requests",
    "internal",
    "outcome_unknown",
    "busy",
};

/* Codes whose status is not the one of their kind. */
static const struct {
    const char *code;
    int status;
} own_statuses[] = {
    {"method_not_allowed", 405},  {"wrong_content_type", 415}, {"idempotency_mismatch", 422},
    {"bad_package", 422},         {"bad_answers", 422},        {"bad_yaml", 422},
    {"unsupported_package", 422}, {"field_too_long", 400},     {"digest_mismatch", 409},
};

static const int kind_statuses[ERR_KIND_COUNT] = {
    [ERR_NONE] = 500,    [ERR_INVALID] = 400,  [ERR_UNAUTHENTICATED] = 401, [ERR_DENIED] = 403,
    [ERR_MISSING] = 404, [ERR_CONFLICT] = 409, [ERR_STALE] = 409,           [ERR_TOO_LARGE] = 413,
    [ERR_LIMITED] = 429, [ERR_BUSY] = 503,     [ERR_CANCELLED] = 503,       [ERR_DEADLINE] = 503,
    [ERR_SYSTEM] = 500,
};

/* Codes of modules that have another name outside. */
static const struct {
    const char *code;
    const char *shown;
} aliases[] = {
    {"field_too_long", "bad_field"},        {"digest_mismatch", "digest_conflict"},
    {"package_too_large", "too_large"},     {"bad_yaml", "bad_package"},
    {"unsupported_package", "bad_package"},
};

/* NULL: no other code of the kind says enough, so the own one is shown. */
static const char *const kind_codes[ERR_KIND_COUNT] = {
    [ERR_NONE] = "internal",      [ERR_INVALID] = "bad_field",
    [ERR_DENIED] = "not_allowed", [ERR_UNAUTHENTICATED] = "no_session",
    [ERR_MISSING] = "not_found",  [ERR_TOO_LARGE] = "too_large",
    [ERR_BUSY] = "busy",          [ERR_LIMITED] = "too_many_requests",
    [ERR_CANCELLED] = "busy",     [ERR_DEADLINE] = "busy",
    [ERR_SYSTEM] = "internal",
};

/* What a status of a server (or of a proxy in front of it) means here. */
static const struct {
    int status;
    enum err_kind kind;
    const char *title;
} statuses[] = {
    {400, ERR_INVALID, "Bad Request"},
    {401, ERR_UNAUTHENTICATED, "Unauthorized"},
    {403, ERR_DENIED, "Forbidden"},
    {404, ERR_MISSING, "Not Found"},
    {405, ERR_INVALID, "Method Not Allowed"},
    {408, ERR_BUSY, "Request Timeout"},
    {409, ERR_CONFLICT, "Conflict"},
    {413, ERR_TOO_LARGE, "Content Too Large"},
    {415, ERR_INVALID, "Unsupported Media Type"},
    {422, ERR_INVALID, "Unprocessable Content"},
    {429, ERR_LIMITED, "Too Many Requests"},
    {500, ERR_SYSTEM, "Internal Server Error"},
    {502, ERR_BUSY, "Bad Gateway"},
    {503, ERR_BUSY, "Service Unavailable"},
    {504, ERR_BUSY, "Gateway Timeout"},
};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

int problem_status(const struct err *err) {
    CHECK(err->kind < ERR_KIND_COUNT);
    for (size_t i = 0; err->code != NULL && i < COUNT(own_statuses); i++) {
        if (str_eq_c(str_from(err->code), own_statuses[i].code)) {
            return own_statuses[i].status;
        }
    }
    return kind_statuses[err->kind];
}

static const char *find_known(struct str code) {
    for (size_t i = 0; i < COUNT(known_codes); i++) {
        if (str_eq_c(code, known_codes[i])) {
            return known_codes[i];
        }
    }
    return NULL;
}

const char *problem_code(const struct err *err) {
    CHECK(err->kind < ERR_KIND_COUNT);
    struct str code = str_from(err->code);
    const char *known = find_known(code);
    for (size_t i = 0; known == NULL && i < COUNT(aliases); i++) {
        known = str_eq_c(code, aliases[i].code) ? aliases[i].shown : NULL;
    }
    if (known != NULL) {
        return known;
    }
    const char *general = kind_codes[err->kind];
    return general != NULL ? general : err->code;
}

const char *problem_title(int status) {
    for (size_t i = 0; i < COUNT(statuses); i++) {
        if (statuses[i].status == status) {
            return statuses[i].title;
        }
    }
    return status >= 500 ? "Server Error" : "Error";
}

bool problem_encode(const struct problem_json *problem, struct buf *out, struct err *err) {
    struct jw json;
    jw_init(&json, out);
    jw_object_begin(&json);
    jw_put_cstr(&json, "type", "about:blank");
    jw_put_cstr(&json, "title", problem_title(problem->status));
    jw_put_i64(&json, "status", problem->status);
    jw_put_str(&json, "detail", problem->detail);
    jw_put_cstr(&json, "code", problem->code);
    if (problem->trace_id.len > 0) {
        jw_put_str(&json, "traceId", problem->trace_id);
    }
    if (problem->field_count > 0) {
        jw_key(&json, "errors");
        jw_array_begin(&json);
        for (int i = 0; i < problem->field_count; i++) {
            jw_object_begin(&json);
            jw_put_str(&json, "field", problem->fields[i].field);
            jw_put_str(&json, "message", problem->fields[i].message);
            jw_object_end(&json);
        }
        jw_array_end(&json);
    }
    jw_object_end(&json);
    return jw_finish(&json, "the error", err);
}

static const char *intern_code(struct str code) {
    const char *known = find_known(code);
    return known != NULL ? known : "server_error";
}

static enum err_kind kind_of(int status, struct str code) {
    if (str_eq(code, STR("stale_revision"))) {
        return ERR_STALE;
    }
    for (size_t i = 0; i < COUNT(statuses); i++) {
        if (statuses[i].status == status) {
            return statuses[i].kind;
        }
    }
    return status >= 500 ? ERR_SYSTEM : ERR_INVALID;
}

void problem_decode(int status, struct str body, struct err *ret_error) {
    own(json) object = NULL;
    struct err unreadable = {0};
    struct str code = {0};
    struct str detail = {0};
    bool readable = jr_parse(body, &object, &unreadable) &&
                    jr_opt_str(object, "code", 64, &code, &unreadable) &&
                    jr_opt_str(object, "detail", 4096, &detail, &unreadable);
    if (!readable) {
        code = detail = (struct str){0};
    }
    enum err_kind kind = kind_of(status, code);
    if (detail.len == 0) {
        (void)err_set(ret_error, kind, intern_code(code), "the server answered %d %s", status,
                      problem_title(status));
        return;
    }
    struct str shown = str_utf8_prefix(detail, sizeof(ret_error->text) - 1);
    (void)err_set(ret_error, kind, intern_code(code), STR_FMT, STR_ARG(shown));
}
