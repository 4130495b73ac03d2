/* Checkers and other programs of DMOJ packages. */
#include "fixture.h"

static void dmoj(struct fixture *f, const char *yaml) {
    fixture_init(f);
    fixture_put(
        f, "init.yml",
        arena_printf(f->arena, "%s\ntest_cases:\n- {in: 1.in, out: 1.out, points: 5}\n", yaml));
    fixture_put(f, "1.in", "1\n");
    fixture_put(f, "1.out", "2\n");
    fixture_put(f, "c.cpp", "int main(){}\n");
    fixture_put(f, "h.h", "int f(int);\n");
}

static void checkers_have_their_counterparts(void **state) {
    (void)state;
    static const struct {
        const char *yaml;
        enum checker_kind kind;
        const char *absolute;
    } rows[] = {
        {"points: 1", CHECKER_LINES, ""},
        {"checker: standard", CHECKER_LINES, ""},
        {"checker: identical", CHECKER_EXACT, ""},
        {"checker: sorted", CHECKER_UNORDERED_LINES, ""},
        {"checker: floats", CHECKER_TOKENS, "1e-6"},
        {"checker: {name: floats, args: {precision: 2}}", CHECKER_TOKENS, "1e-2"},
        {"checker: {name: bridged, args: {files: c.cpp}}", CHECKER_PROGRAM, ""},
        {"checker: {name: bridged, args: {files: [c.cpp, h.h], type: testlib}}", CHECKER_PROGRAM,
         ""},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct fixture f;
        dmoj(&f, rows[i].yaml);
        fixture_must_read(&f);
        assert_int_equal(f.problem.manifest.checker.kind, rows[i].kind);
        assert_true(str_eq_c(f.problem.manifest.checker.float_absolute, rows[i].absolute));
        fixture_done(&f);
    }
}

static void interactors_and_graders_are_kept(void **state) {
    (void)state;
    struct fixture f;
    dmoj(&f, "interactive: {files: c.cpp, type: testlib}");
    fixture_must_read(&f);
    assert_true((f.problem.manifest.kinds & PROBLEM_INTERACTIVE) != 0);
    assert_true(str_eq_c(f.problem.manifest.interactor.entry, "c.cpp"));
    fixture_done(&f);

    dmoj(&f, "signature_grader: {entry: c.cpp, header: h.h}");
    fixture_must_read(&f);
    assert_true((f.problem.manifest.kinds & PROBLEM_FUNCTION) != 0);
    assert_int_equal(f.problem.manifest.include_count, 4);
    /* An entry in C is compiled in the submission's language. */
    fixture_put(&f, "c.c", "int main() { return 0; }\n");
    fixture_put(&f, "init.yml",
                "signature_grader: {entry: c.c, header: h.h}\n"
                "test_cases: [{in: 1.in, out: 1.out, points: 1}]\n");
    fixture_must_read(&f);
    const struct manifest_include *includes = f.problem.manifest.includes;
    assert_true(str_eq_c(includes[0].file.name, "c.c"));
    assert_true(str_eq_c(includes[2].language, "cpp"));
    assert_true(str_eq_c(includes[2].file.name, "c.cpp"));
    fixture_done(&f);
}

/* Nothing that would have to run inside of the judge is taken. */
static void what_cannot_be_judged_says_what_to_do(void **state) {
    (void)state;
    static const struct {
        const char *yaml, *code, *message;
    } rows[] = {
        {"checker: c.py", "unsupported_package", "init.yml:1: a checker in Python runs inside"},
        {"checker: linecount", "unsupported_package", "init.yml:1: this checker of DMOJ's"},
        {"custom_judge: c.py", "unsupported_package", "init.yml:1: a custom judge in Python"},
        {"checker: {name: bridged, args: {files: c.cpp, type: peg}}", "unsupported_package",
         "init.yml:1: this way of calling"},
        {"checker: {name: bridged, args: {files: no.cpp}}", "bad_yaml",
         "init.yml:1: there is no no.cpp in the package: add it"},
        {"checker: {name: bridged}", "bad_yaml", "init.yml:1: a bridged checker needs `files`"},
        {"interactive: {type: testlib}", "bad_yaml", "files"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct fixture f;
        dmoj(&f, rows[i].yaml);
        fixture_must_refuse(&f, rows[i].code, rows[i].message);
        fixture_done(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checkers_have_their_counterparts),
        cmocka_unit_test(interactors_and_graders_are_kept),
        cmocka_unit_test(what_cannot_be_judged_says_what_to_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
