/* assize admin node */
#include "canned_server.h"
#include "cli/commands.h"

#define LIST "/api/v1/admin/judgers"
#define NODE                                                                                       \
    "{\"id\":7,\"name\":\"n1\",\"pool\":\"cpp\",\"runtimeSpec\":\"default\",\"configState\":"      \
    "\"PENDING\",\"observedState\":\"ONLINE\",\"busySlots\":0,\"slots\":2,\"revision\":3,"         \
    "\"message\":\"it has not been enabled yet\"}"

static void canned_list(void) {
    canned_add(HTTP_GET, LIST, 200, "{\"items\":[" NODE "],\"next\":null}");
}

static void nodes_are_listed(void **state) {
    (void)state;
    canned_list();

    assert_int_equal(RUN(command_admin_node, "list"), EXIT_STATUS_OK);

    said("     7  n1                    cpp       default     PENDING    ONLINE      0/2  it has "
         "not been enabled yet\n");
}

static void a_node_is_registered_with_its_code(void **state) {
    (void)state;
    canned_add(HTTP_POST, LIST, 201,
               "{\"judger\":" NODE ",\"joinCode\":\"abc\",\"joinCodeExpiresAt\":\"soon\"}");

    assert_int_equal(RUN(command_admin_node, "register", "n1", "--pool", "cpp", "--slots", "2",
                         "--host-group", "rack-1"),
                     EXIT_STATUS_OK);

    said("join code, shown only now, good until soon: abc\n");
    assert_string_equal(asked_last()->body, "{\"name\":\"n1\",\"pool\":\"cpp\",\"slots\":2,"
                                            "\"hostGroup\":\"rack-1\"}");
    assert_int_equal(RUN(command_admin_node, "register", "n1"), EXIT_STATUS_USAGE);
}

static void a_check_is_waited_for(void **state) {
    (void)state;
    canned_list();
    canned_add(HTTP_POST, LIST "/7/checks", 201, "{\"id\":9,\"state\":\"WAITING\"}");
    canned_once(HTTP_GET, LIST "/7/checks", 200,
                "{\"items\":[{\"id\":9,\"state\":\"WAITING\"}],\"next\":null}");
    canned_add(HTTP_GET, LIST "/7/checks", 200,
               "{\"items\":[{\"id\":9,\"kind\":\"SELF_TEST\",\"state\":\"FAILED\",\"message\":"
               "\"cpp, memory: no\",\"speedPermille\":1250,\"steps\":[{\"language\":\"cpp\","
               "\"step\":\"memory\",\"passed\":false,\"text\":\"no\"}]}],\"next\":null}");

    assert_int_equal(RUN(command_admin_node, "check", "n1"), EXIT_STATUS_NEGATIVE);

    said("    FAILED  cpp memory  no\n");
    said("1.250 times");
    assert_string_equal(canned.asked[2].body, "{\"kind\":\"SELF_TEST\"}");
}

static void states_and_credentials_are_changed_by_revision(void **state) {
    (void)state;
    canned_list();
    canned_add(HTTP_PATCH, LIST "/7", 200, NODE);
    canned_add(HTTP_POST, LIST "/7/revoke", 200, NODE);
    canned_add(HTTP_POST, LIST "/7/rotate", 200,
               "{\"judger\":" NODE ",\"joinCode\":\"xyz\",\"joinCodeExpiresAt\":\"soon\"}");

    assert_int_equal(RUN(command_admin_node, "enable", "7"), EXIT_STATUS_OK);
    assert_string_equal(asked_last()->body, "{\"revision\":3,\"configState\":\"ENABLED\"}");
    assert_int_equal(RUN(command_admin_node, "set", "n1", "--base-url", "none"), EXIT_STATUS_OK);
    assert_string_equal(asked_last()->body, "{\"revision\":3,\"baseUrl\":\"\"}");
    assert_int_equal(RUN(command_admin_node, "revoke", "n1"), EXIT_STATUS_OK);
    assert_string_equal(asked_last()->body, "{\"revision\":3}");
    assert_int_equal(RUN(command_admin_node, "rotate", "n1"), EXIT_STATUS_OK);
    said("xyz");
}

static void what_is_typed_wrong_is_refused(void **state) {
    (void)state;
    canned_list();
    assert_int_equal(RUN(command_admin_node, NULL), EXIT_STATUS_USAGE);
    assert_int_equal(RUN(command_admin_node, "explode"), EXIT_STATUS_USAGE);
    assert_int_equal(RUN(command_admin_node, "enable"), EXIT_STATUS_USAGE);
    assert_int_not_equal(RUN(command_admin_node, "enable", "n2"), EXIT_STATUS_OK);
    assert_int_equal(RUN(command_admin_node, "--help"), EXIT_STATUS_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        CLI_TEST(nodes_are_listed),
        CLI_TEST(a_node_is_registered_with_its_code),
        CLI_TEST(a_check_is_waited_for),
        CLI_TEST(states_and_credentials_are_changed_by_revision),
        CLI_TEST(what_is_typed_wrong_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
