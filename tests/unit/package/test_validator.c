/* Which checker a package wants. */
#include "fixture.h"

static void with_validator(struct fixture *f, const char *yaml, const char *file) {
    fixture_init(f);
    fixture_minimal(f);
    fixture_put(f, "problem.yaml",
                arena_printf(f->arena, "name: x\nlimits: {time_limit: 1}\n%s", yaml));
    fixture_put(f, file, "int main() { return 42; }\n");
}

static void custom_validators_are_read_in_each_layout(void **state) {
    (void)state;
    const struct {
        const char *yaml, *file, *name;
    } rows[] = {
        {"validation: custom\n", "output_validators/check.cpp", "check.cpp"},
        {"validation: custom\n", "output_validators/mine/check.cc", "check.cc"},
        {"validation: custom\n", "output_validator/check.c", "check.c"},
        {"problem_format_version: 2025-09\n", "output_validator/check.cpp", "check.cpp"},
        {"problem_format_version: 2023-07\n", "output_validators/check.cpp", "check.cpp"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct fixture f;
        with_validator(&f, rows[i].yaml, rows[i].file);
        fixture_must_read(&f);
        const struct manifest_checker *checker = &f.problem.manifest.checker;
        assert_int_equal(checker->kind, CHECKER_PROGRAM);
        assert_int_equal(checker->program.adapter, ADAPTER_ICPC);
        assert_int_equal(checker->program.file_count, 1);
        assert_true(str_eq_c(checker->program.files[0].name, rows[i].name));
        assert_int_equal(f.report.warnings.count, 0);
        fixture_done(&f);
    }
}

static void the_validator_of_an_interactive_problem_is_its_interactor(void **state) {
    (void)state;
    const struct {
        const char *yaml, *file;
        uint32_t kinds;
    } rows[] = {
        {"validation: custom interactive\n", "output_validators/talk.cpp", PROBLEM_INTERACTIVE},
        {"problem_format_version: 2025-09\ntype: interactive\n", "output_validator/talk.cpp",
         PROBLEM_INTERACTIVE},
        {"problem_format_version: 2025-09\ntype: pass-fail interactive\n",
         "output_validator/talk.cpp", PROBLEM_INTERACTIVE},
        {"problem_format_version: 2025-09\ntype: [pass-fail, multi-pass, interactive]\n",
         "output_validator/talk.cpp", PROBLEM_INTERACTIVE | PROBLEM_MULTI_PASS},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct fixture f;
        with_validator(&f, rows[i].yaml, rows[i].file);
        fixture_must_read(&f);
        const struct manifest *manifest = &f.problem.manifest;
        assert_int_equal(manifest->kinds, PROBLEM_PASS_FAIL | rows[i].kinds);
        assert_int_equal(manifest->checker.kind, CHECKER_NONE);
        assert_int_equal(manifest->interactor.adapter, ADAPTER_ICPC);
        assert_true(str_eq_c(manifest->interactor.files[0].name, "talk.cpp"));
        fixture_done(&f);
    }
}

static void an_interactor_gets_the_flags(void **state) {
    (void)state;
    struct fixture f;
    with_validator(&f, "validation: custom interactive\nvalidator_flags: slow x=1\n",
                   "output_validators/talk.cpp");

    fixture_must_read(&f);

    assert_true(str_eq_c(f.problem.manifest.interactor.args, "slow x=1"));
    fixture_done(&f);
}

static void a_multi_pass_problem_keeps_its_checker(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    fixture_minimal(&f);
    fixture_put(&f, "problem.yaml",
                "problem_format_version: 2025-09\ntype: multi-pass\nname: x\n"
                "limits: {time_limit: 1, validation_passes: 7}\n");
    fixture_put(&f, "output_validator/check.cpp", "int main() { return 42; }\n");

    fixture_must_read(&f);

    assert_int_equal(f.problem.manifest.kinds, PROBLEM_PASS_FAIL | PROBLEM_MULTI_PASS);
    assert_int_equal(f.problem.manifest.checker.kind, CHECKER_PROGRAM);
    assert_int_equal(f.problem.manifest.limits.validation_passes, 7);
    fixture_done(&f);
}

static void answers_are_taken_in_no_other_language(void **state) {
    (void)state;
    struct fixture f;
    with_validator(&f, "type: submit-answer\nlanguages: [cpp]\nvalidation: custom\n",
                   "output_validators/check.cpp");
    fixture_put(&f, "submissions/accepted/all/1.out", "1\n");
    fixture_put(&f, "submissions/wrong_answer/other.txt", "1\n");

    fixture_must_read(&f);

    assert_true(str_eq_c(f.problem.manifest.languages, "text"));
    assert_int_equal(f.problem.submission_count, 3);
    fixture_done(&f);
}

static void flags_go_to_the_program(void **state) {
    (void)state;
    struct fixture f;
    with_validator(&f, "validation: custom\nvalidator_flags: any words=1\n",
                   "output_validators/check.cpp");

    fixture_must_read(&f);

    assert_true(str_eq_c(f.problem.manifest.checker.program.args, "any words=1"));
    assert_true(str_eq_c(f.problem.manifest.cases[1].checker_args, ""));
    fixture_done(&f);
}

static void a_validator_that_is_not_asked_for_is_a_warning(void **state) {
    (void)state;
    struct fixture f;
    with_validator(&f, "", "output_validators/check.cpp");

    fixture_must_read(&f);

    assert_int_equal(f.problem.manifest.checker.kind, CHECKER_TOKENS);
    assert_true(notes_have(&f.report.warnings, "output_validators:0: not used"));
    fixture_done(&f);
}

static void several_validators_are_refused(void **state) {
    (void)state;
    struct fixture f;
    with_validator(&f, "validation: custom\n", "output_validators/a.cpp");
    fixture_put(&f, "output_validators/b.py", "pass\n");

    fixture_must_refuse(&f, "bad_package", "output_validators: it holds several programs");
    fixture_done(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(custom_validators_are_read_in_each_layout),
        cmocka_unit_test(the_validator_of_an_interactive_problem_is_its_interactor),
        cmocka_unit_test(an_interactor_gets_the_flags),
        cmocka_unit_test(a_multi_pass_problem_keeps_its_checker),
        cmocka_unit_test(answers_are_taken_in_no_other_language),
        cmocka_unit_test(flags_go_to_the_program),
        cmocka_unit_test(a_validator_that_is_not_asked_for_is_a_warning),
        cmocka_unit_test(several_validators_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
