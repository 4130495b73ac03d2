/* A checker's run: what it is given, what is made of its end. */
#include "fake_problem.h"
#include "judge/check.h"
#include "judge/checker_cache.h"

static const struct run_limits limits = {
    .cpu_ms = 1000, .wall_ms = 4000, .memory_bytes = 1 << 20, .output_bytes = 1000};

static void only_42_and_43_within_the_limits_are_answers(void **state) {
    (void)state;
    static const struct {
        struct box_result result;
        enum icpc_answer answer;
        const char *says;
    } rows[] = {
        {{.end = BOX_END_EXIT, .exit_code = 42}, ICPC_ACCEPT, ""},
        {{.end = BOX_END_EXIT, .exit_code = 43}, ICPC_REJECT, ""},
        {{.end = BOX_END_EXIT, .exit_code = 0}, ICPC_BROKEN, "status 0, which is neither"},
        {{.end = BOX_END_EXIT, .exit_code = 1}, ICPC_BROKEN, "status 1, which is neither"},
        {{.end = BOX_END_EXIT, .exit_code = 42, .cpu_user_us = 1000001}, ICPC_BROKEN, "CPU time"},
        {{.end = BOX_END_EXIT, .exit_code = 42, .memory_peak_bytes = 2 << 20},
         ICPC_BROKEN,
         "memory"},
        {{.end = BOX_END_EXIT, .exit_code = 42, .stream_bytes = {0, 1001, 0}},
         ICPC_BROKEN,
         "wrote more"},
        {{.end = BOX_END_SIGNAL, .signal = 11, .exit_code = 42}, ICPC_BROKEN, "signal 11"},
        {{.end = BOX_END_CPU, .exit_code = 43}, ICPC_BROKEN, "CPU time"},
        {{.end = BOX_END_WALL}, ICPC_BROKEN, "wall time"},
        {{.end = BOX_END_MEMORY, .exit_code = 42}, ICPC_BROKEN, "memory"},
        {{.end = BOX_END_START, .exit_code = 8}, ICPC_BROKEN, "could not be started"},
        {{.end = BOX_END_KILLED, .exit_code = 42}, ICPC_BROKEN, "stopped by the judge"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct outcome why = {.kind = OUTCOME_CHECK};

        enum icpc_answer answer = check_icpc_answer(&rows[i].result, &limits, &why);

        if (answer != rows[i].answer || strstr(why.message, rows[i].says) == NULL) {
            fail_msg("row %zu: %d, \"%s\"", i, (int)answer, why.message);
        }
    }
}

/* ---- the run ---- */

static bool check(struct fake_world *world, int blob, const char *output,
                  struct check_result *ret_result, struct err *err) {
    const struct program *checker = NULL;
    own_fd fd = fake_file(output);
    fake_checker(world, blob);
    fake.open_slots = 1;
    assert_true(checker_acquire(&world->work, &world->manifest, &world->manifest.checker.program,
                                &checker, err));
    struct check_request request = {
        .manifest = &world->manifest, .index = 1, .output_fd = fd, .checker = checker};
    bool good = check_program(&world->work, &request, ret_result, err);
    checker_release(world->judge, checker);
    return good;
}

static void the_command_is_input_answer_feedback_and_flags(void **state) {
    struct fake_world *world = *state;
    struct check_result result = {.verdict = VERDICT_NONE};
    struct err err = {0};
    world->cases[1].checker_args = STR("eps 1e-6");

    assert_true(check(world, 3, "output", &result, &err));

    assert_string_equal(fake.argv, "/w/main /w/data/input /w/data/answer /w/feedback/ eps 1e-6");
    assert_string_equal(fake.names, "main feedback/.keep! data/input data/answer");
    assert_int_equal(fake.spec.streams[0].kind, BOX_STREAM_FD);
    assert_int_equal(fake.spec.limits.memory_bytes,
                     world->manifest.limits.validation_memory_kib * KIB);
}

static void a_rejection_without_words_gets_some(void **state) {
    struct fake_world *world = *state;
    struct check_result result = {.verdict = VERDICT_NONE};
    struct err err = {0};

    assert_true(check(world, 4, "output", &result, &err));
    assert_true(str_eq_c(result.message, "not like this"));
    assert_true(check(world, 11, "output", &result, &err));
    assert_int_equal(result.verdict, VERDICT_WRONG_ANSWER);
    assert_true(str_eq_c(result.message, "rejected by the checker"));
    assert_true(check(world, 11, " \n", &result, &err));
    assert_true(str_eq_c(result.message, "no output"));
}

static void a_broken_checker_names_the_case_and_its_words(void **state) {
    struct fake_world *world = *state;
    struct check_result result = {.verdict = VERDICT_NONE};
    struct err err = {0};

    assert_false(check(world, 5, "output", &result, &err));

    assert_int_equal(err.fault, FAULT_PROBLEM);
    assert_non_null(strstr(err.text, "secret/1"));
    assert_non_null(strstr(err.text, "words on stderr"));
}

static void too_many_points_are_the_problems_fault(void **state) {
    struct fake_world *world = *state;
    struct check_result result = {.verdict = VERDICT_NONE};
    struct err err = {0};
    world->manifest.kinds = PROBLEM_SCORING;
    world->cases[1].score_micro = 5000000;

    assert_true(check(world, 8, "output", &result, &err)); /* 3 of 5 */
    assert_int_equal(result.verdict, VERDICT_PARTIAL);
    assert_int_equal(result.score_micro, 3000000);
    assert_false(check(world, 9, "output", &result, &err)); /* a million of 5 */
    assert_int_equal(err.fault, FAULT_PROBLEM);
    world->manifest.kinds = PROBLEM_PASS_FAIL; /* points mean nothing here */
    assert_true(check(world, 9, "output", &result, &err));
    assert_int_equal(result.verdict, VERDICT_ACCEPTED);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_42_and_43_within_the_limits_are_answers),
        FAKE_TEST(the_command_is_input_answer_feedback_and_flags),
        FAKE_TEST(a_rejection_without_words_gets_some),
        FAKE_TEST(a_broken_checker_names_the_case_and_its_words),
        FAKE_TEST(too_many_points_are_the_problems_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
