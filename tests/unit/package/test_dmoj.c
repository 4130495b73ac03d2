/* DMOJ packages. */
#include "fixture.h"

static void dmoj(struct fixture *f, const char *yaml) {
    fixture_init(f);
    fixture_put(f, "init.yml", yaml);
    for (int i = 1; i <= 3; i++) {
        fixture_put(f, arena_printf(f->arena, "%d.in", i), "1\r\n");
        fixture_put(f, arena_printf(f->arena, "%d.out", i), "2\n");
    }
}

static void bundled_tests_say_what_they_expect(void **state) {
    (void)state;
    struct fixture f;
    dmoj(&f, "test_cases:\n- {in: 1.in, out: 1.out, points: 5}\n");
    fixture_put(&f, "tests/good/test.yml", "language: PY2\nsource: a.py\nexpect: AC\n");
    fixture_put(&f, "tests/good/a.py", "print 1\n");
    fixture_put(&f, "tests/bad/test.yml", "language: CPP14\nsource: b.cpp\ncases: [AC, TLE]\n");
    fixture_put(&f, "tests/bad/b.cpp", "int main(){}\n");

    fixture_must_read(&f);

    assert_int_equal(f.problem.submission_count, 2);
    assert_int_equal(f.problem.submissions[0].expected,
                     PACKAGE_EXPECT(VERDICT_TIME_LIMIT_EXCEEDED) | PACKAGE_EXPECT(VERDICT_PARTIAL));
    assert_true(str_eq_c(f.problem.submissions[1].language, "python2"));
    assert_int_equal(f.problem.submissions[1].expected, PACKAGE_EXPECT(VERDICT_ACCEPTED));
    fixture_done(&f);
}

static void data_may_stand_in_an_archive(void **state) {
    (void)state;
    struct fixture f;
    static const struct zip_entry rows[] = {{"d/x.in", "7\n", 0, NULL},
                                            {"d/x.out", "8\n", 0, NULL}};
    dmoj(&f, "archive: data.zip\ntest_cases:\n- {in: d/x.in, out: d/x.out, points: 5}\n");
    own_fd fd = zip_of(rows, 2);
    own_buf zip;
    buf_init(&zip, MIB);
    assert_true(lseek(fd, 0, SEEK_SET) == 0);
    assert_true(file_read_all(fd, MIB, &zip, &f.err));
    fixture_put_bytes(&f, "data.zip", buf_str(&zip));

    fixture_must_read(&f);

    assert_true(str_eq_c(fixture_content(&f, &f.problem.manifest.cases[0].answer), "8\n"));
    fixture_put(&f, "data.zip", "no zip");
    fixture_must_refuse(&f, "bad_package", "data.zip: ");
    fixture_remove(&f, "data.zip");
    fixture_must_refuse(&f, "bad_yaml", "init.yml:1: there is no data.zip in the package");
    fixture_done(&f);
}

static void binary_data_stay_as_they_are(void **state) {
    (void)state;
    struct fixture f;
    dmoj(&f, "binary_data: true\ntest_cases:\n- {in: 1.in, out: 1.out, points: 5}\n");

    fixture_must_read(&f);

    assert_true(str_eq_c(fixture_content(&f, &f.problem.manifest.cases[0].input), "1\r\n"));
    fixture_done(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bundled_tests_say_what_they_expect),
        cmocka_unit_test(data_may_stand_in_an_archive),
        cmocka_unit_test(binary_data_stay_as_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
