/* The command line of exporting. */
#include "local/commands.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define ARG(text) ((char[]){text}) /* argv is writable */

static void wrong_usage_and_bad_packages_have_their_status(void **state) {
    (void)state;
    char *help[] = {ARG("--help")};
    char *one[] = {ARG("/nonexistent")};
    char *two[] = {ARG("/nonexistent"), ARG("/tmp/assize-not-made")};

    assert_int_equal(command_problem_export.run(&command_problem_export, 1, help), EXIT_STATUS_OK);
    assert_int_equal(command_problem_export.run(&command_problem_export, 1, one),
                     EXIT_STATUS_USAGE);
    assert_int_equal(command_problem_export.run(&command_problem_export, 2, two),
                     EXIT_STATUS_USAGE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_usage_and_bad_packages_have_their_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
