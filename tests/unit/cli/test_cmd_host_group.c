/* assize admin host-group */
#include "canned_server.h"
#include "cli/commands.h"

#define LIST "/api/v1/admin/host-groups"
#define GROUP                                                                                      \
    "{\"id\":5,\"name\":\"rack-1\",\"slots\":8,\"busySlots\":3,\"nodes\":2,\"revision\":6}"

static void groups_are_listed(void **state) {
    (void)state;
    canned_add(HTTP_GET, LIST, 200, "{\"items\":[" GROUP "],\"next\":null}");

    assert_int_equal(RUN(command_admin_host_group, "list"), EXIT_STATUS_OK);

    said("     5  rack-1                2 nodes  3/8\n");
}

static void a_group_is_made_and_its_limit_set(void **state) {
    (void)state;
    canned_add(HTTP_GET, LIST, 200, "{\"items\":[" GROUP "],\"next\":null}");
    canned_add(HTTP_POST, LIST, 201, GROUP);
    canned_add(HTTP_PATCH, LIST "/5", 200, GROUP);

    assert_int_equal(RUN(command_admin_host_group, "create", "rack-2", "--slots", "4"),
                     EXIT_STATUS_OK);
    assert_string_equal(asked_last()->body, "{\"name\":\"rack-2\",\"slots\":4}");
    assert_int_equal(RUN(command_admin_host_group, "set", "rack-1", "--slots", "2"),
                     EXIT_STATUS_OK);
    assert_string_equal(asked_last()->body, "{\"revision\":6,\"slots\":2}");
}

static void what_is_typed_wrong_is_refused(void **state) {
    (void)state;
    canned_add(HTTP_GET, LIST, 200, "{\"items\":[" GROUP "],\"next\":null}");

    assert_int_equal(RUN(command_admin_host_group, "set", "rack-1"), EXIT_STATUS_USAGE);
    assert_int_equal(RUN(command_admin_host_group, "set", "--slots", "3"), EXIT_STATUS_USAGE);
    assert_int_equal(RUN(command_admin_host_group, "set", "rack-9", "--slots", "3"),
                     EXIT_STATUS_NEGATIVE);
    assert_int_equal(RUN(command_admin_host_group, "set", "rack-1", "--slots", "5000"),
                     EXIT_STATUS_USAGE);
    assert_int_equal(RUN(command_admin_host_group, "--help"), EXIT_STATUS_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        CLI_TEST(groups_are_listed),
        CLI_TEST(a_group_is_made_and_its_limit_set),
        CLI_TEST(what_is_typed_wrong_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
