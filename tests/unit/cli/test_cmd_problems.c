/* assize problems */
#include "canned_server.h"
#include "cli/commands.h"

#define LIST "/api/v1/problems"

static void every_page_is_listed(void **state) {
    (void)state;
    canned_once(
        HTTP_GET, LIST, 200,
        "{\"items\":[{\"id\":1,\"code\":\"sum\",\"title\":\"Sum\",\"myStatus\":\"ACCEPTED\"},"
        "{\"id\":2,\"code\":\"max\",\"title\":\"Max\",\"myStatus\":\"TRIED\"}],"
        "\"next\":\"2\"}");
    canned_once(HTTP_GET, LIST, 200,
                "{\"items\":[{\"id\":3,\"code\":\"min\",\"title\":\"\xe5\xb0\x8f\","
                "\"myStatus\":null}],\"next\":null}");

    assert_int_equal(RUN(command_problems, NULL), EXIT_STATUS_OK);

    said("     1  solved    sum                   Sum\n");
    said("     2  tried     max                   Max\n");
    said("     3            min                   \xe5\xb0\x8f\n");
    assert_string_equal(canned.asked[1].query, "limit=200");
    assert_string_equal(canned.asked[2].query, "limit=200 cursor=2");
}

static void a_refusal_is_told(void **state) {
    (void)state;
    canned_add(HTTP_GET, LIST, 403,
               "{\"status\":403,\"code\":\"not_allowed\",\"detail\":\"your role is too small\"}");

    assert_int_equal(RUN(command_problems, NULL), EXIT_STATUS_NEGATIVE);

    said("your role is too small");
}

static void a_server_that_fails_is_no_no(void **state) {
    (void)state;
    canned_add(HTTP_GET, LIST, 500, "");

    assert_int_equal(RUN(command_problems, NULL), EXIT_STATUS_FAILED);
}

static void help_and_wrong_flags_do_not_connect(void **state) {
    (void)state;
    assert_int_equal(RUN(command_problems, "--help"), EXIT_STATUS_OK);
    assert_int_equal(RUN(command_problems, "--nonsense"), EXIT_STATUS_USAGE);
    assert_int_equal(canned.asked_count, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        CLI_TEST(every_page_is_listed),
        CLI_TEST(a_refusal_is_told),
        CLI_TEST(a_server_that_fails_is_no_no),
        CLI_TEST(help_and_wrong_flags_do_not_connect),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
