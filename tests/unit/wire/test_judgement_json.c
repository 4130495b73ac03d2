#include "wire/judgement_json.h"

#include "base/limits.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct case_result a_case(int32_t index, enum verdict verdict) {
    return (struct case_result){.index = index,
                                .name = STR("secret/01"),
                                .sample = index == 0,
                                .verdict = verdict,
                                .cpu_ms = 12,
                                .wall_ms = 15,
                                .memory_kib = 2048,
                                .score_micro = verdict == VERDICT_ACCEPTED ? 50000000 : 0,
                                .message = STR("line 1 differs")};
}

static struct case_result two_cases[2];

static struct judgement a_judgement(void) {
    two_cases[0] = a_case(0, VERDICT_ACCEPTED);
    two_cases[0].message = (struct str){0};
    two_cases[1] = a_case(2, VERDICT_WRONG_ANSWER);
    return (struct judgement){
        .verdict = VERDICT_WRONG_ANSWER,
        .score_micro = 0,
        .cases_passed = 1,
        .cases_total = 3,
        .compile = {.ran = true,
                    .ok = true,
                    .cpu_ms = 310,
                    .wall_ms = 330,
                    .memory_kib = 65536,
                    .log = STR("warning: \"x\"\n\ttab \xe4\xbd\xa0")},
        .cases = two_cases,
        .case_count = 2,
        .language = STR("cpp"),
        .language_version = STR("g++ (Debian 12.2.0-14) 12.2.0"),
        .message = STR("case 3"),
    };
}

static const char canonical[] =
    "{\"verdict\":\"WRONG_ANSWER\",\"scoreMicro\":0,\"casesPassed\":1,\"casesTotal\":3,"
    "\"compile\":{\"ok\":true,\"cpuMs\":310,\"wallMs\":330,\"memoryKb\":65536,"
    "\"log\":\"warning: \\\"x\\\"\\n\\ttab \xe4\xbd\xa0\"},"
    "\"cases\":[{\"index\":1,\"name\":\"secret/01\",\"sample\":true,\"verdict\":\"ACCEPTED\","
    "\"cpuMs\":12,\"wallMs\":15,\"memoryKb\":2048,\"message\":null,\"scoreMicro\":50000000},"
    "{\"index\":3,\"name\":\"secret/01\",\"sample\":false,\"verdict\":\"WRONG_ANSWER\","
    "\"cpuMs\":12,\"wallMs\":15,\"memoryKb\":2048,\"message\":\"line 1 differs\","
    "\"scoreMicro\":0}],"
    "\"runtime\":{\"language\":\"cpp\",\"version\":\"g++ (Debian 12.2.0-14) 12.2.0\"},"
    "\"message\":\"case 3\"}";

static void a_judgement_has_one_text(void **state) {
    (void)state;
    struct judgement judgement = a_judgement();
    own_buf out = {0};
    buf_init(&out, RESULT_BYTES_MAX);
    struct err err = {0};

    assert_true(judgement_encode(&judgement, &out, &err));

    assert_string_equal(buf_c(&out), canonical);
}

static void a_judgement_comes_back_with_the_same_bytes(void **state) {
    (void)state;
    own(arena) arena = arena_create(4 * MIB);
    own_buf out = {0};
    buf_init(&out, RESULT_BYTES_MAX);
    struct judgement judgement;
    struct err err = {0};

    assert_true(judgement_decode(str_from(canonical), arena, &judgement, &err));

    assert_int_equal(judgement.cases[1].index, 2);
    assert_int_equal(judgement.cases[0].score_micro, 50000000);
    assert_int_equal(judgement.compile.memory_kib, 65536);
    assert_true(judgement.compile.ran);
    assert_true(judgement_encode(&judgement, &out, &err));
    assert_string_equal(buf_c(&out), canonical);
}

static void without_a_compile_step_compile_is_null(void **state) {
    (void)state;
    own(arena) arena = arena_create(4 * MIB);
    own_buf out = {0};
    buf_init(&out, RESULT_BYTES_MAX);
    struct judgement judgement = a_judgement();
    judgement.compile = (struct compile_result){0};
    struct judgement back;
    struct err err = {0};

    assert_true(judgement_encode(&judgement, &out, &err));
    assert_true(judgement_decode(buf_str(&out), arena, &back, &err));

    assert_non_null(strstr(buf_c(&out), "\"compile\":null"));
    assert_false(back.compile.ran);
}

static void what_a_program_printed_may_hold_any_byte(void **state) {
    (void)state;
    own(arena) arena = arena_create(4 * MIB);
    own_buf out = {0};
    buf_init(&out, RESULT_BYTES_MAX);
    struct judgement judgement = a_judgement();
    judgement.cases[1].message = str_of("a\0b\xff", 4);
    struct judgement back;
    struct err err = {0};

    assert_true(judgement_encode(&judgement, &out, &err));
    assert_true(judgement_decode(buf_str(&out), arena, &back, &err));

    assert_true(str_eq(back.cases[1].message, str_of("a\0b\xef\xbf\xbd", 6)));
}

static void texts_over_their_limit_are_cut_so_that_the_result_can_be_sent(void **state) {
    (void)state;
    own(arena) arena = arena_create(4 * MIB);
    own_buf out = {0};
    buf_init(&out, RESULT_BYTES_MAX);
    static char long_text[COMPILE_LOG_BYTES_MAX + 100];
    memset(long_text, 'x', sizeof(long_text));
    static char bad_text[COMPILE_LOG_BYTES_MAX];
    memset(bad_text, 0xff, sizeof(bad_text));
    struct judgement judgement = a_judgement();
    judgement.message = str_of(long_text, sizeof(long_text));
    judgement.cases[1].message = str_of(bad_text, sizeof(bad_text));
    judgement.compile.log = str_of(long_text, sizeof(long_text));
    struct judgement back;
    struct err err = {0};

    assert_true(judgement_encode(&judgement, &out, &err));
    assert_true(judgement_decode(buf_str(&out), arena, &back, &err));

    assert_int_equal(back.message.len, CASE_MESSAGE_BYTES_MAX);
    assert_int_equal(back.compile.log.len, COMPILE_LOG_BYTES_MAX);
    assert_in_range(back.cases[1].message.len, CASE_MESSAGE_BYTES_MAX - 3, CASE_MESSAGE_BYTES_MAX);
}

static void ten_thousand_cases_with_long_messages_still_fit(void **state) {
    (void)state;
    own(arena) arena = arena_create(64 * MIB);
    own_buf out = {0};
    buf_init(&out, RESULT_BYTES_MAX);
    static char text[CASE_MESSAGE_BYTES_MAX];
    memset(text, 1, sizeof(text)); /* six bytes of JSON each */
    struct judgement judgement = a_judgement();
    judgement.cases = arena_array(arena, MANIFEST_CASES_MAX, sizeof(*judgement.cases));
    for (int32_t i = 0; i < MANIFEST_CASES_MAX; i++) {
        judgement.cases[i] = a_case(i, VERDICT_WRONG_ANSWER);
        judgement.cases[i].message = str_of(text, sizeof(text));
    }
    judgement.case_count = judgement.cases_total = MANIFEST_CASES_MAX;
    judgement.cases_passed = 0;
    struct judgement back;
    struct err err = {0};

    assert_true(judgement_encode(&judgement, &out, &err));
    assert_true(judgement_decode(buf_str(&out), arena, &back, &err));

    assert_int_equal(back.case_count, MANIFEST_CASES_MAX);
    assert_int_equal(back.cases[0].message.len, sizeof(text));
    assert_int_equal(back.cases[MANIFEST_CASES_MAX - 1].message.len, 0);
}

/* The canonical text with `from` replaced by `to`. */
static struct str changed(struct arena *arena, const char *from, const char *to) {
    const char *at = strstr(canonical, from);
    assert_non_null(at);
    return str_from(
        arena_printf(arena, "%.*s%s%s", (int)(at - canonical), canonical, to, at + strlen(from)));
}

static void nonsense_is_refused_by_name(void **state) {
    (void)state;
    static const struct {
        const char *from;
        const char *to;
        const char *code;
        const char *says;
    } rows[] = {
        {"\"verdict\":\"WRONG_ANSWER\",\"score", "\"verdict\":\"WRONG\",\"score", "bad_field",
         "`WRONG`"},
        {"\"verdict\":\"WRONG_ANSWER\",\"score", "\"verdict\":\"SYSTEM_ERROR\",\"score",
         "bad_field", "failure"},
        {"\"verdict\":\"WRONG_ANSWER\",\"score", "\"verdict\":\"CANCELLED\",\"score", "bad_field",
         "failure"},
        {"\"verdict\":\"WRONG_ANSWER\",\"score", "\"verdict\":\"\",\"score", "bad_field",
         "verdict"},
        {"\"verdict\":\"WRONG_ANSWER\",\"score", "\"verdict\":\"COMPILE_ERROR\",\"score",
         "bad_field", "compile.ok"},
        {"\"ok\":true", "\"ok\":false", "bad_field", "COMPILE_ERROR"},
        {"\"scoreMicro\":0,\"casesP", "\"scoreMicro\":-1,\"casesP", "bad_field", "scoreMicro"},
        {"\"casesPassed\":1", "\"casesPassed\":2", "bad_field", "casesPassed is 2"},
        {"\"casesTotal\":3", "\"casesTotal\":2", "bad_field", "cases[1]: index 3"},
        {"\"casesTotal\":3", "\"casesTotal\":10001", "bad_field", "casesTotal"},
        {"\"index\":3", "\"index\":1", "bad_field", "stands after"},
        {"\"index\":3", "\"index\":0", "bad_field", "cases[1]"},
        {"\"index\":3,", "", "missing_field", "cases[1]"},
        {"\"cpuMs\":12,", "\"cpuMs\":12,\"otherCpuMs\":3,", "bad_field", "together"},
        {"\"cpuMs\":12,", "\"cpuMs\":12,\"otherWallMs\":3,", "bad_field", "together"},
        {"\"cpuMs\":12,", "\"cpuMs\":12,\"otherCpuMs\":-3,\"otherWallMs\":3,", "bad_field",
         "otherCpuMs"},
        {"\"index\":3", "\"index\":3,\"extra\":1", "unknown_field", "extra"},
        {"\"verdict\":\"ACCEPTED\"", "\"verdict\":\"COMPILE_ERROR\"", "bad_field", "cases[0]"},
        {"\"runtime\":{\"language\":\"cpp\",", "\"runtime\":{", "missing_field", "language"},
        {"\"language\":\"cpp\"", "\"language\":\"\"", "bad_field", "empty"},
        {"\"compile\":{", "\"compile\":[],\"x\":{", "unknown_field", "x"},
        {"\"cpuMs\":310,", "", "missing_field", "compile"},
        {"\"message\":\"case 3\"", "\"message\":7", "bad_field", "message"},
        {"\"casesPassed\":1,", "", "missing_field", "casesPassed"},
        {"}]", "}", "bad_json", "line"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        own(arena) arena = arena_create(4 * MIB);
        struct judgement judgement = {.cases_total = 77};
        struct err err = {0};

        assert_false(
            judgement_decode(changed(arena, rows[i].from, rows[i].to), arena, &judgement, &err));

        assert_string_equal(err.code, rows[i].code);
        assert_non_null(strstr(err.text, rows[i].says));
        assert_int_equal(judgement.cases_total, 77);
    }
}

static void the_run_that_did_not_count_is_told(void **state) {
    (void)state;
    own(arena) arena = arena_create(4 * MIB);
    struct judgement judgement = a_judgement();
    struct judgement read = {0};
    struct err err = {0};
    own_buf out = {0};
    buf_init(&out, RESULT_BYTES_MAX);
    judgement.cases[1].twice = true;
    judgement.cases[1].other_cpu_ms = 1020;
    judgement.cases[1].other_wall_ms = 1100;

    bool encoded = judgement_encode(&judgement, &out, &err);
    judgement.cases[1].twice = false; /* the cases are shared */
    assert_true(encoded && judgement_decode(buf_str(&out), arena, &read, &err));

    assert_false(read.cases[0].twice);
    assert_true(read.cases[1].twice);
    assert_int_equal(read.cases[1].other_cpu_ms, 1020);
    assert_int_equal(read.cases[1].other_wall_ms, 1100);
}

static void a_missing_compile_member_is_not_the_same_as_null(void **state) {
    (void)state;
    own(arena) arena = arena_create(4 * MIB);
    struct judgement judgement;
    struct err err = {0};

    assert_false(judgement_decode(
        STR("{\"verdict\":\"ACCEPTED\",\"scoreMicro\":0,\"casesPassed\":0,\"casesTotal\":0,"
            "\"cases\":[],\"runtime\":{\"language\":\"c\",\"version\":\"\"},\"message\":null}"),
        arena, &judgement, &err));

    assert_string_equal(err.code, "missing_field");
    assert_non_null(strstr(err.text, "compile"));
}

static void cases_after_a_compile_error_are_refused(void **state) {
    (void)state;
    own(arena) arena = arena_create(4 * MIB);
    own_buf out = {0};
    buf_init(&out, RESULT_BYTES_MAX);
    struct judgement judgement = a_judgement();
    judgement.verdict = VERDICT_COMPILE_ERROR;
    judgement.compile.ok = false;
    struct judgement back;
    struct err err = {0};
    assert_true(judgement_encode(&judgement, &out, &err));

    assert_false(judgement_decode(buf_str(&out), arena, &back, &err));

    assert_string_equal(err.code, "bad_field");
    assert_non_null(strstr(err.text, "there are cases"));
}

static void a_compile_error_has_a_log_and_no_cases(void **state) {
    (void)state;
    own(arena) arena = arena_create(4 * MIB);
    own_buf out = {0};
    buf_init(&out, RESULT_BYTES_MAX);
    struct judgement judgement = a_judgement();
    judgement.verdict = VERDICT_COMPILE_ERROR;
    judgement.compile.ok = false;
    judgement.case_count = 0;
    judgement.cases_passed = 0;
    struct judgement back;
    struct err err = {0};

    assert_true(judgement_encode(&judgement, &out, &err));
    assert_true(judgement_decode(buf_str(&out), arena, &back, &err));

    assert_int_equal(back.verdict, VERDICT_COMPILE_ERROR);
    assert_false(back.compile.ok);
    assert_int_equal(back.case_count, 0);
}

static void a_case_for_the_public_has_no_score(void **state) {
    (void)state;
    struct case_result result = a_case(4, VERDICT_TIME_LIMIT_EXCEEDED);
    own_buf out = {0};
    buf_init(&out, 4 * KIB);
    struct jw json;
    struct err err = {0};

    jw_init(&json, &out);
    case_result_write(&json, &result, 0);

    assert_true(jw_finish(&json, "the case", &err));
    assert_string_equal(buf_c(&out),
                        "{\"index\":5,\"name\":\"secret/01\",\"sample\":false,"
                        "\"verdict\":\"TIME_LIMIT_EXCEEDED\",\"cpuMs\":12,\"wallMs\":15,"
                        "\"memoryKb\":2048,\"message\":\"line 1 differs\"}");
}

static void staff_words_travel_with_a_result_and_nowhere_else(void **state) {
    (void)state;
    own(arena) arena = arena_create(4 * MIB);
    struct judgement judgement = a_judgement();
    struct judgement read = {0};
    struct case_result result = a_case(4, VERDICT_WRONG_ANSWER);
    struct err err = {0};
    own(json) object = NULL;
    own_buf out = {0};
    own_buf plain = {0};
    struct jw json;
    buf_init(&out, RESULT_BYTES_MAX);
    buf_init(&plain, 4 * KIB);
    judgement.cases[1].staff = STR("expected 5");

    bool encoded = judgement_encode(&judgement, &out, &err);
    judgement.cases[1].staff = (struct str){0}; /* the cases are shared */
    assert_true(encoded && judgement_decode(buf_str(&out), arena, &read, &err));
    assert_int_equal(read.cases[0].staff.len, 0);
    assert_true(str_eq_c(read.cases[1].staff, "expected 5"));

    result.staff = STR("expected 5");
    jw_init(&json, &plain);
    case_result_write(&json, &result, 0);
    assert_true(jw_finish(&json, "the case", &err));
    assert_null(strstr(buf_c(&plain), "expected"));
    buf_clear(&plain);
    jw_init(&json, &plain);
    case_result_write(&json, &result, CASE_STAFF);
    assert_true(jw_finish(&json, "the case", &err));
    assert_true(jr_parse(buf_str(&plain), &object, &err));
    assert_false(case_result_from_json(object, 0, arena, &result, &err));
    assert_non_null(strstr(err.text, "staffMessage"));
}

static void a_full_buffer_is_reported(void **state) {
    (void)state;
    struct judgement judgement = a_judgement();
    own_buf out = {0};
    buf_init(&out, 100);
    struct err err = {0};

    assert_false(judgement_encode(&judgement, &out, &err));

    assert_int_equal(err.kind, ERR_TOO_LARGE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_judgement_has_one_text),
        cmocka_unit_test(a_judgement_comes_back_with_the_same_bytes),
        cmocka_unit_test(without_a_compile_step_compile_is_null),
        cmocka_unit_test(what_a_program_printed_may_hold_any_byte),
        cmocka_unit_test(texts_over_their_limit_are_cut_so_that_the_result_can_be_sent),
        cmocka_unit_test(ten_thousand_cases_with_long_messages_still_fit),
        cmocka_unit_test(nonsense_is_refused_by_name),
        cmocka_unit_test(the_run_that_did_not_count_is_told),
        cmocka_unit_test(a_missing_compile_member_is_not_the_same_as_null),
        cmocka_unit_test(cases_after_a_compile_error_are_refused),
        cmocka_unit_test(a_compile_error_has_a_log_and_no_cases),
        cmocka_unit_test(a_case_for_the_public_has_no_score),
        cmocka_unit_test(staff_words_travel_with_a_result_and_nowhere_else),
        cmocka_unit_test(a_full_buffer_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
