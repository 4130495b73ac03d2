/* assize admin pool */
#include "canned_server.h"
#include "cli/commands.h"

#define LIST "/api/v1/admin/pools"
#define POOL                                                                                       \
    "{\"pool\":\"cpp\",\"runtimeSpec\":\"cpp-r3\",\"held\":false,\"revision\":4,\"queues\":["      \
    "{\"id\":1,\"runtimeSpec\":\"cpp-r2\",\"current\":false,\"held\":true,\"revision\":2,"         \
    "\"waiting\":3,\"nodes\":0,\"slots\":0,\"busySlots\":0},"                                      \
    "{\"id\":2,\"runtimeSpec\":\"cpp-r3\",\"current\":true,\"held\":false,\"revision\":1,"         \
    "\"waiting\":4,\"nodes\":1,\"slots\":2,\"busySlots\":1}]}"

static void pools_are_listed_with_their_queues_together(void **state) {
    (void)state;
    canned_add(HTTP_GET, LIST, 200, "{\"items\":[" POOL "],\"next\":null}");

    assert_int_equal(RUN(command_admin_pool, "list"), EXIT_STATUS_OK);

    said("cpp       cpp-r3      in service  1 node  1/2  7 waiting\n");
}

static void warnings_are_listed(void **state) {
    (void)state;
    canned_add(HTTP_GET, "/api/v1/admin/pool-warnings", 200,
               "{\"items\":[{\"code\":\"no_node\",\"pool\":\"more\",\"subject\":\"go\","
               "\"detail\":\"Go is offered\"}],\"next\":null}");

    assert_int_equal(RUN(command_admin_pool, "warnings"), EXIT_STATUS_OK);

    said("no_node           more      go                Go is offered\n");
}

static void a_pool_is_held_released_and_given_a_spec_by_its_revision(void **state) {
    (void)state;
    canned_add(HTTP_GET, LIST, 200, "{\"items\":[" POOL "],\"next\":null}");
    canned_add(HTTP_PATCH, LIST "/cpp", 200, POOL);

    assert_int_equal(RUN(command_admin_pool, "hold", "cpp"), EXIT_STATUS_OK);
    assert_string_equal(asked_last()->body, "{\"revision\":4,\"held\":true}");
    assert_int_equal(RUN(command_admin_pool, "release", "cpp"), EXIT_STATUS_OK);
    assert_string_equal(asked_last()->body, "{\"revision\":4,\"held\":false}");
    assert_int_equal(RUN(command_admin_pool, "set", "cpp", "--runtime-spec", "cpp-r3"),
                     EXIT_STATUS_OK);
    assert_string_equal(asked_last()->body, "{\"revision\":4,\"runtimeSpec\":\"cpp-r3\"}");
    assert_int_equal(RUN(command_admin_pool, "hold", "cpp", "--json"), EXIT_STATUS_OK);
    said(POOL "\n");
}

static void what_is_typed_wrong_is_refused(void **state) {
    (void)state;
    canned_add(HTTP_GET, LIST, 200, "{\"items\":[" POOL "],\"next\":null}");

    assert_int_equal(RUN(command_admin_pool, NULL), EXIT_STATUS_USAGE);
    assert_int_equal(RUN(command_admin_pool, "hold"), EXIT_STATUS_USAGE);
    assert_int_equal(RUN(command_admin_pool, "set", "cpp"), EXIT_STATUS_USAGE);
    assert_int_equal(RUN(command_admin_pool, "hold", "cobol"), EXIT_STATUS_NEGATIVE);
    assert_int_equal(RUN(command_admin_pool, "--help"), EXIT_STATUS_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        CLI_TEST(pools_are_listed_with_their_queues_together),
        CLI_TEST(warnings_are_listed),
        CLI_TEST(a_pool_is_held_released_and_given_a_spec_by_its_revision),
        CLI_TEST(what_is_typed_wrong_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
