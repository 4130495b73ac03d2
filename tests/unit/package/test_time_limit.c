/* The time limit, wherever it stands. */
#include "fixture.h"

static void minimal(struct fixture *f, const char *limits) {
    fixture_init(f);
    fixture_minimal(f);
    fixture_put(f, "problem.yaml", arena_printf(f->arena, "name: x\n%s", limits));
}

static void each_place_is_read(void **state) {
    (void)state;
    const struct {
        const char *file, *content;
        int64_t ms;
    } rows[] = {
        {".timelimit", "2\n", 2000},
        {".timelimit", " 0.25 ", 250},
        {"domjudge-problem.ini", "timelimit = 3\n", 3000},
        {"domjudge-problem.ini", "# x\n[section]\n\ntimelimit='1.5'\r\n", 1500},
        {"domjudge-problem.ini", "timelimit=\"4\"", 4000},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct fixture f;
        minimal(&f, "");
        fixture_put(&f, rows[i].file, rows[i].content);
        fixture_must_read(&f);
        assert_int_equal(f.problem.manifest.limits.time_ms, rows[i].ms);
        fixture_done(&f);
    }
}

static void places_that_agree_are_fine(void **state) {
    (void)state;
    struct fixture f;
    minimal(&f, "limits: {time_limit: 2}\n");
    fixture_put(&f, ".timelimit", "2.000\n");
    fixture_put(&f, "domjudge-problem.ini", "timelimit = 2\n");

    fixture_must_read(&f);

    assert_int_equal(f.problem.manifest.limits.time_ms, 2000);
    fixture_done(&f);
}

static void places_that_disagree_are_an_error(void **state) {
    (void)state;
    struct fixture f;
    minimal(&f, "limits: {time_limit: 2}\n");
    fixture_put(&f, "domjudge-problem.ini", "timelimit = 3\n");

    fixture_must_refuse(&f, "bad_package",
                        "problem.yaml and domjudge-problem.ini give different time limits "
                        "(2000 ms, 3000 ms): keep one");
    fixture_done(&f);
}

static void bad_values_are_named_with_their_place(void **state) {
    (void)state;
    const struct {
        const char *file, *content, *message;
    } rows[] = {
        {".timelimit", "soon\n", ".timelimit: a time limit in seconds"},
        {".timelimit", "0\n", ".timelimit: a time limit in seconds"},
        {".timelimit", "", ".timelimit: a time limit in seconds"},
        {"domjudge-problem.ini", "name = x\ntimelimit = 1h\n",
         "domjudge-problem.ini:2: a time limit in seconds"},
        {"domjudge-problem.ini", "timelimit\n", "domjudge-problem.ini:1: expected key = value"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct fixture f;
        minimal(&f, "");
        fixture_put(&f, rows[i].file, rows[i].content);
        fixture_must_refuse(&f, "bad_package", rows[i].message);
        fixture_done(&f);
    }
}

static void without_any_a_default_is_guessed_and_said(void **state) {
    (void)state;
    struct fixture f;
    minimal(&f, "");

    fixture_must_read(&f);

    assert_int_equal(f.problem.manifest.limits.time_ms, 2000);
    assert_true(notes_have(&f.report.guessed, "no time limit is given: 2000 ms"));
    fixture_done(&f);
}

static void programs_outside_the_package_are_a_warning(void **state) {
    (void)state;
    struct fixture f;
    minimal(&f, "");
    fixture_put(&f, "domjudge-problem.ini", "timelimit = 1\nspecial_compare = mine\ncolor=red\n");

    fixture_must_read(&f);

    assert_true(notes_have(&f.report.warnings, "domjudge-problem.ini:2: `special_compare`"));
    fixture_done(&f);
}

static void the_title_of_the_ini_file_is_better_than_none(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    fixture_minimal(&f);
    fixture_put(&f, "problem.yaml", "");
    fixture_put(&f, "domjudge-problem.ini", "name = Adding up\ntimelimit = 1\n");

    fixture_must_read(&f);

    assert_true(str_eq_c(f.problem.titles[0].text, "Adding up"));
    fixture_done(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_place_is_read),
        cmocka_unit_test(places_that_agree_are_fine),
        cmocka_unit_test(places_that_disagree_are_an_error),
        cmocka_unit_test(bad_values_are_named_with_their_place),
        cmocka_unit_test(without_any_a_default_is_guessed_and_said),
        cmocka_unit_test(programs_outside_the_package_are_a_warning),
        cmocka_unit_test(the_title_of_the_ini_file_is_better_than_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
