/* The built-in checkers on a case. */
#include "fake_problem.h"
#include "judge/check.h"

static bool check(struct fake_world *world, int32_t index, const char *output,
                  struct check_result *ret_result, struct err *err) {
    own_fd fd = fake_file(output);
    struct check_request request = {.manifest = &world->manifest, .index = index, .output_fd = fd};
    return check_default(&world->work, &request, ret_result, err);
}

static void an_equal_output_is_accepted_with_the_cases_points(void **state) {
    struct fake_world *world = *state;
    struct check_result result = {.verdict = VERDICT_NONE};
    struct err err = {0};
    world->cases[1].score_micro = 5;

    assert_true(check(world, 1, " 2\n", &result, &err));
    assert_int_equal(result.verdict, VERDICT_ACCEPTED);
    assert_int_equal(result.score_micro, 5);
    assert_int_equal(result.message.len, 0);
    assert_true(check(world, 1, "3", &result, &err));
    assert_int_equal(result.verdict, VERDICT_WRONG_ANSWER);
    assert_int_equal(result.score_micro, 0);
}

static void only_samples_show_what_was_expected(void **state) {
    struct fake_world *world = *state;
    struct check_result sample = {.verdict = VERDICT_NONE};
    struct check_result secret = {.verdict = VERDICT_NONE};
    struct err err = {0};

    assert_true(check(world, 0, "7", &sample, &err));
    assert_true(check(world, 1, "7", &secret, &err));

    assert_true(str_eq_c(sample.message, "line 1, token 1: expected \"1\", got \"7\""));
    assert_true(str_eq_c(secret.message, "line 1, token 1 is wrong"));
}

static void flags_come_from_the_case_or_the_nearest_group(void **state) {
    struct fake_world *world = *state;
    static const struct manifest_group groups[] = {
        {.name = STR("outer"), .parent = -1, .checker_args = STR("outer")},
        {.name = STR("middle"), .parent = 0},
        {.name = STR("inner"), .parent = 1, .checker_args = STR("inner")}};
    world->manifest.groups = groups;
    world->manifest.group_count = 3;

    assert_true(str_eq_c(check_args(&world->manifest, 0, STR("otherwise")), "otherwise"));
    world->cases[0].group = 1;
    assert_true(str_eq_c(check_args(&world->manifest, 0, STR("otherwise")), "outer"));
    world->cases[0].group = 2;
    assert_true(str_eq_c(check_args(&world->manifest, 0, STR("otherwise")), "inner"));
    world->cases[0].checker_args = STR("own");
    assert_true(str_eq_c(check_args(&world->manifest, 0, STR("otherwise")), "own"));
}

static void a_cases_flags_change_how_it_is_compared(void **state) {
    struct fake_world *world = *state;
    struct check_result result = {.verdict = VERDICT_NONE};
    struct err err = {0};
    assert_true(check(world, 1, "2.0", &result, &err));
    assert_int_equal(result.verdict, VERDICT_WRONG_ANSWER);

    world->cases[1].checker_args = STR("float_tolerance 1e-6");
    assert_true(check(world, 1, "2.0", &result, &err));
    assert_int_equal(result.verdict, VERDICT_ACCEPTED);
    world->cases[1].checker_args = STR("no_such_flag");
    assert_false(check(world, 1, "2.0", &result, &err));
    assert_int_equal(err.fault, FAULT_PROBLEM);
}

static void a_case_without_an_answer_is_the_problems_fault(void **state) {
    struct fake_world *world = *state;
    struct check_result result = {.verdict = VERDICT_NONE};
    struct err err = {0};
    world->cases[1].answer.bytes = -1;

    assert_false(check(world, 1, "2", &result, &err));

    assert_int_equal(err.fault, FAULT_PROBLEM);
    assert_non_null(strstr(err.text, "secret/1"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FAKE_TEST(an_equal_output_is_accepted_with_the_cases_points),
        FAKE_TEST(only_samples_show_what_was_expected),
        FAKE_TEST(flags_come_from_the_case_or_the_nearest_group),
        FAKE_TEST(a_cases_flags_change_how_it_is_compared),
        FAKE_TEST(a_case_without_an_answer_is_the_problems_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
