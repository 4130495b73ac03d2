/* What a node says about itself: the outcome of a self-test, and that it is broken. */
#include "app/judger_check.h"
#include "base/limits.h"
#include "server/machine_internal.h"
#include "wire/machine_json.h"

static route_fn check_result_route, out_route;

/* clang-format off */
const struct route routes_machine_checks[] = {
    {HTTP_POST, "/api/v1/internal/judgers/checks/{id}/result", ACCESS_NODE, MACHINE_CHECK_BYTES_MAX, RATE_MACHINE, 0,
     check_result_route, "checkResult"},
    {HTTP_POST, "/api/v1/internal/judgers/out-of-service", ACCESS_NODE, 4 * KIB, RATE_MACHINE, 0,
     out_route, "judgerOutOfService"},
    {0},
};
/* clang-format on */

static void write_programs(const struct machine_check_result *message, struct jw *json) {
    jw_array_begin(json);
    for (int32_t i = 0; i < message->program_count; i++) {
        const struct machine_program *program = &message->programs[i];
        jw_object_begin(json);
        jw_put_str(json, "language", program->language);
        jw_put_str(json, "step", program->program);
        jw_put_bool(json, "passed", program->passed);
        jw_put_str(json, "text", program->outcome);
        jw_put_i64(json, "cpuMs", program->cpu_ms);
        jw_object_end(json);
    }
    jw_array_end(json);
}

/* ---- the outcome of a self-test ---- */

struct result_call {
    struct check_result_request request;
    struct call *call;
};

static void result_done(struct write_item *item) {
    struct result_call *result = item->context;
    if (item->ok) {
        call_reply_text(result->call, 200, STR("{}"));
    } else {
        machine_refuse(result->call, "check.refused", 0, &item->err);
    }
}

static bool fill_result(struct call *call, struct result_call *result, int64_t check,
                        struct str text, struct err *err) {
    struct machine_check_result message = {0};
    struct jw json;
    if (!machine_check_result_decode(text, check, call->arena, &message, err)) {
        return false;
    }
    own_buf out = {0};
    buf_init(&out, CHECK_DETAIL_BYTES_MAX);
    jw_init(&json, &out);
    write_programs(&message, &json);
    if (!jw_finish(&json, "the check's programs", err)) {
        return false;
    }
    result->call = call;
    result->request =
        (struct check_result_request){.item = {.done = result_done, .context = result},
                                      .actor = call->actor,
                                      .session_epoch = message.session_epoch,
                                      .check = check,
                                      .passed = message.passed,
                                      .speed_permille = message.speed_permille,
                                      .message = message.message,
                                      .detail = arena_str(call->arena, buf_str(&out))};
    return true;
}

static void check_result_route(struct call *call) {
    struct result_call *result = arena_new(call->arena, struct result_call);
    struct str text = {0};
    int64_t check = 0;
    struct err err = {0};
    if (!call_id(call, 0, "no_check", &check) || !machine_body(call, &text)) {
        return;
    }
    if (!fill_result(call, result, check, text, &err)) {
        call_fail(call, &err);
        return;
    }
    call_later(call);
    dispatch_check_result(call->app, &result->request);
}

/* ---- out of service ---- */

struct out_call {
    struct out_request request;
    struct call *call;
};

static void out_done(struct write_item *item) {
    struct out_call *out = item->context;
    if (item->ok) {
        call_reply_text(out->call, 200, STR("{}"));
    } else {
        machine_refuse(out->call, "out.refused", 0, &item->err);
    }
}

static void out_route(struct call *call) {
    struct machine_out message = {0};
    struct str text = {0};
    struct err err = {0};
    if (!machine_body(call, &text)) {
        return;
    }
    if (!machine_out_decode(text, call->arena, &message, &err)) {
        call_fail(call, &err);
        return;
    }
    struct out_call *out = arena_new(call->arena, struct out_call);
    out->call = call;
    out->request = (struct out_request){.item = {.done = out_done, .context = out},
                                        .actor = call->actor,
                                        .session_epoch = message.session_epoch,
                                        .reason = message.reason};
    call_later(call);
    dispatch_out_of_service(call->app, &out->request);
}
