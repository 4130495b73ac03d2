/* assize node: what it needs before it starts. */
#include "program.h"

static struct program program;

static void it_must_be_told_its_pool(void **state) {
    (void)state;

    assert_int_equal(PROGRAM_RUN(&program, "node"), 2);

    program_said(&program, "--pool");
    program_said(&program, "JUDGE_POOL");
}

static void the_environment_may_name_the_pool(void **state) {
    (void)state;
    static const char *const args[] = {"node", "--print-config", NULL};
    static const char *const env[] = {"JUDGE_POOL=python", "JUDGE_LOCAL_SLOTS=3",
                                      "JUDGE_JOIN_CODE=open-sesame", NULL};

    assert_int_equal(program_run(&program, args, env), 0);

    program_said(&program, "python");
    program_said(&program, "JUDGE_POOL");
    program_said(&program, "3");
    assert_null(strstr(program.out, "open-sesame"));
}

static void what_makes_no_sense_is_a_mistake(void **state) {
    (void)state;
    static const struct {
        const char *flag, *value, *says;
    } rows[] = {{"--slots", "-1", "slots"},
                {"--slots", "1000000", "slots"},
                {"--cache-size", "12", "cache"},
                {"--drain", "soon", "drain"},
                {"--server-url", "x", "--server"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(
            PROGRAM_RUN(&program, "node", "--pool", "python", rows[i].flag, rows[i].value), 2);
        program_said(&program, rows[i].says);
    }
}

static void a_user_that_is_not_there_is_told(void **state) {
    (void)state;

    assert_int_equal(PROGRAM_RUN(&program, "node", "--pool", "python", "--user", "no-such-user"),
                     2);

    program_said(&program, "no-such-user");
}

static void without_language_specs_it_does_not_start(void **state) {
    (void)state;
    char folder[64];
    struct err err = {0};
    program_folder(folder, sizeof folder);

    int status = PROGRAM_RUN(&program, "node", "--pool", "python", "--data", folder,
                             "--languages-dir", "/no/such/folder");

    assert_int_equal(status, 3);
    assert_true(file_remove_tree(folder, &err));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_must_be_told_its_pool),
        cmocka_unit_test(the_environment_may_name_the_pool),
        cmocka_unit_test(what_makes_no_sense_is_a_mistake),
        cmocka_unit_test(a_user_that_is_not_there_is_told),
        cmocka_unit_test(without_language_specs_it_does_not_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
