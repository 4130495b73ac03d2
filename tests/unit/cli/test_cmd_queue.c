/* assize admin queue */
#include "canned_server.h"
#include "cli/commands.h"

#define LIST "/api/v1/admin/pools"
#define POOL                                                                                       \
    "{\"pool\":\"cpp\",\"runtimeSpec\":\"cpp-r3\",\"held\":false,\"revision\":4,\"queues\":["      \
    "{\"id\":11,\"runtimeSpec\":\"cpp-r2\",\"current\":false,\"held\":true,\"revision\":2,"        \
    "\"waiting\":3,\"nodes\":0,\"slots\":0,\"busySlots\":0},"                                      \
    "{\"id\":12,\"runtimeSpec\":\"cpp-r3\",\"current\":true,\"held\":false,\"revision\":5,"        \
    "\"waiting\":4,\"nodes\":1,\"slots\":2,\"busySlots\":1}]}"

static void queues_are_listed(void **state) {
    (void)state;
    canned_add(HTTP_GET, LIST, 200, "{\"items\":[" POOL "],\"next\":null}");

    assert_int_equal(RUN(command_admin_queue, "list"), EXIT_STATUS_OK);

    said("    11  cpp/cpp-r2            held        0 nodes  0/0  3 waiting\n");
    said("    12  cpp/cpp-r3            in service  1 node  1/2  4 waiting  new jobs go here\n");
}

static void a_queue_is_named_by_number_or_by_pool_and_spec(void **state) {
    (void)state;
    canned_add(HTTP_GET, LIST, 200, "{\"items\":[" POOL "],\"next\":null}");
    canned_add(HTTP_PATCH, "/api/v1/admin/queues/11", 200, POOL);
    canned_add(HTTP_PATCH, "/api/v1/admin/queues/12", 200, POOL);

    assert_int_equal(RUN(command_admin_queue, "hold", "cpp/cpp-r3"), EXIT_STATUS_OK);
    assert_string_equal(asked_last()->body, "{\"revision\":5,\"held\":true}");
    assert_string_equal(asked_last()->path, "/api/v1/admin/queues/12");
    assert_int_equal(RUN(command_admin_queue, "release", "11"), EXIT_STATUS_OK);
    assert_string_equal(asked_last()->body, "{\"revision\":2,\"held\":false}");
    assert_string_equal(asked_last()->path, "/api/v1/admin/queues/11");
}

static void what_is_typed_wrong_is_refused(void **state) {
    (void)state;
    canned_add(HTTP_GET, LIST, 200, "{\"items\":[" POOL "],\"next\":null}");

    assert_int_equal(RUN(command_admin_queue, "hold"), EXIT_STATUS_USAGE);
    assert_int_equal(RUN(command_admin_queue, "hold", "cpp", "java"), EXIT_STATUS_USAGE);
    assert_int_equal(RUN(command_admin_queue, "hold", "cpp"), EXIT_STATUS_NEGATIVE);
    assert_int_equal(RUN(command_admin_queue, "--help"), EXIT_STATUS_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        CLI_TEST(queues_are_listed),
        CLI_TEST(a_queue_is_named_by_number_or_by_pool_and_spec),
        CLI_TEST(what_is_typed_wrong_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
