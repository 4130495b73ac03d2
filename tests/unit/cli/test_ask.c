/* What the commands for administrators share. */
#include "canned_server.h"
#include "cli/commands.h"

#define LIST "/api/v1/admin/judgers"

/* One of the commands stands for all. */
static void objects_are_listed_and_found_on_every_page(void **state) {
    (void)state;
    const char *first = "{\"items\":[{\"id\":1,\"name\":\"n1\",\"revision\":1}],\"next\":\"c1\"}";
    const char *second = "{\"items\":[{\"id\":2,\"name\":\"n2\",\"revision\":9}],\"next\":null}";
    canned_once(HTTP_GET, LIST, 200, first);
    canned_once(HTTP_GET, LIST, 200, second);
    canned_once(HTTP_GET, LIST, 200, first);
    canned_once(HTTP_GET, LIST, 200, second);
    canned_add(HTTP_PATCH, LIST "/2", 200, "{}");

    assert_int_equal(RUN(command_admin_node, "list"), EXIT_STATUS_OK);
    said("n1");
    said("n2");
    assert_string_equal(asked_last()->query, "limit=200 cursor=c1");

    assert_int_equal(RUN(command_admin_node, "enable", "n2"), EXIT_STATUS_OK);
    assert_string_equal(asked_last()->body, "{\"revision\":9,\"configState\":\"ENABLED\"}");
}

static void json_prints_each_answer_as_it_came(void **state) {
    (void)state;
    canned_add(HTTP_GET, LIST, 200, "{\"items\":[{\"id\":1}],\"next\":null}");

    assert_int_equal(RUN(command_admin_node, "list", "--json"), EXIT_STATUS_OK);

    said("{\"items\":[{\"id\":1}],\"next\":null}\n");
}

static void an_unknown_word_asks_the_server_nothing(void **state) {
    (void)state;

    assert_int_equal(RUN(command_admin_node, "explode"), EXIT_STATUS_USAGE);

    assert_int_equal(canned.asked_count, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        CLI_TEST(objects_are_listed_and_found_on_every_page),
        CLI_TEST(json_prints_each_answer_as_it_came),
        CLI_TEST(an_unknown_word_asks_the_server_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
