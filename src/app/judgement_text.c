#include "app/judgement_text.h"
#include "base/limits.h"

#define VERSION 1

/* ---- writing ---- */

/* U+0000 is the one character that the reader refuses in text. */
static void write_text(struct jw *json, struct str text) {
    if (!str_has_nul(text)) {
        jw_str(json, text);
        return;
    }
    own_buf clean = {0};
    buf_init(&clean, text.len + 1);
    for (size_t i = 0; i < text.len; i++) {
        buf_append_char(&clean, text.ptr[i] != '\0' ? text.ptr[i] : ' ');
    }
    jw_str(json, buf_str(&clean));
}

static void write_compile(struct jw *json, const struct compile_result *compile) {
    jw_key(json, "compile");
    jw_array_begin(json);
    jw_i64(json, compile->ran);
    jw_i64(json, compile->ok);
    jw_i64(json, compile->cpu_ms);
    jw_i64(json, compile->wall_ms);
    jw_i64(json, compile->memory_kib);
    write_text(json, compile->log);
    jw_array_end(json);
}

static void write_case(struct jw *json, const struct case_result *result) {
    jw_array_begin(json);
    jw_i64(json, result->index);
    write_text(json, result->name);
    jw_i64(json, result->sample);
    jw_i64(json, result->verdict);
    jw_i64(json, result->cpu_ms);
    jw_i64(json, result->wall_ms);
    jw_i64(json, result->memory_kib);
    jw_i64(json, result->score_micro);
    write_text(json, result->message);
    if (result->twice) {
        jw_i64(json, result->other_cpu_ms);
        jw_i64(json, result->other_wall_ms);
    }
    jw_array_end(json);
}

void judgement_write_cases(struct jw *json, const struct case_result *cases, int32_t count) {
    jw_array_begin(json);
    for (int32_t i = 0; i < count; i++) {
        write_case(json, &cases[i]);
    }
    jw_array_end(json);
}

/* Apart from the cases, because servers of the version before read those by place. */
static void write_staff(struct jw *json, const struct judgement *judgement) {
    jw_key(json, "staff");
    jw_array_begin(json);
    for (int32_t i = 0; i < judgement->case_count; i++) {
        if (judgement->cases[i].staff.len > 0) {
            jw_array_begin(json);
            jw_i64(json, i);
            write_text(json, judgement->cases[i].staff);
            jw_array_end(json);
        }
    }
    jw_array_end(json);
}

bool judgement_write(const struct judgement *judgement, struct buf *into, struct err *err) {
    struct jw json;
    jw_init(&json, into);
    jw_object_begin(&json);
    jw_put_i64(&json, "v", VERSION);
    jw_put_i64(&json, "verdict", judgement->verdict);
    jw_put_i64(&json, "score", judgement->score_micro);
    jw_put_i64(&json, "passed", judgement->cases_passed);
    jw_put_i64(&json, "total", judgement->cases_total);
    jw_key(&json, "language");
    write_text(&json, judgement->language);
    jw_key(&json, "version");
    write_text(&json, judgement->language_version);
    jw_key(&json, "message");
    write_text(&json, judgement->message);
    write_compile(&json, &judgement->compile);
    jw_key(&json, "cases");
    judgement_write_cases(&json, judgement->cases, judgement->case_count);
    write_staff(&json, judgement);
    jw_object_end(&json);
    return jw_finish(&json, "judgement", err);
}

/* ---- reading ---- */

static bool small(const struct json *array, size_t index, int32_t max, int32_t *ret_value,
                  struct err *err) {
    int64_t value = 0;
    if (!jr_item_i64(array, index, 0, max, &value, err)) {
        return false;
    }
    *ret_value = (int32_t)value;
    return true;
}

static bool flag(const struct json *array, size_t index, bool *ret_value, struct err *err) {
    int32_t value = 0;
    if (!small(array, index, 1, &value, err)) {
        return false;
    }
    *ret_value = value != 0;
    return true;
}

static bool text(const struct json *array, size_t index, size_t bytes_max, struct arena *arena,
                 struct str *ret_text, struct err *err) {
    if (!jr_item_str(array, index, bytes_max, ret_text, err)) {
        return false;
    }
    *ret_text = arena_str(arena, *ret_text);
    return true;
}

static bool read_compile(const struct json *object, struct arena *arena,
                         struct compile_result *compile, struct err *err) {
    const struct json *array = NULL;
    return jr_array(object, "compile", 6, &array, err) && flag(array, 0, &compile->ran, err) &&
           flag(array, 1, &compile->ok, err) &&
           jr_item_i64(array, 2, 0, INT64_MAX, &compile->cpu_ms, err) &&
           jr_item_i64(array, 3, 0, INT64_MAX, &compile->wall_ms, err) &&
           jr_item_i64(array, 4, 0, INT64_MAX, &compile->memory_kib, err) &&
           text(array, 5, RESULT_BYTES_MAX, arena, &compile->log, err);
}

/* Behind the rest, only when the case was run twice. */
static bool read_other_run(const struct json *array, struct case_result *result, struct err *err) {
    result->twice = jr_count(array) > 9;
    return !result->twice || (jr_item_i64(array, 9, 0, INT64_MAX, &result->other_cpu_ms, err) &&
                              jr_item_i64(array, 10, 0, INT64_MAX, &result->other_wall_ms, err));
}

static bool read_case(const struct json *array, struct arena *arena, struct case_result *result,
                      struct err *err) {
    int32_t verdict = 0;
    if (!small(array, 0, MANIFEST_CASES_MAX, &result->index, err) ||
        !text(array, 1, RESULT_BYTES_MAX, arena, &result->name, err) ||
        !flag(array, 2, &result->sample, err) ||
        !small(array, 3, VERDICT_COUNT - 1, &verdict, err) ||
        !jr_item_i64(array, 4, 0, INT64_MAX, &result->cpu_ms, err) ||
        !jr_item_i64(array, 5, 0, INT64_MAX, &result->wall_ms, err) ||
        !jr_item_i64(array, 6, 0, INT64_MAX, &result->memory_kib, err) ||
        !jr_item_i64(array, 7, 0, INT64_MAX, &result->score_micro, err) ||
        !text(array, 8, RESULT_BYTES_MAX, arena, &result->message, err) ||
        !read_other_run(array, result, err)) {
        return false;
    }
    result->verdict = (enum verdict)verdict;
    return true;
}

bool judgement_read_cases(const struct json *array, struct arena *arena,
                          struct case_result **ret_cases, int32_t *ret_count, struct err *err) {
    int32_t count = (int32_t)jr_count(array);
    struct case_result *cases = arena_array(arena, jr_count(array) + 1, sizeof cases[0]);
    for (int32_t i = 0; i < count; i++) {
        if (!read_case(jr_at(array, (size_t)i), arena, &cases[i], err)) {
            return false;
        }
    }
    *ret_cases = cases;
    *ret_count = count;
    return true;
}

/* Not there in what an older server stored. */
static bool read_staff(const struct json *object, struct arena *arena, struct judgement *judgement,
                       struct err *err) {
    const struct json *array = NULL;
    if (jr_get(object, "staff") == NULL) {
        return true;
    }
    if (!jr_array(object, "staff", MANIFEST_CASES_MAX, &array, err)) {
        return false;
    }
    for (size_t i = 0; i < jr_count(array); i++) {
        int32_t at = 0;
        if (!small(jr_at(array, i), 0, judgement->case_count - 1, &at, err) ||
            !text(jr_at(array, i), 1, RESULT_BYTES_MAX, arena, &judgement->cases[at].staff, err)) {
            return false;
        }
    }
    return true;
}

static bool read_cases(const struct json *object, struct arena *arena, struct judgement *judgement,
                       struct err *err) {
    const struct json *array = NULL;
    return jr_array(object, "cases", MANIFEST_CASES_MAX, &array, err) &&
           judgement_read_cases(array, arena, &judgement->cases, &judgement->case_count, err) &&
           read_staff(object, arena, judgement, err);
}

static bool read_text(const struct json *object, const char *name, struct arena *arena,
                      struct str *ret_text, struct err *err) {
    if (!jr_str(object, name, RESULT_BYTES_MAX, ret_text, err)) {
        return false;
    }
    *ret_text = arena_str(arena, *ret_text);
    return true;
}

static bool read_all(const struct json *object, struct arena *arena, struct judgement *judgement,
                     struct err *err) {
    int64_t version = 0;
    int64_t verdict = 0;
    int64_t passed = 0;
    int64_t total = 0;
    if (!jr_i64(object, "v", VERSION, VERSION, &version, err) ||
        !jr_i64(object, "verdict", 0, VERDICT_COUNT - 1, &verdict, err) ||
        !jr_i64(object, "score", 0, INT64_MAX, &judgement->score_micro, err) ||
        !jr_i64(object, "passed", 0, MANIFEST_CASES_MAX, &passed, err) ||
        !jr_i64(object, "total", 0, MANIFEST_CASES_MAX, &total, err)) {
        return false;
    }
    judgement->verdict = (enum verdict)verdict;
    judgement->cases_passed = (int32_t)passed;
    judgement->cases_total = (int32_t)total;
    return read_text(object, "language", arena, &judgement->language, err) &&
           read_text(object, "version", arena, &judgement->language_version, err) &&
           read_text(object, "message", arena, &judgement->message, err) &&
           read_compile(object, arena, &judgement->compile, err) &&
           read_cases(object, arena, judgement, err);
}

bool judgement_read(struct str stored, struct arena *arena, struct judgement *ret_judgement,
                    struct err *err) {
    own(json) object = NULL;
    struct judgement judgement = {0};
    if (!jr_parse(stored, &object, err) || !read_all(object, arena, &judgement, err)) {
        err->kind = ERR_SYSTEM;
        err->code = "bad_row";
        return err_wrap(err, "stored judgement");
    }
    *ret_judgement = judgement;
    return true;
}
