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

    assert_string_equal(command_box.name, "box");
    assert_true(strlen(command_box.summary) > 10);
    assert_int_equal(command_box.run(&command_box, 1, args), EXIT_STATUS_OK);
}

static void wrong_usage_has_its_own_status(void **state) {
    (void)state;
    const struct {
        char *args[3];
        int count;
    } rows[] = {
        {{ARG("")}, 0},
        {{ARG("--cpu=x"), ARG("--"), ARG("/bin/true")}, 3},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char *args[3] = {rows[i].args[0], rows[i].args[1], rows[i].args[2]};
        assert_int_equal(command_box.run(&command_box, rows[i].count, args), EXIT_STATUS_USAGE);
    }
}

static void the_doctor_takes_no_arguments(void **state) {
    (void)state;
    char *args[] = {ARG("now")};

    assert_int_equal(command_box_doctor.run(&command_box_doctor, 1, args), EXIT_STATUS_USAGE);
    args[0] = ARG("--help");
    assert_int_equal(command_box_doctor.run(&command_box_doctor, 1, args), EXIT_STATUS_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(help_is_printed),
        cmocka_unit_test(wrong_usage_has_its_own_status),
        cmocka_unit_test(the_doctor_takes_no_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
