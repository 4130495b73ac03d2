/* Packages read for judging here. */
#include "local/loaded.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char *fixture(char *path, size_t bytes, const char *name) {
    snprintf(path, bytes, "%s/tests/fixtures/problems/%s", getenv("ASSIZE_SOURCE_ROOT"), name);
    return path;
}

static void each_fixture_is_read_without_a_warning(void **state) {
    (void)state;
    static const char *const names[] = {"aplusb", "circle", "gap", "pairs"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char path[4096];
        struct err err = {0};
        own_loaded loaded = {.arena = NULL};
        bool ok = loaded_open(&loaded, fixture(path, sizeof(path), names[i]), &err);
        assert_string_equal(err.text, "");
        assert_true(ok);
        assert_true(str_eq_c(loaded.problem.code, names[i]));
        assert_int_equal(loaded.report.warnings.count, 0);
        assert_int_equal(loaded.problem.statement_count, 2);
        assert_true(loaded.problem.submission_count >= 10);
        for (int32_t k = 0; k < loaded.problem.submission_count; k++) {
            assert_int_not_equal(loaded.problem.submissions[k].expected, 0);
        }
    }
}

static void test_data_are_at_hand_by_their_digest(void **state) {
    (void)state;
    char path[4096];
    struct err err = {0};
    own_fd fd = -1;
    own_loaded loaded = {.arena = NULL};
    assert_true(loaded_open(&loaded, fixture(path, sizeof(path), "aplusb"), &err));

    const struct manifest_case *row = &loaded.problem.manifest.cases[0];
    assert_true(blob_map_open(loaded.blobs, &row->answer, &fd, &err));

    char text[10] = "";
    assert_int_equal(read(fd, text, sizeof(text)), 2);
    assert_string_equal(text, "3\n");
}

static void a_missing_package_leaves_nothing_behind(void **state) {
    (void)state;
    struct err err = {0};
    own_loaded loaded = {.arena = NULL};

    assert_false(loaded_open(&loaded, "/nonexistent/package", &err));

    assert_int_equal(err.kind, ERR_MISSING);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_fixture_is_read_without_a_warning),
        cmocka_unit_test(test_data_are_at_hand_by_their_digest),
        cmocka_unit_test(a_missing_package_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
