/* One case from its run to its verdict, on a box that runs nothing. */
#include "fake_problem.h"
#include "judge/compile.h"
#include "judge/judge_case.h"

static struct case_result judge(struct fake_world *world, int32_t index, const char *text) {
    own_program program = {.language = fake_language(world, "cpp")};
    struct judge_request request = {.manifest = &world->manifest};
    struct cases cases = {.request = &request, .program = &program};
    struct case_result result = {.verdict = VERDICT_NONE};
    struct err err = {0};
    fake.open_slots = 1;
    assert_true(fileset_add_text(&program.files, world->arena, STR("main"), str_from(text),
                                 (struct fileset_options){.executable = true}, &err));
    if (!judge_case(&world->work, &cases, index, &result, &err)) {
        fail_msg("%s: %s", text, err.text);
    }
    return result;
}

static void a_case_carries_its_name_its_use_and_its_verdict(void **state) {
    struct fake_world *world = *state;

    struct case_result result = judge(world, 1, "cat");

    assert_true(str_eq_c(result.name, "secret/1"));
    assert_int_equal(result.verdict, VERDICT_ACCEPTED);
    assert_int_equal(result.cpu_ms, 3);
    assert_int_equal(result.wall_ms, 7);
    assert_int_equal(result.memory_kib, 2048);
    assert_false(result.sample);
}

static void what_a_program_says_on_stderr_is_shown_for_samples_only(void **state) {
    struct fake_world *world = *state;

    struct case_result sample = judge(world, 0, "exit 3");
    struct case_result secret = judge(world, 1, "exit 3");

    assert_true(str_eq_c(sample.message, "exit status 3\nwords on stderr"));
    assert_true(str_eq_c(secret.message, "exit status 3"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_case_carries_its_name_its_use_and_its_verdict, fake_setup,
                                        fake_teardown),
        cmocka_unit_test_setup_teardown(what_a_program_says_on_stderr_is_shown_for_samples_only,
                                        fake_setup, fake_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
