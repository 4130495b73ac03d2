/* Bundled submissions and what is expected of them. */
#include "fixture.h"

#define E(verdict) PACKAGE_EXPECT(VERDICT_##verdict)
#define WA (E(WRONG_ANSWER) | E(PRESENTATION_ERROR))
#define RE (E(RUNTIME_ERROR) | E(MEMORY_LIMIT_EXCEEDED) | E(OUTPUT_LIMIT_EXCEEDED))

static const struct package_submission *submission_at(const struct fixture *f, const char *path) {
    for (int32_t i = 0; i < f->problem.submission_count; i++) {
        if (str_eq_c(f->problem.submissions[i].path, path)) {
            return &f->problem.submissions[i];
        }
    }
    fail_msg("there is no submission %s", path);
    return &f->problem.submissions[0];
}

static void folders_promise_verdicts(void **state) {
    (void)state;
    const struct {
        const char *folder;
        uint32_t expected;
    } rows[] = {
        {"accepted", E(ACCEPTED)},
        {"slow_accepted", E(ACCEPTED) | E(TIME_LIMIT_EXCEEDED)},
        {"partially_accepted", E(PARTIAL)},
        {"wrong_answer", WA},
        {"time_limit_exceeded", E(TIME_LIMIT_EXCEEDED)},
        {"run_time_error", RE},
        {"rejected", WA | E(TIME_LIMIT_EXCEEDED) | RE},
        {"brute_force", E(TIME_LIMIT_EXCEEDED) | RE},
        {"compile_error", E(COMPILE_ERROR)},
        {"compiler_error", E(COMPILE_ERROR)},
        {"memory_limit_exceeded", E(MEMORY_LIMIT_EXCEEDED)},
        {"output_limit_exceeded", E(OUTPUT_LIMIT_EXCEEDED)},
        {"somewhere_else", 0},
    };
    struct fixture f;
    fixture_init(&f);
    fixture_minimal(&f);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        fixture_put(&f, arena_printf(f.arena, "submissions/%s/x.py", rows[i].folder), "1\n");
    }

    fixture_must_read(&f);

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const char *path = arena_printf(f.arena, "submissions/%s/x.py", rows[i].folder);
        assert_int_equal(submission_at(&f, path)->expected, rows[i].expected);
    }
    assert_true(notes_have(&f.report.warnings,
                           "submissions/somewhere_else/x.py:0: nothing says which verdict"));
    fixture_done(&f);
}

static void perl_and_prolog_are_told_apart_by_what_they_say(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    fixture_minimal(&f);
    fixture_put(&f, "submissions/accepted/a.pl", "main :- write(3), nl.\n");
    fixture_put(&f, "submissions/accepted/b.pl", "my $x = 3; # a :- b\nprint $x;\n");
    fixture_put(&f, "submissions/accepted/c.pl", "print 3;\n");

    fixture_must_read(&f);

    assert_true(str_eq_c(submission_at(&f, "submissions/accepted/a.pl")->language, "prolog"));
    assert_int_equal(submission_at(&f, "submissions/accepted/b.pl")->language.len, 0);
    assert_int_equal(submission_at(&f, "submissions/accepted/c.pl")->language.len, 0);
    fixture_done(&f);
}

static void a_folder_of_files_is_one_submission(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    fixture_minimal(&f);
    fixture_put(&f, "submissions/accepted/many/main.cpp", "a");
    fixture_put(&f, "submissions/accepted/many/lib/util.h", "b");
    fixture_put(&f, "submissions/accepted/many-more.cpp", "c");
    fixture_put(&f, "submissions/accepted/README.md", "d");

    fixture_must_read(&f);

    const struct package_submission *many = submission_at(&f, "submissions/accepted/many");
    assert_int_equal(f.problem.submission_count, 3);
    assert_int_equal(many->file_count, 2);
    assert_true(str_eq_c(many->names[0], "lib/util.h"));
    assert_true(str_eq_c(many->names[1], "main.cpp"));
    assert_true(str_eq_c(many->files[1]->name, "submissions/accepted/many/main.cpp"));
    assert_true(notes_have(&f.report.dropped, "submissions/accepted/README.md:0: it is no source"));
    fixture_done(&f);
}

static void a_mark_in_the_source_says_more_than_the_folder(void **state) {
    (void)state;
    const struct {
        const char *source;
        uint32_t expected;
    } rows[] = {
        {"/* @EXPECTED_RESULTS@: WRONG-ANSWER */", WA},
        {"// x\n// @EXPECTED_RESULTS@: TIMELIMIT, CORRECT", E(TIME_LIMIT_EXCEEDED) | E(ACCEPTED)},
        {"# mail@example.org @EXPECTED_RESULTS@:RUN-ERROR", RE},
        {"# @EXPECTED_RESULTS@: NO-SUCH-THING", E(ACCEPTED)},
        {"# EXPECTED_RESULTS: WRONG-ANSWER", E(ACCEPTED)},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct fixture f;
        fixture_init(&f);
        fixture_minimal(&f);
        fixture_put(&f, "submissions/accepted/x.py", rows[i].source);
        fixture_must_read(&f);
        assert_int_equal(submission_at(&f, "submissions/accepted/x.py")->expected,
                         rows[i].expected);
        fixture_done(&f);
    }
}

static void submissions_yaml_decides_last(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    fixture_minimal(&f);
    fixture_put(&f, "submissions/submissions.yaml",
                "accepted/*.py: {language: pypy3}\n"
                "mixed/slow*: {permitted: [AC, TLE], required: [TLE]}\n"
                "mixed/any.c: {permitted: [AC, WA]}\n"
                "mixed/folder: {required: [RTE]}\n");
    fixture_put(&f, "submissions/accepted/a.py", "1");
    fixture_put(&f, "submissions/mixed/slow.c", "1");
    fixture_put(&f, "submissions/mixed/any.c", "1");
    fixture_put(&f, "submissions/mixed/folder/a.c", "1");

    fixture_must_read(&f);

    const struct package_submission *python = submission_at(&f, "submissions/accepted/a.py");
    assert_true(str_eq_c(python->language, "pypy3"));
    assert_int_equal(python->expected, E(ACCEPTED));
    assert_int_equal(submission_at(&f, "submissions/mixed/slow.c")->expected,
                     E(TIME_LIMIT_EXCEEDED));
    assert_int_equal(submission_at(&f, "submissions/mixed/any.c")->expected, E(ACCEPTED) | WA);
    assert_int_equal(submission_at(&f, "submissions/mixed/folder")->expected, RE);
    fixture_done(&f);
}

static void mistakes_in_submissions_yaml_have_their_line(void **state) {
    (void)state;
    const struct {
        const char *yaml, *message;
    } rows[] = {
        {"accepted/*: x\n", "submissions/submissions.yaml:1: expected a map"},
        {"accepted/*:\n  required: [MAYBE]\n",
         "submissions/submissions.yaml:2: expected AC, WA, TLE or RTE"},
        {"accepted/*: {required: AC}\n", "submissions/submissions.yaml:1"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct fixture f;
        fixture_init(&f);
        fixture_minimal(&f);
        fixture_put(&f, "submissions/submissions.yaml", rows[i].yaml);
        fixture_must_refuse(&f, "bad_yaml", rows[i].message);
        fixture_done(&f);
    }
}

static void the_first_line_tells_the_pythons_apart(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    fixture_minimal(&f);
    fixture_put(&f, "submissions/accepted/old.py", "#!/usr/bin/env python2\nprint 1\n");
    fixture_put(&f, "submissions/accepted/new.py", "#!/usr/bin/env python3\nprint(1)\n");

    fixture_must_read(&f);

    assert_true(str_eq_c(submission_at(&f, "submissions/accepted/old.py")->language, "python2"));
    assert_true(str_eq_c(submission_at(&f, "submissions/accepted/new.py")->language, ""));
    fixture_done(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folders_promise_verdicts),
        cmocka_unit_test(perl_and_prolog_are_told_apart_by_what_they_say),
        cmocka_unit_test(a_folder_of_files_is_one_submission),
        cmocka_unit_test(a_mark_in_the_source_says_more_than_the_folder),
        cmocka_unit_test(submissions_yaml_decides_last),
        cmocka_unit_test(mistakes_in_submissions_yaml_have_their_line),
        cmocka_unit_test(the_first_line_tells_the_pythons_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
