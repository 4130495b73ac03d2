/* What a machine gives at most: refused as its own fault, or cut down, never a verdict. */
#include "fake_problem.h"
#include "judge/caps.h"
#include "judge/compile.h"

static void the_smaller_one_holds_and_zero_is_none(void **state) {
    (void)state;
    assert_int_equal(caps_lower(0, 7), 7);
    assert_int_equal(caps_lower(5, 7), 5);
    assert_int_equal(caps_lower(9, 7), 7);
}

/* Time in ms and memory in KiB of the third case, which has its own. */
static void a_problem_over_a_limit_is_refused_as_the_nodes_fault(void **state) {
    struct fake_world *world = *state;
    static const struct {
        struct judge_caps caps;
        const char *names; /* NULL: is taken */
    } rows[] = {
        {{.run_ms = 0}, NULL},
        {{.run_ms = 3000, .run_memory_kib = 90000}, NULL},
        {{.run_ms = 2999}, "judge.run_time"},
        {{.run_memory_kib = 89999}, "judge.run_memory"},
    };
    world->manifest.limits.time_ms = 1000;
    world->manifest.limits.memory_kib = 64000;
    world->cases[2].time_limit_ms = 3000;
    world->cases[2].memory_limit_kib = 90000;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct judge_source source = {.name = STR("main.c"), .text = STR("cat")};
        struct judge_request request = {.manifest = &world->manifest,
                                        .language = fake_language(world, "c"),
                                        .sources = &source,
                                        .source_count = 1,
                                        .open_blob = fake_open_blob,
                                        .context = world};
        struct judgement judgement = {.verdict = VERDICT_NONE};
        struct err err = {0};
        world->judge->caps = rows[i].caps;

        bool judged = judge_submission(world->judge, &request, world->arena, &judgement, &err);

        assert_int_equal(judged, rows[i].names == NULL);
        if (!judged) {
            assert_string_equal(err.code, "node_limit");
            assert_int_equal(err.fault, FAULT_NODE);
            assert_non_null(strstr(err.text, rows[i].names));
        }
    }
}

static bool compile(struct fake_world *world, struct compile_result *ret_result, struct err *err) {
    own_fileset files = {.count = 0};
    own_program program = {.entry = ""};
    struct compile_job job = {.language = fake_language(world, "cpp"),
                              .files = &files,
                              .time_ms = 20000,
                              .memory_kib = 1024 * KIB};
    fake.open_slots = 1;
    assert_true(fileset_add_text(&files, world->arena, STR("main.cpp"), STR("cat"),
                                 (struct fileset_options){.executable = false}, err));
    return compile_program(&world->work, &job, world->arena, &program, ret_result, err);
}

static void a_compiler_gets_no_more_than_the_machine_gives(void **state) {
    struct fake_world *world = *state;
    struct compile_result result = {.ok = false};
    struct err err = {0};
    world->judge->caps = (struct judge_caps){.compile_ms = 6000,
                                             .compile_memory_kib = 300 * KIB,
                                             .scratch_bytes = 256LL * MIB,
                                             .processes = 20};

    assert_true(compile(world, &result, &err));

    assert_int_equal(fake.spec.limits.cpu_ms, 6000);
    assert_int_equal(fake.spec.limits.memory_bytes, 300LL * MIB);
    /* With less room or fewer processes it would fail, and the source be blamed. */
    assert_int_equal(fake.spec.limits.work_bytes, 1024LL * MIB);
    assert_int_equal(fake.spec.limits.pids_max, 128);
}

/* The same end: by the problem's limit it is the source's error, by ours it is not. */
static void a_compiler_that_ends_by_our_limit_blames_nobody_else(void **state) {
    struct fake_world *world = *state;
    static const enum box_end ends[] = {BOX_END_CPU, BOX_END_WALL, BOX_END_MEMORY};
    for (size_t i = 0; i < 3; i++) {
        struct compile_result result = {.ok = true};
        struct err err = {0};
        world->judge->caps = (struct judge_caps){.compile_ms = 0};
        fake.override_end = ends[i];
        assert_true(compile(world, &result, &err));
        assert_false(result.ok);
        world->judge->caps =
            (struct judge_caps){.compile_ms = 6000, .compile_memory_kib = 300 * KIB};
        fake.override_end = ends[i];

        assert_false(compile(world, &result, &err));

        assert_string_equal(err.code, "node_limit");
        assert_int_equal(err.fault, FAULT_NODE);
    }
}

static void a_run_over_processes_or_scratch_is_refused(void **state) {
    struct fake_world *world = *state;
    static const struct {
        struct judge_caps caps;
        const char *names; /* NULL: is taken */
    } rows[] = {
        {{.processes = 64, .scratch_bytes = 1000}, NULL},
        {{.processes = 63}, "judge.processes"},
        {{.scratch_bytes = 999}, "judge.scratch"},
    };
    struct language language = *fake_language(world, "c");
    language.pids_max = 64;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct err err = {0};

        bool taken = caps_check_run(&rows[i].caps, &language, 1000, &err);

        assert_int_equal(taken, rows[i].names == NULL);
        assert_true(taken || strstr(err.text, rows[i].names) != NULL);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FAKE_TEST(the_smaller_one_holds_and_zero_is_none),
        FAKE_TEST(a_problem_over_a_limit_is_refused_as_the_nodes_fault),
        FAKE_TEST(a_compiler_gets_no_more_than_the_machine_gives),
        FAKE_TEST(a_compiler_that_ends_by_our_limit_blames_nobody_else),
        FAKE_TEST(a_run_over_processes_or_scratch_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
