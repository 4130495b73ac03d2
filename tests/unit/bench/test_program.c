/* The programs that come along: they are whole, and they do what they are asked. */
#include "bench/program.h"

#include "base/file.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/assize-bench-test-XXXXXX";
static char path[64];

static int write_known(void **state) {
    (void)state;
    struct err err = {0};
    assert_non_null(mkdtemp(folder));
    assert_true(program_write(folder, "known", program_known(), &err));
    assert_true(program_write(folder, "empty", program_empty(), &err));
    (void)snprintf(path, sizeof(path), "%s/known", folder);
    return 0;
}

static int remove_known(void **state) {
    (void)state;
    struct err err = {0};
    return file_remove_tree(folder, &err) ? 0 : 1;
}

static void a_program_is_run_and_timed(void **state) {
    (void)state;
    char empty[64];
    const char *argv[] = {empty, NULL};
    struct err err = {0};
    int64_t ns = 0;
    (void)snprintf(empty, sizeof(empty), "%s/empty", folder);

    assert_true(program_spawn(argv, &ns, &err));

    assert_true(ns > 0);
}

static void every_known_use_works(void **state) {
    (void)state;
    static const char *const uses[][2] = {
        {"cpu", "single"},      {"cpu", "children"}, {"cpu", "threads"},
        {"work", "arithmetic"}, {"work", "memory"},  {"memory", "heap"},
        {"memory", "stack"},    {"memory", "mmap"},  {"memory", "child"}};
    for (size_t i = 0; i < sizeof(uses) / sizeof(uses[0]); i++) {
        const char *argv[] = {path, uses[i][0], uses[i][1], "1048576", NULL};
        struct err err = {0};
        int64_t ns = 0;
        if (strcmp(uses[i][0], "cpu") == 0) {
            argv[3] = "8000";
        }

        assert_true(program_spawn(argv, &ns, &err));

        /* Four processors at most share the 8 ms. */
        assert_true(strcmp(uses[i][0], "cpu") != 0 || ns >= 2000000);
    }
}

static void a_failing_program_is_an_error(void **state) {
    (void)state;
    const char *unknown[] = {path, "cpu", "no-such-kind", "1", NULL};
    const char *missing[] = {"/nowhere/at-all", NULL};
    struct err err = {0};
    int64_t ns = 0;

    assert_false(program_spawn(unknown, &ns, &err));
    assert_non_null(strstr(err.text, "status"));
    assert_false(program_spawn(missing, &ns, &err));
}

static void an_existing_file_is_not_overwritten(void **state) {
    (void)state;
    struct err err = {0};

    assert_false(program_write(folder, "known", program_known(), &err));
}

static void a_program_is_looked_for_in_path(void **state) {
    (void)state;
    char found[64];
    assert_int_equal(setenv("PATH", "/nowhere::/bin", 1), 0);

    assert_true(program_in_path("sh", found, sizeof(found)));
    assert_string_equal(found, "/bin/sh");
    assert_false(program_in_path("no-such-program", found, sizeof(found)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_is_run_and_timed),
        cmocka_unit_test(every_known_use_works),
        cmocka_unit_test(a_failing_program_is_an_error),
        cmocka_unit_test(an_existing_file_is_not_overwritten),
        cmocka_unit_test(a_program_is_looked_for_in_path),
    };
    return cmocka_run_group_tests(tests, write_known, remove_known);
}
