/* What a case's run is given. */
#include "fake_problem.h"
#include "judge/compile.h"
#include "judge/run_case.h"

static void run(struct fake_world *world, int32_t index, const char *text,
                struct outcome *ret_outcome) {
    own_program program = {.language = fake_language(world, "cpp")};
    own_box_result box;
    struct err err = {0};
    struct case_run run_of = {.manifest = &world->manifest, .index = index, .program = &program};
    box_result_init(&box);
    fake.open_slots = 1;
    assert_true(fileset_add_text(&program.files, world->arena, STR("main"), str_from(text),
                                 (struct fileset_options){.executable = true}, &err));
    if (!run_case(&world->work, &run_of, &box, ret_outcome, &err)) {
        fail_msg("%s", err.text);
    }
}

static void limits_come_from_case_language_and_problem(void **state) {
    struct fake_world *world = *state;
    static const struct manifest_language_limit rows[] = {
        {.language = STR("python3"), .time_permille = 3000, .memory_permille = 2000}};
    struct language slow = *fake_language(world, "python3");
    slow.time_permille = 1500;
    slow.memory_extra_kib = 1024;
    world->manifest.limits.time_ms = 2000;
    world->manifest.limits.memory_kib = 100 * KIB;
    world->manifest.limits.languages = rows;
    world->manifest.limits.language_count = 1;
    world->cases[1].time_limit_ms = 1000;

    struct run_limits plain = run_case_limits(&world->manifest, 0, fake_language(world, "cpp"));
    struct run_limits own = run_case_limits(&world->manifest, 1, fake_language(world, "cpp"));
    struct run_limits python = run_case_limits(&world->manifest, 0, &slow);

    assert_int_equal(plain.cpu_ms, 2000);
    assert_int_equal(plain.wall_ms, 7000);
    assert_int_equal(plain.memory_bytes, 100LL * MIB);
    assert_int_equal(own.cpu_ms, 1000);
    assert_int_equal(python.cpu_ms, 9000);
    assert_int_equal(python.memory_bytes, 201LL * MIB);
}

static void the_run_has_the_input_and_never_the_answer(void **state) {
    struct fake_world *world = *state;
    struct outcome outcome = {.kind = OUTCOME_CHECK};
    world->cases[1].args = STR("--fast  x");

    run(world, 1, "cat", &outcome);

    assert_int_equal(outcome.kind, OUTCOME_CHECK);
    assert_string_equal(fake.argv, "/w/main --fast x");
    assert_string_equal(fake.names, "main");
    assert_int_equal(fake.spec.streams[0].kind, BOX_STREAM_FD);
    assert_int_equal(fake.spec.streams[1].bytes_max, world->manifest.limits.output_kib * KIB);
    assert_int_equal(fake.spec.limits.cpu_ms, 1050);
    assert_null(fake.spec.roots[0]); /* a static program needs no file of the machine */
    assert_int_equal(fake.spec.profile, BOX_PROFILE_NATIVE);
}

static void a_case_brings_its_files(void **state) {
    struct fake_world *world = *state;
    struct outcome outcome = {.kind = OUTCOME_CHECK};
    static struct manifest_file file;
    file = (struct manifest_file){.name = STR("dir/words.txt"), .blob = fake_blob(2)};
    world->cases[1].files = &file;
    world->cases[1].file_count = 1;

    run(world, 1, "cat", &outcome);

    assert_string_equal(fake.names, "main dir/words.txt");
}

static void a_cases_file_may_not_leave_the_work_folder(void **state) {
    struct fake_world *world = *state;
    own_program program = {.language = fake_language(world, "cpp")};
    own_box_result box;
    struct outcome outcome = {.kind = OUTCOME_CHECK};
    struct err err = {0};
    static struct manifest_file file;
    struct case_run run_of = {.manifest = &world->manifest, .index = 1, .program = &program};
    file = (struct manifest_file){.name = STR("../x"), .blob = fake_blob(2)};
    world->cases[1].files = &file;
    world->cases[1].file_count = 1;
    box_result_init(&box);

    assert_false(run_case(&world->work, &run_of, &box, &outcome, &err));

    assert_int_equal(err.fault, FAULT_PROBLEM);
}

static void a_case_without_input_reads_nothing(void **state) {
    struct fake_world *world = *state;
    struct outcome outcome = {.kind = OUTCOME_CHECK};
    world->cases[1].input.bytes = -1;

    run(world, 1, "cat", &outcome);

    assert_int_equal(fake.spec.streams[0].kind, BOX_STREAM_NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FAKE_TEST(limits_come_from_case_language_and_problem),
        FAKE_TEST(the_run_has_the_input_and_never_the_answer),
        FAKE_TEST(a_case_brings_its_files),
        FAKE_TEST(a_cases_file_may_not_leave_the_work_folder),
        FAKE_TEST(a_case_without_input_reads_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
