/* Function problems: what the submission is called, and whose compile error it is. */
#include "fake_problem.h"
#include "judge/grader.h"

static const struct manifest_include includes[] = {
    {.language = STR("cpp"), .file = {.name = STR("grader.cpp")}},
    {.language = STR("cpp"), .file = {.name = STR("main.cpp")}},
    {.language = STR("java"), .file = {.name = STR("Main.java")}},
    {.language = STR("python3"), .file = {.name = STR("grader.py")}},
};

static void fill(struct fake_world *world) {
    world->manifest.includes = includes;
    world->manifest.include_count = 4;
}

static void an_only_source_makes_room_for_the_problems_main_file(void **state) {
    struct fake_world *world = *state;
    fill(world);
    static const struct {
        const char *language, *name;
    } rows[] = {{"cpp", "solution.cpp"},
                {"java", "solution.java"},
                {"python3", "main.py"},
                {"c", "main.c"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct str name = grader_source_name(&world->manifest,
                                             fake_language(world, rows[i].language), world->arena);

        assert_true(str_eq_c(name, rows[i].name));
    }
}

static void a_function_needs_a_grader_in_the_language(void **state) {
    struct fake_world *world = *state;
    fill(world);

    assert_false(grader_is_missing(&world->manifest, fake_language(world, "c")));
    world->manifest.kinds |= PROBLEM_FUNCTION;
    assert_true(grader_is_missing(&world->manifest, fake_language(world, "c")));
    assert_false(grader_is_missing(&world->manifest, fake_language(world, "cpp")));
}

static void an_error_is_the_graders_where_no_submission_can_cause_it(void **state) {
    struct fake_world *world = *state;
    fill(world);
    static const struct {
        const char *language, *log;
        bool blame;
    } rows[] = {
        {"cpp", "grader.cpp:7:5: error: 'x' was not declared in this scope\n", true},
        {"cpp", "main.cpp:7:5: error: expected ';' before 'return'\n", true},
        {"cpp", "solution.cpp:7:5: error: expected ';' before 'return'\n", false},
        {"cpp", "/usr/bin/ld: grader.cpp:(.text+0x5): undefined reference to `f()'\n", false},
        {"cpp", "grader.cpp:7:5: warning: unused variable\n", false},
        {"cpp", "grader.cpp:1:10: fatal error: solution.h: No such file or directory\n", false},
        {"cpp", "Main.java:3: error: ';' expected\n", false},
        {"java", "Main.java:3: error: ';' expected\n", true},
        {"java", "Main.java:3: error: cannot find symbol\n", false},
        {"python3", "  File \"grader.py\", line 3\n    def f(\nSyntaxError: x\n", true},
        {"python3", "  File \"main.py\", line 3\n    def f(\nSyntaxError: x\n", false},
        {"cpp", "", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct str line = {0};

        bool blame = grader_is_to_blame(&world->manifest, fake_language(world, rows[i].language),
                                        str_from(rows[i].log), &line);

        if (blame != rows[i].blame) {
            fail_msg("row %zu: %s", i, rows[i].log);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FAKE_TEST(an_only_source_makes_room_for_the_problems_main_file),
        FAKE_TEST(a_function_needs_a_grader_in_the_language),
        FAKE_TEST(an_error_is_the_graders_where_no_submission_can_cause_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
