/* Files that stand beside each submission. */
#include "fixture.h"

static void included_files_are_listed_by_language_and_name(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    fixture_minimal(&f);
    fixture_put(&f, "include/python/lib.py", "x = 1\n");
    fixture_put(&f, "include/cpp/grader.cpp", "int x;\n");
    fixture_put(&f, "include/cpp/grader.h", "int x;\n");
    fixture_put(&f, "include/default/data.txt", "\r\n");

    fixture_must_read(&f);

    const struct manifest *manifest = &f.problem.manifest;
    const struct {
        const char *language, *name;
    } rows[] = {
        {"cpp", "grader.cpp"}, {"cpp", "grader.h"}, {"default", "data.txt"}, {"python3", "lib.py"}};
    assert_int_equal(manifest->include_count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_true(str_eq_c(manifest->includes[i].language, rows[i].language));
        assert_true(str_eq_c(manifest->includes[i].file.name, rows[i].name));
    }
    assert_true(str_eq_c(fixture_content(&f, &manifest->includes[2].file.blob), "\r\n"));
    fixture_done(&f);
}

static void an_included_file_without_a_language_is_refused(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    fixture_minimal(&f);
    fixture_put(&f, "include/grader.h", "int x;\n");

    fixture_must_refuse(&f, "bad_package",
                        "include/grader.h: included files stand in a folder of their language");
    fixture_done(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(included_files_are_listed_by_language_and_name),
        cmocka_unit_test(an_included_file_without_a_language_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
