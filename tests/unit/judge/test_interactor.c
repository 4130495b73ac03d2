/* What the end of an interactor means, by its calling convention. */
#include "fake_problem.h"
#include "judge/compile.h"
#include "judge/interactor.h"

static const struct run_limits limits = {
    .cpu_ms = 1000, .wall_ms = 4000, .memory_bytes = 1 << 20, .output_bytes = 1000};

static void only_the_conventions_own_statuses_are_answers(void **state) {
    (void)state;
    static const struct {
        enum program_adapter adapter;
        struct box_result result;
        enum interactor_answer answer;
        const char *says;
    } rows[] = {
        {ADAPTER_ICPC, {.end = BOX_END_EXIT, .exit_code = 42}, INTERACTOR_ACCEPTS, ""},
        {ADAPTER_ICPC, {.end = BOX_END_EXIT, .exit_code = 43}, INTERACTOR_REJECTS, ""},
        {ADAPTER_ICPC, {.end = BOX_END_EXIT, .exit_code = 0}, INTERACTOR_BROKEN, "neither 42"},
        {ADAPTER_ICPC, {.end = BOX_END_EXIT, .exit_code = 1}, INTERACTOR_BROKEN, "neither 42"},
        {ADAPTER_ICPC, {.end = BOX_END_WALL}, INTERACTOR_BROKEN, "wall time"},
        {ADAPTER_TESTLIB, {.end = BOX_END_EXIT, .exit_code = 0}, INTERACTOR_ACCEPTS, ""},
        {ADAPTER_TESTLIB, {.end = BOX_END_EXIT, .exit_code = 1}, INTERACTOR_REJECTS, ""},
        {ADAPTER_TESTLIB, {.end = BOX_END_EXIT, .exit_code = 2}, INTERACTOR_REJECTS, ""},
        {ADAPTER_TESTLIB, {.end = BOX_END_EXIT, .exit_code = 4}, INTERACTOR_REJECTS, ""},
        {ADAPTER_TESTLIB, {.end = BOX_END_EXIT, .exit_code = 8}, INTERACTOR_REJECTS, ""},
        {ADAPTER_TESTLIB, {.end = BOX_END_EXIT, .exit_code = 3}, INTERACTOR_BROKEN, "status 3"},
        {ADAPTER_TESTLIB, {.end = BOX_END_EXIT, .exit_code = 42}, INTERACTOR_BROKEN, "status 42"},
        {ADAPTER_TESTLIB, {.end = BOX_END_EXIT, .exit_code = 139}, INTERACTOR_BROKEN, "139"},
        {ADAPTER_TESTLIB, {.end = BOX_END_SIGNAL, .signal = 11}, INTERACTOR_BROKEN, "signal 11"},
        {ADAPTER_TESTLIB, {.end = BOX_END_CPU}, INTERACTOR_BROKEN, "CPU time"},
        {ADAPTER_TESTLIB, {.end = BOX_END_MEMORY}, INTERACTOR_BROKEN, "memory"},
        {ADAPTER_TESTLIB, {.end = BOX_END_OUTPUT}, INTERACTOR_BROKEN, "wrote more"},
        {ADAPTER_TESTLIB,
         {.end = BOX_END_EXIT, .cpu_user_us = 1000001},
         INTERACTOR_BROKEN,
         "CPU time"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct outcome why = {.kind = OUTCOME_CHECK};

        enum interactor_answer answer =
            interactor_answer(rows[i].adapter, &rows[i].result, &limits, &why);

        if (answer != rows[i].answer || strstr(why.message, rows[i].says) == NULL) {
            fail_msg("row %zu: %d, \"%s\"", i, (int)answer, why.message);
        }
    }
}

static void testlibs_interactor_gets_input_tout_and_answer(void **state) {
    struct fake_world *world = *state;
    own_program program = {.language = fake_language(world, "cpp")};
    struct check_request request = {
        .manifest = &world->manifest, .index = 1, .checker = &program, .joined = true};
    struct interactor interactor = {.request = &request, .adapter = ADAPTER_TESTLIB};
    own_fileset files = {.count = 0};
    struct box_run_spec spec = {0};
    struct err err = {0};

    assert_true(interactor_prepare(&world->work, &interactor, &limits, &files, &spec, &err));

    fake_note(&spec);
    assert_non_null(strstr(fake.argv, "/w/main /w/data/input /w/tout /w/data/answer"));
    assert_non_null(strstr(fake.argv, "trap '' PIPE"));
    assert_string_equal(fake.names, "data/input data/answer");
    assert_string_equal(spec.outputs[0], "tout");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FAKE_TEST(only_the_conventions_own_statuses_are_answers),
        FAKE_TEST(testlibs_interactor_gets_input_tout_and_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
