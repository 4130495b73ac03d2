/* assize migrate: once, again without effect, and what is wrong with the address. */
#include "server_program.h"

static char folder[64];
static char data[96];
static struct program migrate_program;

static int set_up(void **state) {
    (void)state;
    program_folder(folder, sizeof folder);
    program_path(data, sizeof data, folder, "data");
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    struct err err = {0};
    return file_remove_tree(folder, &err) ? 0 : -1;
}

static void it_applies_what_is_missing_once(void **state) {
    (void)state;

    assert_int_equal(PROGRAM_RUN(&migrate_program, "migrate", "--data", data), 0);
    assert_null(strstr(migrate_program.out, "\n0 migrations applied"));
    assert_int_not_equal(strncmp(migrate_program.out, "0 ", 2), 0);
    assert_int_equal(PROGRAM_RUN(&migrate_program, "migrate", "--data", data), 0);

    assert_int_equal(strncmp(migrate_program.out, "0 migrations applied", 20), 0);
}

static void an_address_with_a_password_is_refused_without_showing_it(void **state) {
    (void)state;

    assert_int_equal(PROGRAM_RUN(&migrate_program, "migrate", "--data", data, "--database",
                                 "mysql://a:sesame@db.example/x"),
                     2);

    program_said(&migrate_program, "password_file");
    assert_null(strstr(migrate_program.out, "sesame"));
}

static void a_database_that_does_not_answer_is_named(void **state) {
    (void)state;

    assert_int_equal(PROGRAM_RUN(&migrate_program, "migrate", "--data", data, "--database",
                                 "mysql://a@localhost/x?socket=/nonexistent/m.sock"),
                     3);

    program_said(&migrate_program, "/nonexistent/m.sock");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(it_applies_what_is_missing_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_address_with_a_password_is_refused_without_showing_it,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_database_that_does_not_answer_is_named, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
