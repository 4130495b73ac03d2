/* Finding the command that was typed. */
#include "program.h"

static struct program program;

static void without_a_command_the_usage_is_shown(void **state) {
    (void)state;

    assert_int_equal(PROGRAM_RUN(&program, NULL), 2);

    program_said(&program, "usage: assize COMMAND");
}

static void help_lists_every_command_and_is_no_mistake(void **state) {
    (void)state;
    static const char *const names[] = {
        "up ",      "server ", "node ",  "run ",       "problem check",        "problem import",
        "problems", "submit",  "status", "box doctor", "admin reset-password", "bench"};
    static const char *const asks[] = {"--help", "-h", "help"};
    for (size_t ask = 0; ask < 3; ask++) {
        assert_int_equal(PROGRAM_RUN(&program, asks[ask]), 0);
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
            program_said(&program, names[i]);
        }
    }
}

static void the_version_is_one_line(void **state) {
    (void)state;

    assert_int_equal(PROGRAM_RUN(&program, "--version"), 0);

    assert_string_equal(program.out, "assize " ASSIZE_VERSION "\n");
}

static void an_unknown_command_is_named_and_is_a_mistake(void **state) {
    (void)state;

    assert_int_equal(PROGRAM_RUN(&program, "sever", "--listen", "x"), 2);

    program_said(&program, "unknown command \"sever\"");
    program_said(&program, "usage: assize COMMAND");
}

static void an_unknown_second_word_is_named_too(void **state) {
    (void)state;

    assert_int_equal(PROGRAM_RUN(&program, "admin", "resetpassword"), 2);
    program_said(&program, "unknown command \"admin resetpassword\"");

    assert_int_equal(PROGRAM_RUN(&program, "admin"), 2);
    program_said(&program, "unknown command \"admin\"");
}

static void two_words_are_looked_for_before_one(void **state) {
    (void)state;

    assert_int_equal(PROGRAM_RUN(&program, "box", "--help"), 0);
    char box_help[256];
    (void)snprintf(box_help, sizeof box_help, "%.255s", program.out);
    assert_int_equal(PROGRAM_RUN(&program, "box", "doctor", "--help"), 0);

    assert_int_not_equal(strncmp(box_help, program.out, 100), 0);
    program_said(&program, "doctor");
}

static void every_command_has_help(void **state) {
    (void)state;
    static const char *const commands[][2] = {{"up", NULL},         {"server", NULL},
                                              {"node", NULL},       {"run", NULL},
                                              {"problem", "check"}, {"problem", "import"},
                                              {"problems", NULL},   {"submit", NULL},
                                              {"status", NULL},     {"admin", "reset-password"},
                                              {"box", NULL},        {"box", "doctor"},
                                              {"bench", NULL}};
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        const char *second = commands[i][1];
        const char *const args[] = {commands[i][0], second != NULL ? second : "--help",
                                    second != NULL ? "--help" : NULL, NULL};
        if (program_run(&program, args, NULL) != 0) {
            fail_msg("%s %s: %s", commands[i][0], second != NULL ? second : "", program.out);
        }
        program_said(&program, "assize");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_command_the_usage_is_shown),
        cmocka_unit_test(help_lists_every_command_and_is_no_mistake),
        cmocka_unit_test(the_version_is_one_line),
        cmocka_unit_test(an_unknown_command_is_named_and_is_a_mistake),
        cmocka_unit_test(an_unknown_second_word_is_named_too),
        cmocka_unit_test(two_words_are_looked_for_before_one),
        cmocka_unit_test(every_command_has_help),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
