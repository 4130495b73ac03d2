/* assize admin rejudge */
#include "canned_server.h"
#include "cli/commands.h"

#define PATH "/api/v1/admin/rejudgings"
#define REJUDGING                                                                                  \
    "{\"id\":5,\"state\":\"READY\",\"reason\":\"new tests\",\"counts\":{\"items\":9,\"judging\":"  \
    "0,\"judged\":8,\"applied\":0,\"skipped\":1,\"failed\":0,\"gains\":3,\"losses\":2,"            \
    "\"others\":1}}"
#define SHOWN                                                                                      \
    "     5  READY       9 submissions: 0 being judged, 8 judged, 0 applied, 1 left out, 0 "       \
    "failed; 3 gain, 2 lose, 1 other  new tests\n"

static void a_rejudging_is_made_of_a_selection(void **state) {
    (void)state;
    canned_add(HTTP_POST, PATH, 201, REJUDGING);

    assert_int_equal(
        RUN(command_admin_rejudge, "create", "7", "--reason", "new tests", "--supersede"),
        EXIT_STATUS_OK);

    said(SHOWN);
    assert_string_equal(asked_last()->body,
                        "{\"reason\":\"new tests\",\"supersede\":true,\"oldManifest\":false,"
                        "\"autoApply\":false,\"countOnly\":false,\"selection\":{"
                        "\"submissionIds\":[7]}}");
}

static void it_is_counted_before(void **state) {
    (void)state;
    canned_add(HTTP_POST, PATH, 200, "{\"count\":17}");

    assert_int_equal(RUN(command_admin_rejudge, "create", "--problem", "3", "--count"),
                     EXIT_STATUS_OK);

    said("17 submissions\n");
}

static void the_preview_lists_every_page(void **state) {
    (void)state;
    canned_once(HTTP_GET, PATH "/5/items", 200,
                "{\"items\":[{\"submissionId\":7,\"problemCode\":\"sum\",\"username\":\"ann\","
                "\"state\":\"JUDGED\",\"reason\":null,\"before\":{\"verdict\":\"ACCEPTED\"},"
                "\"after\":{\"verdict\":\"WRONG_ANSWER\"},\"change\":\"LOSS\"}],\"next\":\"7\"}");
    canned_once(HTTP_GET, PATH "/5/items", 200, "{\"items\":[],\"next\":null}");

    assert_int_equal(RUN(command_admin_rejudge, "preview", "5", "--change", "LOSS"),
                     EXIT_STATUS_OK);

    said("       7  sum               ann               ACCEPTED               -> WRONG_ANSWER"
         "            LOSS   JUDGED\n");
    assert_string_equal(canned.asked[2].query, "limit=200 cursor=7");
}

static void each_step_is_a_word(void **state) {
    (void)state;
    canned_add(HTTP_GET, PATH, 200, "{\"items\":[" REJUDGING "],\"next\":null}");
    canned_add(HTTP_GET, PATH "/5", 200, REJUDGING);
    canned_add(HTTP_POST, PATH "/5/apply", 200, REJUDGING);
    canned_add(HTTP_POST, PATH "/5/undo", 200, REJUDGING);
    canned_add(HTTP_POST, PATH "/5/cancel", 409,
               "{\"status\":409,\"code\":\"rejudging_not_ready\",\"detail\":\"it is APPLIED\"}");

    assert_int_equal(RUN(command_admin_rejudge, "list"), EXIT_STATUS_OK);
    said(SHOWN);
    assert_int_equal(RUN(command_admin_rejudge, "show", "5"), EXIT_STATUS_OK);
    said(SHOWN);
    assert_int_equal(RUN(command_admin_rejudge, "apply", "5"), EXIT_STATUS_OK);
    assert_int_equal(RUN(command_admin_rejudge, "undo", "5"), EXIT_STATUS_OK);
    assert_int_equal(RUN(command_admin_rejudge, "cancel", "5"), EXIT_STATUS_NEGATIVE);
    said("it is APPLIED");
    assert_int_equal(RUN(command_admin_rejudge, "show", "5", "--json"), EXIT_STATUS_OK);
    said("{\"id\":5,");
}

static void what_is_typed_wrong_is_refused(void **state) {
    (void)state;
    assert_int_equal(RUN(command_admin_rejudge, NULL), EXIT_STATUS_USAGE);
    assert_int_equal(RUN(command_admin_rejudge, "explode"), EXIT_STATUS_USAGE);
    assert_int_equal(RUN(command_admin_rejudge, "apply", "x"), EXIT_STATUS_USAGE);
    assert_int_equal(RUN(command_admin_rejudge, "create", "x"), EXIT_STATUS_USAGE);
    assert_int_equal(RUN(command_admin_rejudge, "--help"), EXIT_STATUS_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        CLI_TEST(a_rejudging_is_made_of_a_selection), CLI_TEST(it_is_counted_before),
        CLI_TEST(the_preview_lists_every_page),       CLI_TEST(each_step_is_a_word),
        CLI_TEST(what_is_typed_wrong_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
