/* Submissions for people at a terminal. */
#include "canned_server.h"
#include "cli/view.h"

static void print(const char *text) {
    struct err err = {0};
    own(json) submission = NULL;
    assert_true(jr_parse(str_from(text), &submission, &err));
    capture_begin(&canned.said);
    cli_print_submission(submission);
    capture_end(&canned.said);
}

static int status_of(const char *text) {
    struct err err = {0};
    own(json) submission = NULL;
    assert_true(jr_parse(str_from(text), &submission, &err));
    return cli_verdict_status(submission);
}

static void cases_are_a_table_with_their_messages(void **state) {
    (void)state;

    print("{\"id\":7,\"problemCode\":\"sum\",\"language\":\"cpp\",\"state\":\"DONE\","
          "\"verdict\":\"WRONG_ANSWER\",\"compile\":{\"ok\":true,\"log\":\"\"},\"cases\":["
          "{\"index\":1,\"name\":\"sample/1\",\"verdict\":\"ACCEPTED\",\"cpuMs\":3,"
          "\"memoryKb\":1024,\"message\":null},"
          "{\"index\":2,\"name\":\"secret/a\",\"verdict\":\"WRONG_ANSWER\",\"cpuMs\":12,"
          "\"memoryKb\":2048,\"message\":\"expected 1\"}]}");

    said("submission 7 of sum in cpp: WRONG_ANSWER\n");
    said("     1  sample/1                  ACCEPTED                     3 ms      1024 KiB\n");
    said("     2  secret/a                  WRONG_ANSWER                12 ms      2048 KiB  "
         "expected 1\n");
}

static void a_compilers_words_end_with_a_line(void **state) {
    (void)state;

    print("{\"id\":7,\"problemCode\":\"sum\",\"language\":\"cpp\",\"state\":\"DONE\","
          "\"verdict\":\"COMPILE_ERROR\",\"compile\":{\"ok\":false,\"log\":\"main.cpp:1: no\"},"
          "\"cases\":[]}");

    said("COMPILE_ERROR\nmain.cpp:1: no\n");
}

static void without_a_verdict_the_state_is_shown(void **state) {
    (void)state;

    print("{\"id\":7,\"problemCode\":\"sum\",\"language\":\"cpp\",\"state\":\"JUDGING\","
          "\"verdict\":null,\"compile\":null,\"cases\":[]}");

    said("submission 7 of sum in cpp: JUDGING\n");
}

static void only_accepted_is_zero(void **state) {
    (void)state;
    assert_int_equal(status_of("{\"verdict\":\"ACCEPTED\"}"), EXIT_STATUS_OK);
    assert_int_equal(status_of("{\"verdict\":\"PARTIAL\"}"), EXIT_STATUS_NEGATIVE);
    assert_int_equal(status_of("{\"verdict\":null}"), EXIT_STATUS_NEGATIVE);
    assert_int_equal(status_of("{}"), EXIT_STATUS_NEGATIVE);
}

static void waiting_says_each_state_once(void **state) {
    (void)state;
    struct client_options options = {.server = canned.url, .user = "ann", .password = "x"};
    own(client) client = NULL;
    own(json) submission = NULL;
    struct err err = {0};
    static const char judging[] = "{\"state\":\"JUDGING\",\"reason\":null}";
    canned_once(HTTP_GET, "/api/v1/submissions/7", 200, judging);
    canned_once(HTTP_GET, "/api/v1/submissions/7", 200, judging);
    canned_add(HTTP_GET, "/api/v1/submissions/7", 200,
               "{\"state\":\"DONE\",\"verdict\":\"ACCEPTED\"}");
    assert_true(client_open(&options, &client, &err));

    capture_begin(&canned.said);
    bool waited = cli_wait_submission(client, 7, &submission, &err);
    capture_end(&canned.said);

    assert_true(waited);
    assert_string_equal(canned.said.text, "JUDGING\n");
    assert_int_equal(cli_verdict_status(submission), EXIT_STATUS_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        CLI_TEST(cases_are_a_table_with_their_messages),
        CLI_TEST(a_compilers_words_end_with_a_line),
        CLI_TEST(without_a_verdict_the_state_is_shown),
        CLI_TEST(only_accepted_is_zero),
        CLI_TEST(waiting_says_each_state_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
