/* assize status SUBMISSION */
#include "canned_server.h"
#include "cli/commands.h"

#define PATH "/api/v1/submissions/7"

static void it_waits_for_the_verdict(void **state) {
    (void)state;
    canned_once(HTTP_GET, PATH, 200,
                "{\"id\":7,\"state\":\"PENDING\",\"reason\":{\"code\":\"queued\","
                "\"text\":\"place 2 of 5\"},\"verdict\":null}");
    canned_add(HTTP_GET, PATH, 200,
               "{\"id\":7,\"problemCode\":\"sum\",\"language\":\"cpp\",\"state\":\"DONE\","
               "\"verdict\":\"ACCEPTED\",\"cases\":[]}");

    assert_int_equal(RUN(command_status, "7"), EXIT_STATUS_OK);

    said("PENDING: place 2 of 5\n");
    said("submission 7 of sum in cpp: ACCEPTED\n");
}

static void another_verdict_is_exit_status_one(void **state) {
    (void)state;
    canned_add(HTTP_GET, PATH, 200,
               "{\"id\":7,\"problemCode\":\"sum\",\"language\":\"cpp\",\"state\":\"DONE\","
               "\"verdict\":\"WRONG_ANSWER\",\"cases\":[]}");

    assert_int_equal(RUN(command_status, "7"), EXIT_STATUS_NEGATIVE);

    said("WRONG_ANSWER");
}

static void a_submission_that_is_not_there_is_told(void **state) {
    (void)state;
    canned_add(
        HTTP_GET, PATH, 404,
        "{\"status\":404,\"code\":\"no_submission\",\"detail\":\"there is no submission 7\"}");

    assert_int_equal(RUN(command_status, "7"), EXIT_STATUS_NEGATIVE);

    said("there is no submission 7");
}

static void what_is_no_number_is_a_mistake(void **state) {
    (void)state;
    assert_int_equal(RUN(command_status, NULL), EXIT_STATUS_USAGE);
    said("number of one submission");
    assert_int_equal(RUN(command_status, "seven"), EXIT_STATUS_USAGE);
    assert_int_equal(RUN(command_status, "7", "8"), EXIT_STATUS_USAGE);
    assert_int_equal(RUN(command_status, "0"), EXIT_STATUS_USAGE);
    assert_int_equal(canned.asked_count, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        CLI_TEST(it_waits_for_the_verdict),
        CLI_TEST(another_verdict_is_exit_status_one),
        CLI_TEST(a_submission_that_is_not_there_is_told),
        CLI_TEST(what_is_no_number_is_a_mistake),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
