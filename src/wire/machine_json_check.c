/* JSON of what proves a node: the outcome of a self-test, and the node's word that it is broken. */
#include "wire/machine_json.h"

#include "base/check.h"
#include "wire/machine_fields_internal.h"

/* POST .../checks/{id}/result */

bool machine_check_result_encode(const struct machine_check_result *message, struct buf *out,
                                 struct err *err) {
    CHECK(message->program_count >= 0);
    CHECK(message->program_count <= MACHINE_PROGRAMS_MAX);
    struct jw json;
    jw_init(&json, out);
    jw_object_begin(&json);
    jw_put_i64(&json, "sessionEpoch", message->session_epoch);
    jw_put_bool(&json, "passed", message->passed);
    jw_put_i64(&json, "speedPermille", message->speed_permille);
    jw_put_str(&json, "message", message->message);
    jw_key(&json, "programs");
    jw_array_begin(&json);
    for (int32_t i = 0; i < message->program_count; i++) {
        const struct machine_program *program = &message->programs[i];
        jw_object_begin(&json);
        jw_put_str(&json, "language", program->language);
        jw_put_str(&json, "program", program->program);
        jw_put_bool(&json, "passed", program->passed);
        jw_put_str(&json, "outcome", program->outcome);
        jw_put_i64(&json, "cpuMs", program->cpu_ms);
        jw_object_end(&json);
    }
    jw_array_end(&json);
    jw_object_end(&json);
    return jw_finish(&json, "the check's result", err);
}

static bool read_program(const struct json *item, struct arena *arena,
                         struct machine_program *program, struct err *err) {
    static const char *const known[] = {"language", "program", "passed", "outcome", "cpuMs", NULL};
    return jr_refuse_unknown(item, known, err) &&
           field_word(item, "language", LANGUAGE_ID_BYTES_MAX, arena, &program->language, err) &&
           field_word(item, "program", MACHINE_CODE_BYTES_MAX, arena, &program->program, err) &&
           jr_bool(item, "passed", &program->passed, err) &&
           field_text(item, "outcome", MACHINE_OUTCOME_BYTES_MAX, arena, &program->outcome, err) &&
           jr_i64(item, "cpuMs", 0, MACHINE_DURATION_MS_MAX, &program->cpu_ms, err);
}

static bool read_programs(const struct json *object, struct arena *arena,
                          struct machine_check_result *result, struct err *err) {
    const struct json *list = NULL;
    if (!jr_array(object, "programs", MACHINE_PROGRAMS_MAX, &list, err)) {
        return false;
    }
    size_t count = jr_count(list);
    struct machine_program *programs = arena_array(arena, count + 1, sizeof(*programs));
    for (size_t i = 0; i < count; i++) {
        const struct json *item = NULL;
        if (!jr_item_object(list, i, &item, err) || !read_program(item, arena, &programs[i], err)) {
            return err_wrap(err, "programs[%zu]", i);
        }
    }
    result->programs = programs;
    result->program_count = (int32_t)count;
    return true;
}

bool machine_check_result_decode(struct str text, int64_t check, struct arena *arena,
                                 struct machine_check_result *ret, struct err *err) {
    static const char *const known[] = {"sessionEpoch", "passed",   "speedPermille",
                                        "message",      "programs", NULL};
    own(json) object = NULL;
    struct machine_check_result result = {.check = check};
    if (!field_parse(text, known, &object, err) ||
        !field_id(object, "sessionEpoch", &result.session_epoch, err) ||
        !jr_bool(object, "passed", &result.passed, err) ||
        !jr_i64(object, "speedPermille", 0, MACHINE_SPEED_PERMILLE_MAX, &result.speed_permille,
                err) ||
        !field_text(object, "message", MACHINE_REASON_BYTES_MAX, arena, &result.message, err) ||
        !read_programs(object, arena, &result, err)) {
        return false;
    }
    *ret = result;
    return true;
}

/* POST .../out-of-service */

bool machine_out_encode(const struct machine_out *message, struct buf *out, struct err *err) {
    struct jw json;
    jw_init(&json, out);
    jw_object_begin(&json);
    jw_put_i64(&json, "sessionEpoch", message->session_epoch);
    jw_put_str(&json, "reason", message->reason);
    jw_object_end(&json);
    return jw_finish(&json, "the node's word", err);
}

bool machine_out_decode(struct str text, struct arena *arena, struct machine_out *ret,
                        struct err *err) {
    static const char *const known[] = {"sessionEpoch", "reason", NULL};
    own(json) object = NULL;
    struct machine_out message = {0};
    if (!field_parse(text, known, &object, err) ||
        !field_id(object, "sessionEpoch", &message.session_epoch, err) ||
        !field_word(object, "reason", MACHINE_REASON_BYTES_MAX, arena, &message.reason, err)) {
        return false;
    }
    *ret = message;
    return true;
}
