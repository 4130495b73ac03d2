/* The command line; judging by it is tested in tests/judge. */
#include "local/commands.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define ARG(text) ((char[]){text}) /* argv is writable */

static void help_is_printed(void **state) {
    (void)state;
    char *args[] = {ARG("--help")};

    assert_string_equal(command_problem_check.name, "problem check");
    assert_true(strlen(command_problem_check.summary) > 10);
    assert_int_equal(command_problem_check.run(&command_problem_check, 1, args), EXIT_STATUS_OK);
}

static void wrong_usage_has_its_own_status(void **state) {
    (void)state;
    const struct {
        char *args[3];
        int count;
    } rows[] = {
        {{ARG("")}, 0},
        {{ARG("a"), ARG("b")}, 2},
        {{ARG("--jobs=0"), ARG("a")}, 2},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char *args[3] = {rows[i].args[0], rows[i].args[1], rows[i].args[2]};
        assert_int_equal(command_problem_check.run(&command_problem_check, rows[i].count, args),
                         EXIT_STATUS_USAGE);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(help_is_printed),
        cmocka_unit_test(wrong_usage_has_its_own_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
