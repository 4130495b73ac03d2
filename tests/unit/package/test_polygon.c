/* Polygon packages: programs, statements, solutions. */
#include "polygon_fixture.h"

#define WHOLE POLYGON("input-file='' output-file=''", POLYGON_LIMITS POLYGON_TESTS, POLYGON_ASSETS)

static void a_whole_problem_is_read(void **state) {
    (void)state;
    struct fixture f;
    polygon(&f, WHOLE);

    fixture_must_read(&f);

    const struct manifest *manifest = &f.problem.manifest;
    assert_string_equal(f.report.format, "polygon");
    assert_true(str_eq_c(f.problem.code, "sum"));
    assert_int_equal(manifest->limits.time_ms, 2000);
    assert_int_equal(manifest->case_count, 2);
    assert_true(manifest->cases[0].sample);
    assert_true(str_eq_c(fixture_content(&f, &manifest->cases[0].answer), "3\n"));
    assert_int_equal(manifest->checker.program.adapter, ADAPTER_TESTLIB);
    assert_int_equal(manifest->checker.program.file_count, 2); /* with testlib.h */
    assert_int_equal(f.problem.validator_count, 1);
    assert_int_equal(f.problem.sample_count, 1);
    assert_true(str_eq_c(f.problem.statements[0].text, "Add **both**.\n\n## Input\n\nTwo $a_1$."));
    assert_int_equal(f.problem.submission_count, 2);
    assert_int_equal(f.problem.model, 0);
    assert_int_equal(f.problem.submissions[0].expected, PACKAGE_EXPECT(VERDICT_ACCEPTED));
    assert_true((f.problem.submissions[1].expected & PACKAGE_EXPECT(VERDICT_WRONG_ANSWER)) != 0);
    fixture_done(&f);
}

static void statements_are_taken_from_the_best_source(void **state) {
    (void)state;
    struct fixture f;
    polygon(&f, WHOLE);
    fixture_remove(&f, "statements/english/problem-properties.json");
    fixture_put(&f, "statement-sections/english/legend.tex", "From \\emph{sections}.");
    fixture_must_read(&f);
    assert_true(str_eq_c(f.problem.statements[0].text, "From *sections*."));

    fixture_remove(&f, "statement-sections");
    fixture_put(&f, "statements/english/problem.tex", "Whole \\t{tex}.");
    fixture_must_read(&f);
    assert_true(str_eq_c(f.problem.statements[0].text, "Whole `tex`."));

    fixture_remove(&f, "statements");
    fixture_must_read(&f);
    assert_true(notes_have(&f.report.warnings, "there is no statement"));
    fixture_done(&f);
}

static void files_and_interactors_are_kept(void **state) {
    (void)state;
    struct fixture f;
    polygon(&f, POLYGON("input-file='a.in' output-file='a.out'", POLYGON_LIMITS POLYGON_TESTS,
                        "<assets><interactor>" POLYGON_PROGRAM(
                            "files/gen.cpp", "cpp.g++17") "</interactor></assets>"));

    fixture_must_read(&f);

    assert_true(str_eq_c(f.problem.manifest.input_file, "a.in"));
    assert_true(str_eq_c(f.problem.manifest.output_file, "a.out"));
    assert_true((f.problem.manifest.kinds & PROBLEM_INTERACTIVE) != 0);
    fixture_done(&f);
}

static void what_is_wrong_is_said_with_its_line(void **state) {
    (void)state;
    static const struct {
        const char *xml, *message;
    } rows[] = {
        {"<problem", "problem.xml:1: "},
        {"<?xml version='1.0'?>\n<!DOCTYPE p [<!ENTITY a 'b'>]>\n<problem>&a;</problem>",
         "problem.xml:2: its DOCTYPE declares entities"},
        {"<problem/>", "problem.xml:1: there is no <judging>"},
        {"<problem><judging/></problem>", "problem.xml:1: there is no <testset>"},
        {POLYGON("run-count='2'", POLYGON_LIMITS POLYGON_TESTS, ""), "problem.xml:3: "},
        {POLYGON("input-file='../x'", POLYGON_LIMITS POLYGON_TESTS, ""), "problem.xml:3: "},
        {POLYGON("", POLYGON_TESTS, ""), "problem.xml:3: <time-limit> is missing"},
        {POLYGON("", POLYGON_LIMITS, ""), "there is no test data"},
        {POLYGON("", POLYGON_LIMITS POLYGON_TESTS,
                 "<assets><checker><source path='no.cpp'/></checker></assets>"),
         "problem.xml:5: its program no.cpp is missing: add it"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct fixture f;
        polygon(&f, rows[i].xml);
        assert_false(fixture_read(&f));
        if (strstr(f.err.text, rows[i].message) == NULL) {
            print_error("%s\nexpected: %s\n", f.err.text, rows[i].message);
        }
        assert_non_null(strstr(f.err.text, rows[i].message));
        fixture_done(&f);
    }
}

static void each_part_may_be_missing_or_empty(void **state) {
    (void)state;
    static const struct {
        const char *file;
        bool reads_without, reads_empty;
    } rows[] = {
        {"problem.xml", false, false},
        {"statements/english/problem-properties.json", true, false},
        {"tests/01", false, true},
        {"tests/02.a", false, true},
        {"files/check.cpp", false, true},
        {"files/val.cpp", false, true},
        {"files/testlib.h", true, true},
        {"solutions/wa.cpp", true, true},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct fixture f;
        polygon(&f, WHOLE);
        fixture_put(&f, rows[i].file, "");
        assert_int_equal(fixture_read(&f), rows[i].reads_empty);
        assert_true(rows[i].reads_empty || f.err.text[0] != '\0');
        fixture_remove(&f, rows[i].file);
        assert_int_equal(fixture_read(&f), rows[i].reads_without);
        assert_true(rows[i].reads_without || f.err.text[0] != '\0');
        fixture_done(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_problem_is_read),
        cmocka_unit_test(statements_are_taken_from_the_best_source),
        cmocka_unit_test(files_and_interactors_are_kept),
        cmocka_unit_test(what_is_wrong_is_said_with_its_line),
        cmocka_unit_test(each_part_may_be_missing_or_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
