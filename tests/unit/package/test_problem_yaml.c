/* problem.yaml, in all its versions. */
#include "fixture.h"

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

static void with_yaml(struct fixture *f, const char *yaml) {
    fixture_init(f);
    fixture_minimal(f);
    fixture_put(f, "problem.yaml", yaml);
}

static void each_mistake_gets_file_line_and_reason(void **state) {
    (void)state;
    const struct {
        const char *yaml, *code, *message;
    } rows[] = {
        {"name: [\n", "bad_yaml", "problem.yaml:"},
        {"name: a\nname: b\n", "bad_yaml", "problem.yaml:2"},
        {"- a\n", "bad_yaml", "problem.yaml:1"},
        {"name: x\nproblem_format_version: 1999\n", "bad_package",
         "problem.yaml:2: this problem_format_version is not known"},
        {"name: x\nvalidation: magic\n", "bad_package",
         "problem.yaml:2: `validation` is default or custom"},
        {"name: x\nvalidation: custom\n", "bad_package",
         "problem.yaml: `validation` is custom, but output_validators/ is missing"},
        {"name: x\ntype: pass-fail fun\n", "bad_package", "problem.yaml:2: `type` is pass-fail"},
        {"name: x\ntype: ''\n", "bad_package", "problem.yaml:2: `type` is pass-fail"},
        {"name: x\ntype: submit-answer interactive\n", "bad_package", "is neither"},
        {"name: x\ntype: fun\n", "bad_package", "problem.yaml:2: `type` is pass-fail"},
        {"name: x\ntype: [scoring, pass-fail]\n", "bad_package", "either pass-fail or scoring"},
        {"name: x\ntype: interactive\n", "bad_package", "submissions talk with"},
        {"name: x\ntype: [pass-fail, multi-pass]\n", "bad_package", "submissions read next"},
        {"name: x\ntype: [submit-answer, interactive]\n", "bad_package",
         "problem.yaml:2: a submit-answer problem is neither"},
        {"name: x\ntype: [multi-pass, submit-answer]\n", "bad_package",
         "problem.yaml:2: a submit-answer problem is neither"},
        {"name: x\nvalidation: custom interactive\n", "bad_package",
         "output_validators/ is missing"},
        {"name: x\nvalidation: custom score\n", "bad_package", "needs `type: scoring`"},
        {"name: x\nlimits: {validation_passes: 0}\n", "bad_package",
         "problem.yaml:2: `validation_passes` is outside"},
        {"name: x\nlimits: {validation_passes: 101}\n", "bad_package", "1 to 100"},
        {"name: x\nvalidator_flags: case_sensitve\n", "bad_package",
         "problem.yaml:2: the default validator has no argument `case_sensitve`"},
        {"name: x\nvalidator_flags: 'a \"b c\"'\n", "bad_yaml", "problem.yaml:2"},
        {"name: [a, b]\n", "bad_yaml", "problem.yaml:1"},
        {"name: {}\n", "bad_package", "problem.yaml:1: `name` has no title"},
        {"name: ' '\n", "bad_package", "problem.yaml:1: `name` is a title"},
        {"name: x\nlanguages: []\n", "bad_package", "problem.yaml:2: `languages` is empty"},
        {"name: x\nlanguages: [a b]\n", "bad_package", "problem.yaml:2: this is no language"},
        {"name: x\nlimits: 5\n", "bad_yaml", "problem.yaml:2"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct fixture f;
        with_yaml(&f, rows[i].yaml);
        fixture_must_refuse(&f, rows[i].code, rows[i].message);
        fixture_done(&f);
    }
}

static void the_version_says_which_format_it_is(void **state) {
    (void)state;
    const struct {
        const char *yaml, *format;
    } rows[] = {
        {"name: x\n", "icpc-legacy"},
        {"name: x\nproblem_format_version: legacy\n", "icpc-legacy"},
        {"name: x\nproblem_format_version: legacy-icpc\n", "icpc-legacy"},
        {"name: x\nproblem_format_version: 2023-07-draft\n", "icpc-2023-07"},
        {"name: x\nproblem_format_version: 2025-09\n", "icpc-2025-09"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct fixture f;
        with_yaml(&f, rows[i].yaml);
        fixture_must_read(&f);
        assert_string_equal(f.report.format, rows[i].format);
        fixture_done(&f);
    }
}

static void titles_may_be_in_several_languages(void **state) {
    (void)state;
    struct fixture f;
    with_yaml(&f, "name:\n  en: Sum\n  zh: \xe5\x92\x8c\n");

    fixture_must_read(&f);

    assert_int_equal(f.problem.title_count, 2);
    assert_true(str_eq_c(f.problem.titles[1].language, "zh"));
    assert_true(str_eq_c(f.problem.titles[1].text, "\xe5\x92\x8c"));
    fixture_done(&f);
}

static void an_empty_file_is_a_legacy_package_without_a_title(void **state) {
    (void)state;
    struct fixture f;
    with_yaml(&f, "");

    fixture_must_read(&f);

    assert_string_equal(f.report.format, "icpc-legacy");
    assert_true(str_eq_c(f.problem.titles[0].text, "sum"));
    fixture_done(&f);
}

static void unknown_keys_are_a_warning_with_the_nearest_known_one(void **state) {
    (void)state;
    struct fixture f;
    with_yaml(&f, "name: x\nkeywrds: a b\nlimits:\n  memry: 5\n");

    fixture_must_read(&f);

    assert_true(notes_have(&f.report.warnings, "problem.yaml:2: unknown key `keywrds`"));
    assert_true(notes_have(&f.report.warnings, "keywords"));
    assert_true(notes_have(&f.report.warnings, "problem.yaml:4: unknown key `memry`"));
    fixture_done(&f);
}

static void known_keys_that_are_not_kept_are_said(void **state) {
    (void)state;
    struct fixture f;
    with_yaml(&f, "name: x\nlicense: cc0\nsource:\n");

    fixture_must_read(&f);

    assert_true(notes_have(&f.report.dropped, "problem.yaml:2: `license` is not kept"));
    assert_int_equal(f.report.dropped.count, 1);
    fixture_done(&f);
}

static void languages_become_ascending_words(void **state) {
    (void)state;
    struct fixture f;
    with_yaml(&f, "name: x\nlanguages: [python3, c, cpp, c]\n");
    fixture_must_read(&f);
    assert_true(str_eq_c(f.problem.manifest.languages, "c cpp python3"));

    fixture_put(&f, "problem.yaml", "name: x\nlanguages: all\n");
    fixture_must_read(&f);
    assert_true(str_eq_c(f.problem.manifest.languages, ""));
    fixture_done(&f);
}

static void a_list_of_types_that_is_only_pass_fail_is_read(void **state) {
    (void)state;
    struct fixture f;
    with_yaml(&f, "name: x\nproblem_format_version: 2025-09\ntype: [pass-fail]\n");

    fixture_must_read(&f);

    assert_int_equal(f.problem.manifest.kinds, PROBLEM_PASS_FAIL);
    fixture_done(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_mistake_gets_file_line_and_reason),
        cmocka_unit_test(the_version_says_which_format_it_is),
        cmocka_unit_test(titles_may_be_in_several_languages),
        cmocka_unit_test(an_empty_file_is_a_legacy_package_without_a_title),
        cmocka_unit_test(unknown_keys_are_a_warning_with_the_nearest_known_one),
        cmocka_unit_test(known_keys_that_are_not_kept_are_said),
        cmocka_unit_test(languages_become_ascending_words),
        cmocka_unit_test(a_list_of_types_that_is_only_pass_fail_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
