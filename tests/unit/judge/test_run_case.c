/* What a case's run is given. */
#include "fake_problem.h"
#include "judge/compile.h"
#include "judge/run_case.h"

static struct second_runs second_runs;

static void run(struct fake_world *world, int32_t index, const char *text,
                struct outcome *ret_outcome) {
    own_program program = {.language = fake_language(world, "cpp")};
    own_box_result box;
    struct err err = {0};
    struct case_run run_of = {
        .manifest = &world->manifest, .index = index, .program = &program, .second = &second_runs};
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

/* The limit is 1000 ms, the box kills at 1050. */
static void a_run_near_its_limit_is_measured_again(void **state) {
    struct fake_world *world = *state;
    static const struct {
        const char *why;
        int64_t cpu_ms[2];
        int32_t allowed;
        int runs;
        enum verdict verdict; /* NONE: the checker's turn */
        int64_t other_cpu_ms;
    } rows[] = {
        {"well within", {400, 0}, 3, 1, VERDICT_NONE, 0},
        {"at the limit", {1000, 0}, 3, 1, VERDICT_NONE, 0},
        {"over it, then within: the second counts", {1020, 990}, 3, 2, VERDICT_NONE, 1020},
        {"over it twice: the smaller counts",
         {1040, 1010},
         3,
         2,
         VERDICT_TIME_LIMIT_EXCEEDED,
         1040},
        {"over it twice: the first was smaller",
         {1010, 1040},
         3,
         2,
         VERDICT_TIME_LIMIT_EXCEEDED,
         1040},
        {"no second runs are left", {1020, 990}, 0, 1, VERDICT_TIME_LIMIT_EXCEEDED, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct outcome outcome = {.kind = OUTCOME_CHECK};
        second_runs = (struct second_runs){.left = rows[i].allowed};
        fake.starts = 0;
        fake.cpu_at = 0;
        memcpy(fake.cpu_ms, rows[i].cpu_ms, sizeof rows[i].cpu_ms);

        run(world, 1, "cat", &outcome);

        if (fake.starts != rows[i].runs || outcome.verdict != rows[i].verdict ||
            outcome.twice != (rows[i].runs == 2) || outcome.other_cpu_ms != rows[i].other_cpu_ms) {
            fail_msg("%s: %d runs, verdict %d, other %lld", rows[i].why, fake.starts,
                     (int)outcome.verdict, (long long)outcome.other_cpu_ms);
        }
        assert_int_equal(second_runs.left, rows[i].allowed - (rows[i].runs - 1));
        assert_false(world->work.quiet);
    }
}

static void a_program_that_idles_twice_is_believed_from_then_on(void **state) {
    struct fake_world *world = *state;
    struct outcome outcome = {.kind = OUTCOME_CHECK};
    second_runs = (struct second_runs){.left = 3};

    run(world, 1, "wall", &outcome);
    assert_int_equal(fake.starts, 2);
    assert_true(outcome.twice);
    run(world, 1, "wall", &outcome);

    assert_int_equal(fake.starts, 3);
    assert_false(outcome.twice);
    assert_int_equal(outcome.verdict, VERDICT_TIME_LIMIT_EXCEEDED);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FAKE_TEST(limits_come_from_case_language_and_problem),
        FAKE_TEST(the_run_has_the_input_and_never_the_answer),
        FAKE_TEST(a_case_brings_its_files),
        FAKE_TEST(a_cases_file_may_not_leave_the_work_folder),
        FAKE_TEST(a_case_without_input_reads_nothing),
        FAKE_TEST(a_run_near_its_limit_is_measured_again),
        FAKE_TEST(a_program_that_idles_twice_is_believed_from_then_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
