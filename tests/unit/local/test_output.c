/* How a judgement looks. */
#include "local/output.h"

#include "base/limits.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct case_result cases[] = {
    {.index = 0,
     .name = STR("sample/1"),
     .sample = true,
     .verdict = VERDICT_ACCEPTED,
     .cpu_ms = 12,
     .wall_ms = 15,
     .memory_kib = 2048,
     .message = STR("")},
    {.index = 1,
     .name = STR("secret/\xe4\xb8\xad"),
     .verdict = VERDICT_WRONG_ANSWER,
     .cpu_ms = 1,
     .wall_ms = 2,
     .memory_kib = 512,
     .message = STR("line 1: \x1b[31m")},
};

static struct judgement rejected(void) {
    return (struct judgement){.verdict = VERDICT_WRONG_ANSWER,
                              .cases_passed = 1,
                              .cases_total = 3,
                              .compile = {.ran = true, .ok = true, .log = STR("")},
                              .cases = cases,
                              .case_count = 2,
                              .language = STR("cpp"),
                              .message = STR("")};
}

static void a_table_has_a_line_for_each_case(void **state) {
    (void)state;
    char out[2000] = "";
    struct judgement judgement = rejected();
    FILE *file = fmemopen(out, sizeof(out), "w");
    assert_non_null(file);

    output_table(file, &judgement, false);

    assert_int_equal(fclose(file), 0);
    assert_non_null(strstr(out, "WRONG_ANSWER  1 of 3 cases passed\n"));
    assert_non_null(strstr(out, "sample/1   ACCEPTED                    12 ms       15 ms       "
                                "2.0 MiB"));
    assert_non_null(strstr(out, "secret/\xe4\xb8\xad  WRONG_ANSWER"));
    assert_null(strchr(out, '\x1b'));
}

static void a_compile_error_shows_the_compilers_words(void **state) {
    (void)state;
    char out[2000] = "";
    struct judgement judgement = {.verdict = VERDICT_COMPILE_ERROR,
                                  .cases_total = 3,
                                  .compile = {.ran = true, .log = STR("main.c:1: error")},
                                  .message = STR("")};
    FILE *file = fmemopen(out, sizeof(out), "w");
    assert_non_null(file);

    output_table(file, &judgement, true);

    assert_int_equal(fclose(file), 0);
    assert_non_null(strstr(out, "COMPILE_ERROR"));
    assert_non_null(strstr(out, "main.c:1: error\n"));
}

static void json_is_one_object_with_the_promised_keys(void **state) {
    (void)state;
    struct judgement judgement = rejected();
    struct err err = {0};
    own_buf text;
    buf_init(&text, MIB);

    assert_true(output_json(&judgement, &text, &err));

    static const char *const parts[] = {
        "{\"verdict\":\"WRONG_ANSWER\",\"score\":0,",
        "\"cases\":[{\"name\":\"sample/1\",\"verdict\":\"ACCEPTED\",\"cpuMs\":12,\"wallMs\":15,"
        "\"memoryKb\":2048,\"message\":\"\"},",
        "\"compile\":{\"ran\":true,\"ok\":true,",
        "\"message\":\"line 1: \\u001b[31m\"",
    };
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        assert_non_null(strstr(buf_c(&text), parts[i]));
    }
    assert_true(str_ends(buf_str(&text), STR("}\n")));
    assert_ptr_equal(strchr(buf_c(&text), '\n'), text.ptr + text.len - 1);
}

static void a_case_that_ran_twice_shows_both_times(void **state) {
    (void)state;
    char out[2000] = "";
    struct case_result twice = cases[0];
    struct judgement judgement = rejected();
    struct err err = {0};
    own_buf text;
    buf_init(&text, MIB);
    FILE *file = fmemopen(out, sizeof(out), "w");
    assert_non_null(file);
    twice.twice = true;
    twice.other_cpu_ms = 1020;
    twice.other_wall_ms = 1111;
    judgement.cases = &twice;
    judgement.case_count = 1;

    output_table(file, &judgement, false);
    assert_true(output_json(&judgement, &text, &err));

    assert_int_equal(fclose(file), 0);
    assert_non_null(strstr(out, "(run twice: the other run took 1020 ms of CPU, 1111 ms in all)"));
    assert_non_null(strstr(buf_c(&text), "\"otherCpuMs\":1020,\"otherWallMs\":1111,"));
}

static void full_marks_are_a_hundred(void **state) {
    (void)state;
    struct judgement judgement = {.verdict = VERDICT_ACCEPTED, .score_micro = SCORE_FULL_MICRO};
    struct err err = {0};
    own_buf text;
    buf_init(&text, MIB);

    assert_true(output_json(&judgement, &text, &err));

    assert_non_null(strstr(buf_c(&text), "\"score\":100,"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_has_a_line_for_each_case),
        cmocka_unit_test(a_compile_error_shows_the_compilers_words),
        cmocka_unit_test(json_is_one_object_with_the_promised_keys),
        cmocka_unit_test(a_case_that_ran_twice_shows_both_times),
        cmocka_unit_test(full_marks_are_a_hundred),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
