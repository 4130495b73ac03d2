/* The command line of assize bench. */
#include "bench/commands.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define ARG(text) ((char[]){text}) /* argv is writable */

static void help_is_printed(void **state) {
    (void)state;
    char *args[] = {ARG("--help")};

    assert_string_equal(command_bench.name, "bench");
    assert_int_equal(command_bench.run(&command_bench, 1, args), EXIT_STATUS_OK);
}

static void wrong_usage_has_its_own_status(void **state) {
    (void)state;
    char *args[] = {ARG("no-such-bench")};

    assert_int_equal(command_bench.run(&command_bench, 1, args), EXIT_STATUS_USAGE);
    assert_int_equal(command_bench.run(&command_bench, 0, args), EXIT_STATUS_USAGE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(help_is_printed),
        cmocka_unit_test(wrong_usage_has_its_own_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
