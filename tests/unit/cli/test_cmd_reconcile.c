/* assize admin reconcile */
#include "canned_server.h"
#include "cli/commands.h"

#define PATH "/api/v1/admin/reconcile"
#define COUNTS                                                                                     \
    "\"asOf\":\"2026-11-30T08:00:00.000Z\",\"submissions\":5,\"judged\":4,\"waiting\":1,"          \
    "\"held\":0,\"systemErrors\":2,\"events\":0,\"repaired\":0"

static void a_clean_database_ends_with_zero(void **state) {
    (void)state;
    canned_add(HTTP_POST, PATH, 200, "{\"clean\":true," COUNTS ",\"findings\":[]}");

    assert_int_equal(RUN(command_admin_reconcile, NULL), EXIT_STATUS_OK);

    said("       5  accepted submissions\n");
    said("       2  system errors\n");
    said("\nclean\n");
    assert_string_equal(asked_last()->body, "{\"settled\":false,\"repair\":false}");
}

static void what_was_found_is_listed_and_ends_with_one(void **state) {
    (void)state;
    canned_add(HTTP_POST, PATH, 200,
               "{\"clean\":false," COUNTS ",\"findings\":[{\"rule\":\"I01\",\"text\":\"an open job "
               "has exactly one place\",\"object\":\"job\",\"count\":2,\"ids\":[7,9],"
               "\"repairable\":true}]}");

    assert_int_equal(RUN(command_admin_reconcile, "--settled", "--repair"), EXIT_STATUS_NEGATIVE);

    said("I01         2  not so: an open job has exactly one place (--repair mends it)\n");
    said("job: 7 9\n");
    said("NOT clean\n");
    assert_string_equal(asked_last()->body, "{\"settled\":true,\"repair\":true}");
}

static void json_is_the_answer_as_it_came(void **state) {
    (void)state;
    canned_add(HTTP_POST, PATH, 200, "{\"clean\":true," COUNTS ",\"findings\":[]}");

    assert_int_equal(RUN(command_admin_reconcile, "--json"), EXIT_STATUS_OK);

    said("{\"clean\":true,");
}

static void a_server_that_fails_is_no_answer(void **state) {
    (void)state;
    canned_add(HTTP_POST, PATH, 500, "");

    assert_int_equal(RUN(command_admin_reconcile, NULL), EXIT_STATUS_FAILED);
    assert_int_equal(RUN(command_admin_reconcile, "argument"), EXIT_STATUS_USAGE);
    assert_int_equal(RUN(command_admin_reconcile, "--help"), EXIT_STATUS_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        CLI_TEST(a_clean_database_ends_with_zero),
        CLI_TEST(what_was_found_is_listed_and_ends_with_one),
        CLI_TEST(json_is_the_answer_as_it_came),
        CLI_TEST(a_server_that_fails_is_no_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
