/* What an answer is worth, and who reads what. */
#include "protocol_rows.h"

static struct check_result value(uint32_t kinds, int64_t maximum, bool sample,
                                 struct checker_answer answer, const char *otherwise,
                                 bool *ret_good) {
    struct manifest_case one = {.sample = sample, .group = -1, .score_micro = maximum};
    struct manifest manifest = {.kinds = kinds, .cases = &one, .case_count = 1};
    struct check_result result = {.verdict = VERDICT_NONE};
    struct err err = {0};
    *ret_good = check_value(&manifest, 0, &answer, otherwise, &result, &err);
    assert_true(*ret_good || err.fault == FAULT_PROBLEM);
    return result;
}

static void only_samples_show_the_staffs_words_to_students(void **state) {
    (void)state;
    struct checker_answer answer = {.says = CHECKER_SAYS_NO, .staff = STR("expected 5, found 6")};
    bool good = false;

    struct check_result secret = value(PROBLEM_PASS_FAIL, 0, false, answer, NULL, &good);
    struct check_result sample = value(PROBLEM_PASS_FAIL, 0, true, answer, NULL, &good);

    assert_true(str_eq_c(secret.message, "rejected by the checker"));
    assert_true(str_eq_c(secret.staff, "expected 5, found 6"));
    assert_true(str_eq_c(sample.message, "expected 5, found 6"));
}

static void a_rejection_without_words_gets_some(void **state) {
    (void)state;
    bool good = false;
    struct checker_answer no = {.says = CHECKER_SAYS_NO};
    struct checker_answer format = {.says = CHECKER_SAYS_BAD_FORMAT};
    struct checker_answer yes = {.says = CHECKER_SAYS_YES};

    assert_true(
        str_eq_c(value(PROBLEM_PASS_FAIL, 0, false, no, "no output", &good).message, "no output"));
    assert_true(str_eq_c(value(PROBLEM_PASS_FAIL, 0, false, format, NULL, &good).message,
                         "the output has the wrong format"));
    assert_int_equal(value(PROBLEM_PASS_FAIL, 0, false, yes, "no output", &good).message.len, 0);
}

static void points_without_a_maximum_are_yes_or_no(void **state) {
    (void)state;
    bool good = false;
    struct checker_answer some = {.says = CHECKER_SAYS_POINTS, .value = {3, 1}};
    struct checker_answer none = {.says = CHECKER_SAYS_POINTS, .value = {0, 1}};

    assert_int_equal(value(PROBLEM_SCORING, 0, true, some, NULL, &good).verdict, VERDICT_ACCEPTED);
    assert_int_equal(value(PROBLEM_SCORING, 0, true, none, NULL, &good).verdict,
                     VERDICT_WRONG_ANSWER);
    (void)value(PROBLEM_PASS_FAIL, 0, true, some, NULL, &good);
    assert_false(good);
    some.accepted = true;
    assert_int_equal(value(PROBLEM_PASS_FAIL, 7, false, some, NULL, &good).score_micro, 7);
}

static void a_part_is_no_full_answer_however_small_the_rest(void **state) {
    (void)state;
    bool good = false;
    struct checker_answer almost = {.says = CHECKER_SAYS_SHARE,
                                    .value = {999999999999999999, 1000000000000000000}};
    struct checker_answer more = {.says = CHECKER_SAYS_SHARE, .value = {101, 100}};

    struct check_result scored = value(PROBLEM_SCORING, 9, false, almost, NULL, &good);
    assert_int_equal(scored.verdict, VERDICT_PARTIAL);
    assert_int_equal(scored.score_micro, 8);
    assert_int_equal(value(PROBLEM_SCORING, 0, false, almost, NULL, &good).verdict,
                     VERDICT_PARTIAL);
    assert_int_equal(value(PROBLEM_PASS_FAIL, 0, false, almost, NULL, &good).verdict,
                     VERDICT_WRONG_ANSWER);
    (void)value(PROBLEM_SCORING, 9, false, more, NULL, &good);
    assert_false(good);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_samples_show_the_staffs_words_to_students),
        cmocka_unit_test(a_rejection_without_words_gets_some),
        cmocka_unit_test(points_without_a_maximum_are_yes_or_no),
        cmocka_unit_test(a_part_is_no_full_answer_however_small_the_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
