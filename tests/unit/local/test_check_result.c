/* What `problem check` found. */
#include "local/check_result.h"

#include "base/limits.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define E(verdict) PACKAGE_EXPECT(VERDICT_##verdict)

static const struct check_result results[] = {
    {.path = STR("submissions/accepted/a.c"),
     .expected = E(ACCEPTED),
     .verdict = VERDICT_ACCEPTED,
     .cpu_ms = 5,
     .message = STR("")},
    {.path = STR("submissions/run_time_error/b.c"),
     .expected = E(RUNTIME_ERROR) | E(MEMORY_LIMIT_EXCEEDED),
     .verdict = VERDICT_WRONG_ANSWER,
     .message = STR("no crash")},
    {.path = STR("submissions/accepted/c.hs"),
     .expected = E(ACCEPTED),
     .message = STR("no ghc"),
     .skipped = true},
};

static void a_verdict_agrees_when_it_was_promised(void **state) {
    (void)state;
    struct check_result result = {.expected = E(WRONG_ANSWER) | E(PRESENTATION_ERROR)};

    assert_false(check_result_agrees(&result)); /* not judged */
    result.verdict = VERDICT_PRESENTATION_ERROR;
    assert_true(check_result_agrees(&result));
    result.verdict = VERDICT_ACCEPTED;
    assert_false(check_result_agrees(&result));
    result.expected = 0;
    assert_true(check_result_agrees(&result));
}

static void promised_points_are_compared(void **state) {
    (void)state;
    struct check_result result = {.expected = E(WRONG_ANSWER),
                                  .verdict = VERDICT_PARTIAL,
                                  .rejected = VERDICT_WRONG_ANSWER,
                                  .has_score = true,
                                  .score_min_micro = 10,
                                  .score_max_micro = 20,
                                  .score_micro = 20};

    assert_true(check_result_agrees(&result));
    result.score_micro = 21;
    assert_false(check_result_agrees(&result));
    result.score_micro = 9;
    assert_false(check_result_agrees(&result));
}

static void points_without_a_rejected_case_are_accepted(void **state) {
    (void)state;
    struct check_result result = {.expected = E(ACCEPTED), .verdict = VERDICT_PARTIAL};

    assert_true(check_result_agrees(&result));
    result.rejected = VERDICT_TIME_LIMIT_EXCEEDED;
    assert_false(check_result_agrees(&result));
    result.expected = E(PARTIAL);
    assert_true(check_result_agrees(&result));
}

static void the_plainest_verdict_stands_for_a_set(void **state) {
    (void)state;
    assert_int_equal(check_result_expected(E(MEMORY_LIMIT_EXCEEDED) | E(RUNTIME_ERROR)),
                     VERDICT_RUNTIME_ERROR);
    assert_int_equal(check_result_expected(E(PRESENTATION_ERROR) | E(WRONG_ANSWER)),
                     VERDICT_WRONG_ANSWER);
    assert_int_equal(check_result_expected(0), VERDICT_NONE);
    for (int verdict = VERDICT_ACCEPTED; verdict <= VERDICT_COMPILE_ERROR; verdict++) {
        assert_int_equal(check_result_expected(PACKAGE_EXPECT(verdict)), verdict);
    }
}

static void the_table_sums_up(void **state) {
    (void)state;
    char out[2000] = "";
    FILE *file = fmemopen(out, sizeof(out), "w");
    assert_non_null(file);

    check_result_table(file, results, 3, false);

    assert_int_equal(fclose(file), 0);
    assert_non_null(strstr(out, "1 agree, 1 differ, 1 skipped\n"));
    assert_non_null(strstr(out, "DIFFERS  no crash"));
    assert_non_null(strstr(out, "skipped  no ghc"));
}

static void json_says_the_same(void **state) {
    (void)state;
    struct err err = {0};
    own_buf text;
    buf_init(&text, MIB);

    const struct problem_data_fault fault = {STR("secret/1"), STR("v.py"), STR("no number")};
    const struct check_problem problem = {.code = STR("sum"),
                                          .time_limit_ms = 2000,
                                          .time_limit_found = true,
                                          .faults = &fault,
                                          .fault_count = 1,
                                          .validated = 3};
    const struct check_report report = {
        .results = results, .count = 3, .problems = &problem, .problem_count = 1};
    assert_true(check_report_json(&report, &text, &err));
    assert_non_null(strstr(buf_c(&text), "\"problems\":[{\"code\":\"sum\",\"error\":null,"
                                         "\"timeLimitMs\":2000,\"timeLimitFound\":true,"
                                         "\"inputsValidated\":3,\"invalidInputs\":[{\"case\":"
                                         "\"secret/1\",\"validator\":\"v.py\","));

    static const char *const parts[] = {
        "{\"submissions\":[{\"path\":\"submissions/accepted/a.c\",\"expected\":\"ACCEPTED\","
        "\"permitted\":[\"ACCEPTED\"],\"verdict\":\"ACCEPTED\",\"agrees\":true,",
        "\"expected\":\"RUNTIME_ERROR\",\"permitted\":[\"MEMORY_LIMIT_EXCEEDED\","
        "\"RUNTIME_ERROR\"],\"verdict\":\"WRONG_ANSWER\",\"agrees\":false,",
        "\"verdict\":null,\"agrees\":null,",
        "\"agree\":1,\"differ\":1,\"skipped\":1}\n",
    };
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        assert_non_null(strstr(buf_c(&text), parts[i]));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_verdict_agrees_when_it_was_promised),
        cmocka_unit_test(promised_points_are_compared),
        cmocka_unit_test(points_without_a_rejected_case_are_accepted),
        cmocka_unit_test(the_plainest_verdict_stands_for_a_set),
        cmocka_unit_test(the_table_sums_up),
        cmocka_unit_test(json_says_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
