/* A judgement as JSON, both ways. */
#include "wire/judgement_json.h"

#include "base/check.h"
#include "base/limits.h"
#include "wire/machine_fields_internal.h"

/* Beyond half of what a result may have, messages of cases are left out: with ten thousand cases
 * they would make a result that nobody may send. */
#define MESSAGES_UNTIL_BYTES (RESULT_BYTES_MAX / 2)

/* At most bytes_max after jw_str has put three bytes of U+FFFD for each byte that is not UTF-8. */
static struct str bounded(struct str text, size_t bytes_max) {
    return str_utf8_prefix(text, str_is_utf8(text) ? bytes_max : bytes_max / 3);
}

static void put_text_or_null(struct jw *json, const char *name, struct str text) {
    if (text.len == 0) {
        jw_put_null(json, name);
    } else {
        jw_put_str(json, name, text);
    }
}

static bool verdict_is_known(enum verdict verdict) {
    return verdict > VERDICT_NONE && verdict < VERDICT_COUNT;
}

void case_result_write(struct jw *json, const struct case_result *result, unsigned parts) {
    CHECK(verdict_is_known(result->verdict));
    jw_object_begin(json);
    jw_put_i64(json, "index", result->index + 1);
    jw_put_str(json, "name", bounded(result->name, PACKAGE_PATH_BYTES_MAX));
    jw_put_bool(json, "sample", result->sample);
    jw_put_cstr(json, "verdict", verdict_code(result->verdict));
    jw_put_i64(json, "cpuMs", result->cpu_ms);
    jw_put_i64(json, "wallMs", result->wall_ms);
    jw_put_i64(json, "memoryKb", result->memory_kib);
    if (result->twice) {
        jw_put_i64(json, "otherCpuMs", result->other_cpu_ms);
        jw_put_i64(json, "otherWallMs", result->other_wall_ms);
    }
    put_text_or_null(json, "message", bounded(result->message, CASE_MESSAGE_BYTES_MAX));
    if ((parts & CASE_STAFF) != 0 && result->staff.len > 0) {
        jw_put_str(json, "staffMessage", bounded(result->staff, CASE_MESSAGE_BYTES_MAX));
    }
    if ((parts & CASE_SCORE) != 0) {
        jw_put_i64(json, "scoreMicro", result->score_micro);
    }
    jw_object_end(json);
}

static void put_compile(struct jw *json, const struct compile_result *compile) {
    if (!compile->ran) {
        jw_put_null(json, "compile");
        return;
    }
    jw_key(json, "compile");
    jw_object_begin(json);
    jw_put_bool(json, "ok", compile->ok);
    jw_put_i64(json, "cpuMs", compile->cpu_ms);
    jw_put_i64(json, "wallMs", compile->wall_ms);
    jw_put_i64(json, "memoryKb", compile->memory_kib);
    jw_put_str(json, "log", bounded(compile->log, COMPILE_LOG_BYTES_MAX));
    jw_object_end(json);
}

static void put_cases(struct jw *json, const struct judgement *judgement) {
    size_t begin = json->out->len;
    jw_key(json, "cases");
    jw_array_begin(json);
    for (int32_t i = 0; i < judgement->case_count; i++) {
        struct case_result result = judgement->cases[i];
        if (json->out->len - begin > MESSAGES_UNTIL_BYTES) {
            result.message = (struct str){0};
            result.staff = (struct str){0};
        }
        case_result_write(json, &result, CASE_SCORE | CASE_STAFF);
    }
    jw_array_end(json);
}

bool judgement_encode(const struct judgement *judgement, struct buf *out, struct err *err) {
    CHECK(verdict_is_known(judgement->verdict));
    CHECK(judgement->case_count >= 0);
    CHECK(judgement->case_count <= judgement->cases_total);
    struct jw json;
    jw_init(&json, out);
    jw_object_begin(&json);
    jw_put_cstr(&json, "verdict", verdict_code(judgement->verdict));
    jw_put_i64(&json, "scoreMicro", judgement->score_micro);
    jw_put_i64(&json, "casesPassed", judgement->cases_passed);
    jw_put_i64(&json, "casesTotal", judgement->cases_total);
    put_compile(&json, &judgement->compile);
    put_cases(&json, judgement);
    jw_key(&json, "runtime");
    jw_object_begin(&json);
    jw_put_str(&json, "language", bounded(judgement->language, LANGUAGE_ID_BYTES_MAX));
    jw_put_str(&json, "version",
               bounded(judgement->language_version, MACHINE_LANGUAGE_VERSION_BYTES_MAX));
    jw_object_end(&json);
    put_text_or_null(&json, "message", bounded(judgement->message, CASE_MESSAGE_BYTES_MAX));
    jw_object_end(&json);
    return jw_finish(&json, "the judgement", err);
}

static bool read_verdict(const struct json *object, enum verdict *ret_verdict, struct err *err) {
    struct str code;
    enum verdict verdict = VERDICT_NONE;
    if (!jr_str(object, "verdict", 64, &code, err)) {
        return false;
    }
    if (!verdict_parse(code, &verdict) || !verdict_is_known(verdict)) {
        return err_set(err, ERR_INVALID, "bad_field",
                       "field `verdict` has no such value as `" STR_FMT "`", STR_ARG(code));
    }
    if (verdict == VERDICT_SYSTEM_ERROR || verdict == VERDICT_CANCELLED) {
        return err_set(err, ERR_INVALID, "bad_field",
                       "field `verdict`: %s is not a node's to give, report a failure instead",
                       verdict_code(verdict));
    }
    *ret_verdict = verdict;
    return true;
}

/* What a program printed may hold U+0000. */
static bool read_output(const struct json *object, const char *name, size_t bytes_max,
                        struct arena *arena, struct str *ret_text, struct err *err) {
    struct str text = {0};
    if (!jr_opt_output(object, name, bytes_max, &text, err)) {
        return false;
    }
    *ret_text = text.len == 0 ? text : arena_str(arena, text);
    return true;
}

static bool read_usage(const struct json *object, int64_t *cpu_ms, int64_t *wall_ms,
                       int64_t *memory_kib, struct err *err) {
    return jr_i64(object, "cpuMs", 0, ID_MAX, cpu_ms, err) &&
           jr_i64(object, "wallMs", 0, ID_MAX, wall_ms, err) &&
           jr_i64(object, "memoryKb", 0, ID_MAX, memory_kib, err);
}

/* Both or neither: there only when the case was run twice. */
static bool read_other_run(const struct json *object, struct case_result *result, struct err *err) {
    bool cpu = jr_get(object, "otherCpuMs") != NULL;
    bool wall = jr_get(object, "otherWallMs") != NULL;
    if (cpu != wall) {
        return err_set(err, ERR_INVALID, "bad_field",
                       "fields `otherCpuMs` and `otherWallMs` come together");
    }
    result->twice = cpu;
    return !cpu || (jr_i64(object, "otherCpuMs", 0, ID_MAX, &result->other_cpu_ms, err) &&
                    jr_i64(object, "otherWallMs", 0, ID_MAX, &result->other_wall_ms, err));
}

static bool check_parts(const struct json *object, unsigned parts, struct err *err) {
    static const struct {
        const char *name;
        unsigned part;
    } rows[] = {{"scoreMicro", CASE_SCORE}, {"staffMessage", CASE_STAFF}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if ((parts & rows[i].part) == 0 && jr_get(object, rows[i].name) != NULL) {
            return err_set(err, ERR_INVALID, "unknown_field", "there is no field `%s` here",
                           rows[i].name);
        }
    }
    return true;
}

static bool read_words(const struct json *object, struct arena *arena, struct case_result *result,
                       struct err *err) {
    return read_output(object, "message", CASE_MESSAGE_BYTES_MAX, arena, &result->message, err) &&
           read_output(object, "staffMessage", CASE_MESSAGE_BYTES_MAX, arena, &result->staff, err);
}

bool case_result_from_json(const struct json *object, unsigned parts, struct arena *arena,
                           struct case_result *ret_result, struct err *err) {
    static const char *const known[] = {
        "index",      "name",        "sample",  "verdict",      "cpuMs",      "wallMs", "memoryKb",
        "otherCpuMs", "otherWallMs", "message", "staffMessage", "scoreMicro", NULL};
    struct case_result result = {0};
    int32_t number = 0;
    if (!jr_refuse_unknown(object, known, err) || !check_parts(object, parts, err) ||
        !field_i32(object, "index", 1, MANIFEST_CASES_MAX, &number, err) ||
        !field_text(object, "name", PACKAGE_PATH_BYTES_MAX, arena, &result.name, err) ||
        !jr_bool(object, "sample", &result.sample, err) ||
        !read_verdict(object, &result.verdict, err) ||
        !read_usage(object, &result.cpu_ms, &result.wall_ms, &result.memory_kib, err) ||
        !read_other_run(object, &result, err) || !read_words(object, arena, &result, err)) {
        return false;
    }
    if (result.verdict == VERDICT_COMPILE_ERROR) {
        return err_set(err, ERR_INVALID, "bad_field",
                       "field `verdict`: a case can't be a COMPILE_ERROR");
    }
    if ((parts & CASE_SCORE) != 0 &&
        !jr_i64(object, "scoreMicro", 0, ID_MAX, &result.score_micro, err)) {
        return false;
    }
    result.index = number - 1;
    *ret_result = result;
    return true;
}

static bool read_compile(const struct json *object, struct arena *arena,
                         struct compile_result *compile, struct err *err) {
    static const char *const known[] = {"ok", "cpuMs", "wallMs", "memoryKb", "log", NULL};
    const struct json *member = jr_get(object, "compile");
    if (jr_kind(member) == JR_NULL) {
        *compile = (struct compile_result){0};
        return true;
    }
    if (!jr_object(object, "compile", &member, err)) {
        return false;
    }
    if (!jr_refuse_unknown(member, known, err) || !jr_bool(member, "ok", &compile->ok, err) ||
        !read_usage(member, &compile->cpu_ms, &compile->wall_ms, &compile->memory_kib, err) ||
        !read_output(member, "log", COMPILE_LOG_BYTES_MAX, arena, &compile->log, err)) {
        return err_wrap(err, "compile");
    }
    compile->ran = true;
    return true;
}

static bool read_cases(const struct json *object, struct arena *arena, struct judgement *judgement,
                       struct err *err) {
    const struct json *list = NULL;
    if (!jr_array(object, "cases", MANIFEST_CASES_MAX, &list, err)) {
        return false;
    }
    size_t count = jr_count(list);
    struct case_result *cases = arena_array(arena, count, sizeof(*cases));
    for (size_t i = 0; i < count; i++) {
        if (!case_result_from_json(jr_at(list, i), CASE_SCORE | CASE_STAFF, arena, &cases[i],
                                   err)) {
            return err_wrap(err, "cases[%zu]", i);
        }
    }
    judgement->cases = cases;
    judgement->case_count = (int32_t)count;
    return true;
}

static bool read_runtime(const struct json *object, struct arena *arena,
                         struct judgement *judgement, struct err *err) {
    static const char *const known[] = {"language", "version", NULL};
    const struct json *runtime = NULL;
    return jr_object(object, "runtime", &runtime, err) && jr_refuse_unknown(runtime, known, err) &&
           field_word(runtime, "language", LANGUAGE_ID_BYTES_MAX, arena, &judgement->language,
                      err) &&
           field_text(runtime, "version", MACHINE_LANGUAGE_VERSION_BYTES_MAX, arena,
                      &judgement->language_version, err);
}

static bool refuse(struct err *err, const char *why) {
    return err_set(err, ERR_INVALID, "bad_field", "%s", why);
}

static bool check_cases(const struct judgement *judgement, struct err *err) {
    int32_t passed = 0;
    int32_t last = -1;
    for (int32_t i = 0; i < judgement->case_count; i++) {
        int32_t index = judgement->cases[i].index;
        if (index >= judgement->cases_total) {
            return err_set(err, ERR_INVALID, "bad_field",
                           "cases[%d]: index %d, but casesTotal is %d", i, index + 1,
                           judgement->cases_total);
        }
        if (index <= last) {
            return err_set(err, ERR_INVALID, "bad_field",
                           "cases[%d]: index %d stands after index %d", i, index + 1, last + 1);
        }
        last = index;
        passed += judgement->cases[i].verdict == VERDICT_ACCEPTED ? 1 : 0;
    }
    if (passed != judgement->cases_passed) {
        return err_set(err, ERR_INVALID, "bad_field",
                       "casesPassed is %d, but %d of the cases are ACCEPTED",
                       judgement->cases_passed, passed);
    }
    return true;
}

static bool check_compile(const struct judgement *judgement, struct err *err) {
    bool failed = judgement->compile.ran && !judgement->compile.ok;
    if (failed && judgement->verdict != VERDICT_COMPILE_ERROR) {
        return refuse(err, "compile.ok is false, so the verdict must be COMPILE_ERROR");
    }
    if (!failed && judgement->verdict == VERDICT_COMPILE_ERROR) {
        return refuse(err, "the verdict is COMPILE_ERROR, but compile.ok is not false");
    }
    if (failed && judgement->case_count > 0) {
        return refuse(err, "compile.ok is false, but there are cases");
    }
    return true;
}

bool judgement_from_json(const struct json *object, struct arena *arena,
                         struct judgement *ret_judgement, struct err *err) {
    static const char *const known[] = {"verdict",    "scoreMicro", "casesPassed",
                                        "casesTotal", "compile",    "cases",
                                        "runtime",    "message",    NULL};
    struct judgement judgement = {0};
    if (!jr_refuse_unknown(object, known, err) || !read_verdict(object, &judgement.verdict, err) ||
        !jr_i64(object, "scoreMicro", 0, ID_MAX, &judgement.score_micro, err) ||
        !field_i32(object, "casesPassed", 0, MANIFEST_CASES_MAX, &judgement.cases_passed, err) ||
        !field_i32(object, "casesTotal", 0, MANIFEST_CASES_MAX, &judgement.cases_total, err) ||
        !read_compile(object, arena, &judgement.compile, err) ||
        !read_cases(object, arena, &judgement, err) ||
        !read_runtime(object, arena, &judgement, err) ||
        !read_output(object, "message", CASE_MESSAGE_BYTES_MAX, arena, &judgement.message, err) ||
        !check_cases(&judgement, err) || !check_compile(&judgement, err)) {
        return false;
    }
    *ret_judgement = judgement;
    return true;
}

bool judgement_decode(struct str text, struct arena *arena, struct judgement *ret_judgement,
                      struct err *err) {
    own(json) object = NULL;
    return jr_parse(text, &object, err) && judgement_from_json(object, arena, ret_judgement, err);
}
