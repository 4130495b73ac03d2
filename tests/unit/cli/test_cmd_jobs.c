/* assize admin jobs */
#include "canned_server.h"
#include "cli/commands.h"

#define LIST "/api/v1/admin/jobs"
#define CHANGES "/api/v1/admin/jobs/changes"
#define JOB                                                                                        \
    "{\"submissionId\":7,\"jobId\":9,\"generation\":2,\"problemCode\":\"sum\",\"username\":"       \
    "\"ann\",\"language\":\"cpp\",\"state\":\"FAILED\",\"verdict\":\"SYSTEM_ERROR\",\"reason\":"   \
    "null,\"fault\":{\"class\":\"NODE\",\"code\":\"disk_full\",\"detail\":null}}"

static void every_page_is_listed_with_the_filters(void **state) {
    (void)state;
    canned_once(HTTP_GET, LIST, 200, "{\"items\":[" JOB "],\"next\":\"7\"}");
    canned_once(HTTP_GET, LIST, 200, "{\"items\":[],\"next\":null}");

    assert_int_equal(RUN(command_admin_jobs, "list", "--state", "FAILED"), EXIT_STATUS_OK);

    said("       7  FAILED     sum               ann               cpp       gen 2  "
         "SYSTEM_ERROR  disk_full\n");
    assert_string_equal(canned.asked[2].query, "limit=200 cursor=7");
}

static void a_submission_is_shown_with_all_its_judgings(void **state) {
    (void)state;
    canned_add(HTTP_GET, "/api/v1/admin/submissions/7/judgings", 200,
               "{\"current\":" JOB ",\"judgings\":[{\"jobId\":3,\"generation\":1,\"state\":"
               "\"COMPLETED\",\"verdict\":\"ACCEPTED\",\"effective\":true,\"fault\":null}]}");

    assert_int_equal(RUN(command_admin_jobs, "show", "7"), EXIT_STATUS_OK);

    said("  generation 1  job 3  COMPLETED  ACCEPTED (counts)");
    assert_int_equal(RUN(command_admin_jobs, "show", "x"), EXIT_STATUS_USAGE);
}

static void a_change_goes_on_until_all_are_done(void **state) {
    (void)state;
    canned_once(HTTP_POST, CHANGES, 200,
                "{\"changed\":10000,\"skippedCount\":0,\"skipped\":[],\"next\":\"10000\"}");
    canned_once(HTTP_POST, CHANGES, 200,
                "{\"changed\":5,\"skippedCount\":1,\"skipped\":[{\"submissionId\":10007,\"code\":"
                "\"job_running\"}],\"next\":null}");

    assert_int_equal(RUN(command_admin_jobs, "hold", "--problem", "3", "--reason", "new tests"),
                     EXIT_STATUS_OK);

    said("left out: submission 10007: job_running\n");
    said("10005 changed, 1 left out\n");
    assert_string_equal(canned.asked[1].body, "{\"action\":\"HOLD\",\"reason\":\"new tests\","
                                              "\"selection\":{\"problemId\":3}}");
    assert_string_equal(canned.asked[2].body,
                        "{\"action\":\"HOLD\",\"reason\":\"new tests\",\"cursor\":\"10000\","
                        "\"selection\":{\"problemId\":3}}");
}

static void numbers_name_submissions(void **state) {
    (void)state;
    canned_add(HTTP_POST, CHANGES, 200,
               "{\"changed\":2,\"skippedCount\":0,\"skipped\":[],\"next\":null}");

    assert_int_equal(RUN(command_admin_jobs, "requeue", "4", "5"), EXIT_STATUS_OK);

    assert_string_equal(asked_last()->body, "{\"action\":\"REQUEUE\",\"reason\":\"\","
                                            "\"selection\":{\"submissionIds\":[4,5]}}");
}

static void waiting_ones_are_moved_to_another_spec(void **state) {
    (void)state;
    canned_add(HTTP_POST, CHANGES, 200,
               "{\"changed\":1,\"skippedCount\":0,\"skipped\":[],\"next\":null}");

    assert_int_equal(RUN(command_admin_jobs, "move", "4", "--runtime-spec", "cpp-r9"),
                     EXIT_STATUS_OK);

    assert_string_equal(asked_last()->body,
                        "{\"action\":\"MOVE\",\"reason\":\"\",\"runtimeSpec\":\"cpp-r9\","
                        "\"selection\":{\"submissionIds\":[4]}}");
}

static void what_is_typed_wrong_is_refused(void **state) {
    (void)state;
    assert_int_equal(RUN(command_admin_jobs, NULL), EXIT_STATUS_USAGE);
    assert_int_equal(RUN(command_admin_jobs, "explode"), EXIT_STATUS_USAGE);
    assert_int_equal(RUN(command_admin_jobs, "--help"), EXIT_STATUS_OK);
    assert_int_equal(RUN(command_admin_jobs, "hold", "seven"), EXIT_STATUS_USAGE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        CLI_TEST(every_page_is_listed_with_the_filters),
        CLI_TEST(a_submission_is_shown_with_all_its_judgings),
        CLI_TEST(a_change_goes_on_until_all_are_done),
        CLI_TEST(numbers_name_submissions),
        CLI_TEST(waiting_ones_are_moved_to_another_spec),
        CLI_TEST(what_is_typed_wrong_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
