/* What the compile step asks of the box, and what it makes of the answers. */
#include "fake_problem.h"
#include "judge/compile.h"

static struct compile_result compile(struct fake_world *world, const char *language,
                                     struct fileset *files, struct program *program) {
    struct compile_job job = {.language = fake_language(world, language),
                              .files = files,
                              .time_ms = 5000,
                              .memory_kib = 300 * KIB};
    struct compile_result result = {.ok = false};
    struct err err = {0};
    fake.open_slots = 1;
    if (!compile_program(&world->work, &job, world->arena, program, &result, &err)) {
        fail_msg("%s", err.text);
    }
    return result;
}

static void add(struct fake_world *world, struct fileset *files, const char *name,
                const char *text) {
    struct err err = {0};
    assert_true(fileset_add_text(files, world->arena, str_from(name), str_from(text),
                                 (struct fileset_options){.executable = false}, &err));
}

static void only_sources_are_compiled_and_the_rest_stands_beside(void **state) {
    struct fake_world *world = *state;
    own_fileset files = {.count = 0};
    own_program program = {.entry = ""};
    add(world, &files, "b.cpp", "cat");
    add(world, &files, "table.h", "text");
    add(world, &files, "a.cc", "cat");

    struct compile_result result = compile(world, "cpp", &files, &program);

    assert_true(result.ran && result.ok);
    assert_non_null(strstr(fake.argv, " b.cpp a.cc"));
    assert_null(strstr(fake.argv, "table.h"));
    assert_string_equal(fake.names, "b.cpp table.h a.cc");
    assert_int_equal(program.files.count, 1);
    assert_string_equal(program.files.files[0].name, "main");
    assert_true(program.files.files[0].executable);
}

static void the_box_gets_the_problems_limits(void **state) {
    struct fake_world *world = *state;
    own_fileset files = {.count = 0};
    own_program program = {.entry = ""};
    add(world, &files, "main.c", "cat");

    (void)compile(world, "c", &files, &program);

    assert_int_equal(fake.spec.profile, BOX_PROFILE_COMPILE);
    assert_int_equal(fake.spec.limits.cpu_ms, 5000);
    assert_int_equal(fake.spec.limits.memory_bytes, 300LL * MIB);
    assert_true(fake.spec.limits.wall_ms > 5000);
    assert_string_equal(fake.spec.roots[0], "/usr");
    assert_int_equal(fake.spec.streams[0].kind, BOX_STREAM_NULL);
}

static void sources_are_run_where_the_compiler_leaves_nothing(void **state) {
    struct fake_world *world = *state;
    own_fileset files = {.count = 0};
    own_program program = {.entry = ""};
    add(world, &files, "helper.py", "x");
    add(world, &files, "main.py", "cat");

    struct compile_result result = compile(world, "python3", &files, &program);

    assert_true(result.ok);
    assert_string_equal(program.entry, "main.py");
    assert_int_equal(program.files.count, 2);
}

static void without_a_usual_name_the_first_source_is_the_entry(void **state) {
    struct fake_world *world = *state;
    own_fileset files = {.count = 0};
    own_program program = {.entry = ""};
    add(world, &files, "notes.txt", "x");
    add(world, &files, "first.py", "cat");
    add(world, &files, "second.py", "cat");

    (void)compile(world, "python3", &files, &program);

    assert_string_equal(program.entry, "first.py");
}

static void the_compilers_words_come_with_ours_where_needed(void **state) {
    struct fake_world *world = *state;
    static const struct {
        enum box_end end;
        int signal;
        const char *log;
    } rows[] = {
        {BOX_END_CPU, 0, "The compiler used more than 5000 ms of CPU time.\nsome words"},
        {BOX_END_MEMORY, 0, "The compiler used more than 307200 KiB of memory.\nsome words"},
        {BOX_END_OUTPUT, 0, "The compiler wrote more than 1024 KiB.\nsome words"},
        {BOX_END_SIGNAL, 11,
         "The compiler was ended by signal 11 (segmentation fault).\nsome words"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        own_fileset files = {.count = 0};
        own_program program = {.entry = ""};
        add(world, &files, "main.cpp", "cat");
        fake.override_end = rows[i].end;
        fake.override_signal = rows[i].signal;

        struct compile_result result = compile(world, "cpp", &files, &program);

        assert_false(result.ok);
        assert_int_equal(program.files.count, 0);
        if (!str_eq_c(result.log, rows[i].log)) {
            fail_msg("row %zu: " STR_FMT, i, STR_ARG(result.log));
        }
    }
}

static void a_compiler_killed_by_the_system_is_the_nodes_fault(void **state) {
    struct fake_world *world = *state;
    own_fileset files = {.count = 0};
    own_program program = {.entry = ""};
    struct compile_job job = {.language = fake_language(world, "cpp"),
                              .files = &files,
                              .time_ms = 5000,
                              .memory_kib = 300 * KIB};
    struct compile_result result = {.ok = false};
    struct err err = {0};
    add(world, &files, "main.cpp", "cat");
    fake.open_slots = 1;
    fake.override_end = BOX_END_SIGNAL;
    fake.override_signal = 9;

    assert_false(compile_program(&world->work, &job, world->arena, &program, &result, &err));

    assert_int_equal(err.fault, FAULT_NODE);
}

static void a_missing_or_too_large_program_is_told(void **state) {
    struct fake_world *world = *state;
    static const struct {
        enum box_output_state output;
        const char *says;
    } rows[] = {{BOX_OUTPUT_MISSING, "left no program"},
                {BOX_OUTPUT_NOT_PLAIN, "left no program"},
                {BOX_OUTPUT_TOO_LARGE, "larger than 128 MiB"}};
    for (size_t i = 0; i < 3; i++) {
        own_fileset files = {.count = 0};
        own_program program = {.entry = ""};
        add(world, &files, "main.cpp", "cat");
        fake.override_end = BOX_END_EXIT;
        fake.override_output = rows[i].output;

        struct compile_result result = compile(world, "cpp", &files, &program);

        assert_false(result.ok);
        assert_non_null(strstr(result.log.ptr, rows[i].says));
    }
}

static void a_submission_without_sources_hears_what_is_missing(void **state) {
    struct fake_world *world = *state;
    own_fileset files = {.count = 0};
    own_program program = {.entry = ""};
    add(world, &files, "main.h", "cat");

    struct compile_result result = compile(world, "cpp", &files, &program);

    assert_false(result.ok);
    assert_non_null(strstr(result.log.ptr, "No file ends in .cpp"));
    assert_int_equal(fake.starts, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FAKE_TEST(only_sources_are_compiled_and_the_rest_stands_beside),
        FAKE_TEST(the_box_gets_the_problems_limits),
        FAKE_TEST(sources_are_run_where_the_compiler_leaves_nothing),
        FAKE_TEST(without_a_usual_name_the_first_source_is_the_entry),
        FAKE_TEST(the_compilers_words_come_with_ours_where_needed),
        FAKE_TEST(a_compiler_killed_by_the_system_is_the_nodes_fault),
        FAKE_TEST(a_missing_or_too_large_program_is_told),
        FAKE_TEST(a_submission_without_sources_hears_what_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
