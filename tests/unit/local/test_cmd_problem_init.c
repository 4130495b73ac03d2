/* A package to begin with. */
#include "base/file.h"
#include "local/commands.h"
#include "local/loaded.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static void it_is_read_without_a_warning(void **state) {
    (void)state;
    char folder[] = "/tmp/assize-init-XXXXXX";
    char target[100];
    struct err err = {0};
    own_loaded loaded = {.arena = NULL};
    assert_non_null(mkdtemp(folder));
    snprintf(target, sizeof(target), "%s/new", folder);
    char *args[] = {target};

    assert_int_equal(command_problem_init.run(&command_problem_init, 1, args), EXIT_STATUS_OK);
    assert_int_equal(command_problem_init.run(&command_problem_init, 1, args), EXIT_STATUS_USAGE);
    bool ok = loaded_open(&loaded, target, &err);

    assert_string_equal(err.text, "");
    assert_true(ok);
    assert_int_equal(loaded.report.warnings.count, 0);
    assert_int_equal(loaded.report.guessed.count, 0);
    assert_int_equal(loaded.problem.manifest.case_count, 3);
    assert_int_equal(loaded.problem.submission_count, 2);
    assert_int_equal(loaded.problem.validator_count, 1);
    assert_true(file_remove_tree(folder, &err));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_read_without_a_warning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
