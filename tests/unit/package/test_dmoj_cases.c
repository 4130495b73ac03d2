/* Test cases of DMOJ packages. */
#include "fixture.h"

static void dmoj(struct fixture *f, const char *yaml) {
    fixture_init(f);
    fixture_put(f, "init.yml", yaml);
    static const char *const names[] = {"1", "2", "10", "a.1", "a.2"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        fixture_put(f, arena_printf(f->arena, "%s.in", names[i]), "1\n");
        fixture_put(f, arena_printf(f->arena, "%s.out", names[i]), "2\n");
    }
}

static void batches_are_groups_with_dependencies(void **state) {
    (void)state;
    struct fixture f;
    dmoj(&f, "points: 3\ntest_cases:\n"
             "- {in: 1.in, out: 1.out}\n"
             "- {batched: [{in: 1.in, out: 1.out}, {in: 2.in, out: 2.out}], points: 10}\n"
             "- {batched: [{out: 2.out}], points: 7, dependencies: [1]}\n");

    fixture_must_read(&f);

    const struct manifest *manifest = &f.problem.manifest;
    assert_int_equal(manifest->case_count, 4);
    assert_int_equal(manifest->group_count, 2);
    assert_int_equal(manifest->cases[0].group, -1);
    assert_int_equal(manifest->cases[0].score_micro, 3000000);
    assert_int_equal(manifest->groups[0].score_micro, 10000000);
    assert_int_equal(manifest->groups[1].depend_count, 1);
    assert_int_equal(manifest->cases[3].input.bytes, 0); /* not named: empty */
    assert_int_equal(manifest->score_micro, 20000000);
    fixture_done(&f);
}

static void names_may_be_given_by_patterns(void **state) {
    (void)state;
    struct fixture f;
    dmoj(&f, "test_cases:\n  input_format: '((?P<batch>\\w+)\\.)?(?P<case>\\d+)\\.in'\n"
             "  output_format: '((?P<batch>\\w+)\\.)?(?P<case>\\d+)\\.out'\n"
             "  case_points: [1, 2, 3, 4]\n");

    fixture_must_read(&f);

    const struct manifest *manifest = &f.problem.manifest;
    assert_int_equal(manifest->case_count, 5);
    assert_int_equal(manifest->group_count, 1);
    assert_true(str_eq_c(manifest->cases[2].name, "secret/10"));
    assert_int_equal(manifest->groups[0].score_micro, 4000000);
    assert_int_equal(manifest->score_micro, 10000000);
    fixture_done(&f);
}

static void without_a_word_names_are_paired(void **state) {
    (void)state;
    struct fixture f;
    dmoj(&f, "checker: standard\ngenerator: null\n");

    fixture_must_read(&f);

    assert_int_equal(f.problem.manifest.case_count, 5);
    assert_true(notes_have(&f.report.guessed, "from the names of files: 5"));
    fixture_done(&f);
}

static void generators_are_recipes(void **state) {
    (void)state;
    struct fixture f;
    dmoj(&f, "generator: g.cpp\ntest_cases:\n- {generator_args: [1, 2], points: 1}\n");
    fixture_put(&f, "g.cpp", "int main(){}\n");
    fixture_must_refuse(&f, "bad_package", "still to be made");
    f.options.recipes = true;

    fixture_must_read(&f);

    assert_int_equal(f.problem.recipe_count, 1);
    assert_true(str_eq_c(f.problem.recipes[0].args, "1 2"));
    assert_true(f.problem.recipes[0].answer_from_errors);
    fixture_done(&f);
}

static void what_is_wrong_is_said_with_its_line(void **state) {
    (void)state;
    static const struct {
        const char *yaml, *message;
    } rows[] = {
        {"test_cases:\n- {in: 9.in, out: 1.out}\n", "init.yml:2: there is no 9.in"},
        {"test_cases:\n- {in: 1.in, points: many}\n", "init.yml:2: "},
        {"test_cases:\n- {batched: []}\n", "init.yml:2: this batch has no cases"},
        {"test_cases:\n- {batched: [{in: 1.in}], dependencies: [1]}\n",
         "init.yml:2: a batch depends on batches that stand before it"},
        {"test_cases: []\n", "there is no test data"},
        {"test_cases: 7\n", "init.yml:1: "},
        {"test_cases:\n  input_format: '(a{999}){999}(?P<case>x)'\n  output_format: x\n",
         "init.yml:2: this pattern is not understood"},
        {"test_cases:\n  input_format: 'x'\n  output_format: x\n",
         "init.yml:2: this pattern is not understood"},
        {"test_cases:\n  input_format: '(?P<case>\\d+).in'\n  output_format: '(?P<case>\\d+).no'\n",
         "1.in: its answer is missing"},
        {"a: &a [x]\ntest_cases: [*a, *a]\n", "init.yml:1: "},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct fixture f;
        dmoj(&f, rows[i].yaml);
        fixture_must_say(&f, rows[i].message);
        fixture_done(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_are_groups_with_dependencies),
        cmocka_unit_test(names_may_be_given_by_patterns),
        cmocka_unit_test(without_a_word_names_are_paired),
        cmocka_unit_test(generators_are_recipes),
        cmocka_unit_test(what_is_wrong_is_said_with_its_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
