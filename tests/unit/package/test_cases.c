/* Test data: their order, their arguments, what is shown of them. */
#include "fixture.h"

static const struct manifest_case *case_called(const struct fixture *f, const char *name) {
    for (int32_t i = 0; i < f->problem.manifest.case_count; i++) {
        if (str_eq_c(f->problem.manifest.cases[i].name, name)) {
            return &f->problem.manifest.cases[i];
        }
    }
    fail_msg("there is no case %s", name);
    return &f->problem.manifest.cases[0];
}

static void put_case(struct fixture *f, const char *stem) {
    fixture_put(f, arena_printf(f->arena, "data/%s.in", stem), stem);
    fixture_put(f, arena_printf(f->arena, "data/%s.ans", stem), "answer");
}

static void samples_come_first_and_each_folder_in_byte_order(void **state) {
    (void)state;
    static const char *const names[] = {"sample/1",   "sample/2",   "secret/1",   "secret/10",
                                        "secret/2",   "secret/a/1", "secret/a/b", "secret/a-1",
                                        "secret/b.1", "secret/z"};
    struct fixture f;
    fixture_init(&f);
    fixture_minimal(&f);
    for (size_t i = sizeof(names) / sizeof(names[0]); i > 0; i--) {
        put_case(&f, names[i - 1]);
    }

    fixture_must_read(&f);

    assert_int_equal(f.problem.manifest.case_count, sizeof(names) / sizeof(names[0]));
    for (int32_t i = 0; i < f.problem.manifest.case_count; i++) {
        assert_true(str_eq_c(f.problem.manifest.cases[i].name, names[i]));
        assert_int_equal(f.problem.manifest.cases[i].sample, i < 2);
    }
    fixture_done(&f);
}

static void samples_are_shown_as_the_package_wants(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    fixture_minimal(&f);
    put_case(&f, "sample/2");
    fixture_put(&f, "data/sample/2.in.statement", "shown input");
    fixture_put(&f, "data/sample/2.ans.statement", "shown answer");
    put_case(&f, "sample/3");
    fixture_put(&f, "data/sample/3.out", "shown output");

    fixture_must_read(&f);

    assert_int_equal(f.problem.sample_count, 3);
    assert_true(str_eq_c(f.problem.samples[0].name, "sample/1"));
    assert_true(str_eq_c(f.problem.samples[0].input, "1 2\n"));
    assert_true(str_eq_c(f.problem.samples[0].answer, "3\n"));
    assert_true(str_eq_c(f.problem.samples[1].input, "shown input"));
    assert_true(str_eq_c(f.problem.samples[1].answer, "shown answer"));
    assert_true(str_eq_c(f.problem.samples[2].answer, "shown output"));
    const struct manifest_case *judged = case_called(&f, "sample/2");
    assert_true(str_eq_c(fixture_content(&f, &judged->input), "sample/2"));
    assert_int_equal(f.report.warnings.count, 0);
    fixture_done(&f);
}

static void a_huge_sample_is_judged_but_not_shown(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    fixture_minimal(&f);
    assert_int_equal(truncate(fixture_path(&f, "data/sample/1.in"), PACKAGE_SAMPLE_BYTES_MAX + 1),
                     0);

    fixture_must_read(&f);

    assert_int_equal(f.problem.samples[0].input.len, 0);
    assert_int_equal(f.problem.manifest.cases[0].input.bytes, PACKAGE_SAMPLE_BYTES_MAX + 1);
    assert_true(notes_have(&f.report.warnings, "data/sample/1.in:0: too large to be shown"));
    fixture_done(&f);
}

static void arguments_of_groups_are_inherited_and_replaced(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    fixture_minimal(&f);
    fixture_put(&f, "problem.yaml", "name: x\nvalidation: custom\nvalidator_flags: all\n");
    fixture_put(&f, "output_validators/v.py", "pass\n");
    fixture_put(&f, "data/testdata.yaml", "output_validator_flags: root\n");
    fixture_put(&f, "data/secret/a/testdata.yaml", "output_validator_flags: a one\n");
    put_case(&f, "secret/a/1");
    put_case(&f, "secret/a/deep/1");
    put_case(&f, "secret/z");

    fixture_must_read(&f);

    assert_true(str_eq_c(f.problem.manifest.checker.program.args, "all root"));
    assert_true(str_eq_c(case_called(&f, "sample/1")->checker_args, ""));
    assert_true(str_eq_c(case_called(&f, "secret/z")->checker_args, ""));
    assert_true(str_eq_c(case_called(&f, "secret/a/1")->checker_args, "all a one"));
    assert_true(str_eq_c(case_called(&f, "secret/a/deep/1")->checker_args, "all a one"));
    fixture_done(&f);
}

static void a_case_without_arguments_among_others_stays_without(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    fixture_minimal(&f);
    fixture_put(&f, "data/secret/testdata.yaml", "output_validator_flags: case_sensitive\n");

    fixture_must_read(&f);

    assert_false(f.problem.manifest.checker.case_sensitive);
    assert_true(str_eq_c(case_called(&f, "sample/1")->checker_args, ""));
    assert_true(str_eq_c(case_called(&f, "secret/1")->checker_args, "case_sensitive"));
    fixture_done(&f);
}

static void shared_arguments_become_the_default_checkers_options(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    fixture_minimal(&f);
    fixture_put(&f, "data/testdata.yaml", "output_validator_flags: float_tolerance 1e-3\n");

    fixture_must_read(&f);

    assert_true(str_eq_c(f.problem.manifest.checker.float_absolute, "1e-3"));
    assert_true(str_eq_c(case_called(&f, "secret/1")->checker_args, ""));
    fixture_done(&f);
}

static void a_case_has_arguments_and_files_of_its_own(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    fixture_minimal(&f);
    fixture_put(&f, "problem.yaml", "name: x\nproblem_format_version: 2025-09\n");
    fixture_put(&f, "output_validator/v.py", "pass\n");
    fixture_put(&f, "data/secret/1.yaml",
                "args: [--size, 5]\noutput_validator_args: [strict]\nhint: none\n");
    fixture_put(&f, "data/secret/1.files/map.txt", "a map");
    fixture_put(&f, "data/secret/1.files/sub/other.in", "no case");

    fixture_must_read(&f);

    const struct manifest_case *row = case_called(&f, "secret/1");
    assert_int_equal(f.problem.manifest.case_count, 2);
    assert_true(str_eq_c(row->args, "--size 5"));
    assert_true(str_eq_c(row->checker_args, "strict"));
    assert_int_equal(row->file_count, 2);
    assert_true(str_eq_c(row->files[0].name, "map.txt"));
    assert_true(str_eq_c(row->files[1].name, "sub/other.in"));
    assert_true(str_eq_c(fixture_content(&f, &row->files[0].blob), "a map"));
    fixture_done(&f);
}

static void bad_arguments_are_named_with_file_and_line(void **state) {
    (void)state;
    const struct {
        const char *file, *yaml, *code, *message;
    } rows[] = {
        {"data/testdata.yaml", "\noutput_validator_flags: 'a \"b'\n", "bad_yaml",
         "data/testdata.yaml:2: arguments with white space or quotes"},
        {"data/secret/1.yaml", "args: [a b]\n", "bad_yaml", "data/secret/1.yaml:1"},
        {"data/secret/test_group.yaml", "output_validator_args: {a: b}\n", "bad_yaml",
         "data/secret/test_group.yaml:1"},
        {"data/secret/testdata.yaml", "output_validator_flags: typo\n", "bad_package",
         "arguments of case secret/1: the default validator has no argument `typo`"},
        {"data/secret/testdata.yaml", "{", "bad_yaml", "data/secret/testdata.yaml:"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct fixture f;
        fixture_init(&f);
        fixture_minimal(&f);
        fixture_put(&f, rows[i].file, rows[i].yaml);
        fixture_must_refuse(&f, rows[i].code, rows[i].message);
        fixture_done(&f);
    }
}

static void files_without_a_meaning_are_said(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    fixture_minimal(&f);
    fixture_put(&f, "data/secret/2.ans", "x");
    fixture_put(&f, "data/secret/2.dat", "x");
    fixture_put(&f, "data/secret/1.hint", "x");
    fixture_put(&f, "data/secret/testdata.yaml", "on_reject: break\nunknwn: 1\n");

    fixture_must_read(&f);

    assert_true(notes_have(&f.report.warnings, "data/secret/2.ans:0: there is no input"));
    assert_true(notes_have(&f.report.dropped, "data/secret/2.dat:0: test data have the names"));
    assert_true(notes_have(&f.report.warnings, "data/secret/testdata.yaml:2: unknown key"));
    assert_int_equal(f.report.dropped.count, 1);
    fixture_done(&f);
}

static void an_empty_answer_is_an_answer(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    fixture_minimal(&f);
    fixture_put(&f, "data/secret/1.ans", "");

    fixture_must_read(&f);

    assert_int_equal(case_called(&f, "secret/1")->answer.bytes, 0);
    fixture_done(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_come_first_and_each_folder_in_byte_order),
        cmocka_unit_test(samples_are_shown_as_the_package_wants),
        cmocka_unit_test(a_huge_sample_is_judged_but_not_shown),
        cmocka_unit_test(arguments_of_groups_are_inherited_and_replaced),
        cmocka_unit_test(a_case_without_arguments_among_others_stays_without),
        cmocka_unit_test(shared_arguments_become_the_default_checkers_options),
        cmocka_unit_test(a_case_has_arguments_and_files_of_its_own),
        cmocka_unit_test(bad_arguments_are_named_with_file_and_line),
        cmocka_unit_test(files_without_a_meaning_are_said),
        cmocka_unit_test(an_empty_answer_is_an_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
