/* JSON of how a job ends: result, failure. The result's bytes are cut out of the request as they
 * stand, because their digest, not their meaning, tells whether two reports are the same one. */
#include "wire/machine_json.h"

#include "base/check.h"
#include "wire/judgement_json.h"
#include "wire/machine_fields_internal.h"

static const char *const fault_names[] = {
    [FAULT_NODE] = "NODE",
    [FAULT_PROBLEM] = "PROBLEM",
    [FAULT_JOB] = "JOB",
};
#define FAULT_COUNT ((int)(sizeof(fault_names) / sizeof(fault_names[0])))

enum { RESULT_SETTLED, RESULT_ALREADY, RESULT_ANSWER_COUNT };
static const char *const result_answers[RESULT_ANSWER_COUNT] = {"SETTLED", "ALREADY_SETTLED"};

enum { FAILURE_REQUEUED, FAILURE_FAILED, FAILURE_ANSWER_COUNT };
static const char *const failure_answers[FAILURE_ANSWER_COUNT] = {"REQUEUED", "FAILED"};

/* The next three walk over text that jr_parse has accepted as an object. */

static size_t after_string(struct str text, size_t at) {
    for (at++; at < text.len && text.ptr[at] != '"'; at++) {
        at += text.ptr[at] == '\\' ? 1 : 0;
    }
    return at + 1;
}

/* The ',' or '}' that ends the member whose value begins at or after `at`. */
static size_t member_end(struct str text, size_t at) {
    int depth = 0;
    while (at < text.len) {
        char c = text.ptr[at];
        if (c == '"') {
            at = after_string(text, at);
            continue;
        }
        if (depth == 0 && (c == ',' || c == '}')) {
            return at;
        }
        depth += c == '{' || c == '[' ? 1 : 0;
        depth -= c == '}' || c == ']' ? 1 : 0;
        at++;
    }
    return at;
}

/* `quoted` is the member's name with its quotes. False when it is not there in plain letters. */
static bool member_bytes(struct str text, struct str quoted, struct str *ret_value) {
    size_t at = 0;
    while (at < text.len && text.ptr[at] != '}') {
        while (at < text.len && text.ptr[at] != '"') {
            at++;
        }
        size_t name = at;
        at = after_string(text, at);
        bool found = str_eq(str_sub(text, name, at - name), quoted);
        while (at < text.len && text.ptr[at] != ':') {
            at++;
        }
        size_t value = at + 1;
        at = member_end(text, value);
        if (found) {
            *ret_value = str_trim(str_sub(text, value, at - value));
            return true;
        }
    }
    return false;
}

bool machine_result_encode(const struct machine_result *message, struct buf *out, struct err *err) {
    struct jw json;
    jw_init(&json, out);
    jw_object_begin(&json);
    jw_put_i64(&json, "sessionEpoch", message->session_epoch);
    jw_put_i64(&json, "leaseEpoch", message->lease.epoch);
    put_token(&json, "leaseToken", message->lease.token);
    put_digest(&json, "digest", &message->digest);
    jw_key(&json, "result");
    jw_raw(&json, message->text);
    jw_object_end(&json);
    return jw_finish(&json, "the result", err);
}

static bool read_lease_end(const struct json *object, int64_t *ret_session,
                           struct machine_lease *lease, struct err *err) {
    return field_id(object, "sessionEpoch", ret_session, err) &&
           field_id(object, "leaseEpoch", &lease->epoch, err) &&
           field_token(object, "leaseToken", &lease->token, err);
}

bool machine_result_decode(struct str text, struct job_id job, struct arena *arena,
                           struct machine_result *ret, struct judgement *ret_judgement,
                           struct err *err) {
    static const char *const known[] = {"sessionEpoch", "leaseEpoch", "leaseToken",
                                        "digest",       "result",     NULL};
    own(json) object = NULL;
    const struct json *inner = NULL;
    struct machine_result result = {.lease.job = job};
    if (!field_parse(text, known, &object, err) ||
        !read_lease_end(object, &result.session_epoch, &result.lease, err) ||
        !field_digest(object, "digest", &result.digest, err) ||
        !jr_object(object, "result", &inner, err)) {
        return false;
    }
    if (!member_bytes(text, STR("\"result\""), &result.text)) {
        return err_set(err, ERR_INVALID, "bad_field",
                       "the name of field `result` must be written without escapes");
    }
    if (!judgement_from_json(inner, arena, ret_judgement, err)) {
        return err_wrap(err, "result");
    }
    *ret = result;
    return true;
}

bool machine_result_answer_encode(const struct machine_result_answer *message, struct buf *out,
                                  struct err *err) {
    struct jw json;
    jw_init(&json, out);
    jw_object_begin(&json);
    jw_put_cstr(&json, "answer", result_answers[message->already ? RESULT_ALREADY : 0]);
    jw_object_end(&json);
    return jw_finish(&json, "the result's answer", err);
}

bool machine_result_answer_decode(struct str text, struct machine_result_answer *ret,
                                  struct err *err) {
    own(json) object = NULL;
    int answer = 0;
    if (!field_parse(text, NULL, &object, err) ||
        !field_choice(object, "answer", result_answers, RESULT_ANSWER_COUNT, &answer, err)) {
        return false;
    }
    ret->already = answer == RESULT_ALREADY;
    return true;
}

bool machine_failure_encode(const struct machine_failure *message, struct buf *out,
                            struct err *err) {
    CHECK(message->fault > FAULT_NONE);
    CHECK((int)message->fault < FAULT_COUNT);
    struct jw json;
    jw_init(&json, out);
    jw_object_begin(&json);
    jw_put_i64(&json, "sessionEpoch", message->session_epoch);
    jw_put_i64(&json, "leaseEpoch", message->lease.epoch);
    put_token(&json, "leaseToken", message->lease.token);
    jw_put_cstr(&json, "fault", fault_names[message->fault]);
    jw_put_str(&json, "code", message->code);
    jw_put_str(&json, "detail", str_utf8_prefix(message->detail, MACHINE_DETAIL_BYTES_MAX));
    jw_object_end(&json);
    return jw_finish(&json, "the failure report", err);
}

bool machine_failure_decode(struct str text, struct job_id job, struct arena *arena,
                            struct machine_failure *ret, struct err *err) {
    static const char *const known[] = {"sessionEpoch", "leaseEpoch", "leaseToken", "fault",
                                        "code",         "detail",     NULL};
    own(json) object = NULL;
    struct machine_failure failure = {.lease.job = job};
    int fault = 0;
    if (!field_parse(text, known, &object, err) ||
        !read_lease_end(object, &failure.session_epoch, &failure.lease, err) ||
        !field_choice(object, "fault", fault_names, FAULT_COUNT, &fault, err) ||
        !field_word(object, "code", MACHINE_CODE_BYTES_MAX, arena, &failure.code, err) ||
        !field_text(object, "detail", MACHINE_DETAIL_BYTES_MAX, arena, &failure.detail, err)) {
        return false;
    }
    failure.fault = (enum fault)fault;
    *ret = failure;
    return true;
}

bool machine_failure_answer_encode(const struct machine_failure_answer *message, struct buf *out,
                                   struct err *err) {
    struct jw json;
    jw_init(&json, out);
    jw_object_begin(&json);
    jw_put_cstr(&json, "answer", failure_answers[message->failed ? FAILURE_FAILED : 0]);
    jw_object_end(&json);
    return jw_finish(&json, "the failure's answer", err);
}

bool machine_failure_answer_decode(struct str text, struct machine_failure_answer *ret,
                                   struct err *err) {
    own(json) object = NULL;
    int answer = 0;
    if (!field_parse(text, NULL, &object, err) ||
        !field_choice(object, "answer", failure_answers, FAILURE_ANSWER_COUNT, &answer, err)) {
        return false;
    }
    ret->failed = answer == FAILURE_FAILED;
    return true;
}
