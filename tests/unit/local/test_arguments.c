/* Flags of local commands. */
#include "local/arguments.h"

#include "base/command.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define ARG(text) ((char[]){text}) /* argv is writable */

static const struct config_row rows[] = {
    {.name = "test.loud", .type = CONFIG_BOOL, .fallback = "no", .flag = "loud", .help = "h"},
    {.name = "test.jobs",
     .type = CONFIG_INT,
     .fallback = "1",
     .flag = "jobs",
     .min = 1,
     .max = 4,
     .help = "h"},
    {0},
};

static void flags_may_stand_anywhere(void **state) {
    (void)state;
    char *args[] = {ARG("package"), ARG("--loud"), ARG("a.c"), ARG("--jobs=3"), ARG("b.c")};
    struct arguments arguments;

    assert_int_equal(arguments_read(&arguments, "usage", rows, 5, args), ARGUMENTS_GO);

    assert_int_equal(arguments.count, 3);
    assert_string_equal(arguments.rest[0], "package");
    assert_string_equal(arguments.rest[2], "b.c");
    assert_true(config_bool(arguments.config, "test.loud"));
    assert_int_equal(config_i64(arguments.config, "test.jobs"), 3);
    arguments_done(&arguments);
}

static void two_dashes_end_the_flags(void **state) {
    (void)state;
    char *args[] = {ARG("--"), ARG("--loud"), ARG("--help")};
    struct arguments arguments;

    assert_int_equal(arguments_read(&arguments, "usage", rows, 3, args), ARGUMENTS_GO);

    assert_int_equal(arguments.count, 2);
    assert_false(config_bool(arguments.config, "test.loud"));
    arguments_done(&arguments);
}

static void mistakes_and_help_do_not_go_on(void **state) {
    (void)state;
    const struct {
        char *argument;
        enum arguments_answer answer;
    } cases[] = {
        {ARG("--help"), ARGUMENTS_HELP_SHOWN}, {ARG("-h"), ARGUMENTS_HELP_SHOWN},
        {ARG("--quiet"), ARGUMENTS_BAD},       {ARG("--jobs=9"), ARGUMENTS_BAD},
        {ARG("--jobs"), ARGUMENTS_BAD},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char *args[] = {cases[i].argument};
        struct arguments arguments;
        assert_int_equal(arguments_read(&arguments, "usage", rows, 1, args), cases[i].answer);
        arguments_done(&arguments);
    }
}

static void too_many_arguments_are_refused(void **state) {
    (void)state;
    static char *args[ARGUMENTS_MAX + 1];
    struct arguments arguments;
    char word[] = "x";
    for (size_t i = 0; i < sizeof(args) / sizeof(args[0]); i++) {
        args[i] = word;
    }

    assert_int_equal(arguments_read(&arguments, "usage", rows, ARGUMENTS_MAX + 1, args),
                     ARGUMENTS_BAD);
    arguments_done(&arguments);
    assert_int_equal(arguments_refuse("run", "no"), EXIT_STATUS_USAGE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flags_may_stand_anywhere),
        cmocka_unit_test(two_dashes_end_the_flags),
        cmocka_unit_test(mistakes_and_help_do_not_go_on),
        cmocka_unit_test(too_many_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
