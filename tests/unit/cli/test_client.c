/* A signed-in connection: what is sent, and what becomes of errors. */
#include "canned_server.h"
#include "cli/client.h"

static struct client *open_client(void) {
    struct client_options options = {
        .server = canned.url, .user = "ann", .password = "a \"good\" one"};
    struct client *client = NULL;
    struct err err = {0};
    if (!client_open(&options, &client, &err)) {
        fail_msg("%s", err.text);
    }
    return client;
}

static void signing_in_sends_name_and_password_and_keeps_the_token(void **state) {
    (void)state;
    struct err err = {0};
    canned_add(HTTP_GET, "/x", 200, "{}");

    own(client) client = open_client();
    own(json) answer = NULL;
    struct client_call call = {.method = HTTP_GET, .path = "/x"};
    assert_true(client_call(client, &call, &answer, &err));

    assert_string_equal(canned.asked[0].path, "/api/v1/session");
    assert_string_equal(canned.asked[0].type, "application/json");
    assert_non_null(strstr(canned.asked[0].body, "\"username\":\"ann\""));
    assert_non_null(strstr(canned.asked[0].body, "a \\\"good\\\" one"));
    assert_string_equal(canned.asked[0].bearer, "");
    assert_string_equal(canned.asked[1].bearer, "Bearer a.b.c");
}

static void a_refused_sign_in_says_who_and_why(void **state) {
    (void)state;
    struct client_options options = {.server = canned.url, .user = "ann", .password = "x"};
    struct client *client = NULL;
    struct err err = {0};
    canned.row_count = 0;
    canned_add(
        HTTP_POST, "/api/v1/session", 401,
        "{\"status\":401,\"code\":\"bad_credentials\",\"detail\":\"wrong name or password\"}");

    assert_false(client_open(&options, &client, &err));

    assert_int_equal(err.kind, ERR_UNAUTHENTICATED);
    assert_string_equal(err.code, "bad_credentials");
    assert_non_null(strstr(err.text, "ann"));
    assert_non_null(strstr(err.text, "wrong name or password"));
}

static void an_answer_without_a_token_is_no_sign_in(void **state) {
    (void)state;
    struct client_options options = {.server = canned.url, .user = "ann", .password = "x"};
    struct client *client = NULL;
    struct err err = {0};
    canned.row_count = 0;
    canned_add(HTTP_POST, "/api/v1/session", 200, "{}");

    assert_false(client_open(&options, &client, &err));
}

static void the_first_wrong_field_is_told_with_its_place(void **state) {
    (void)state;
    struct err err = {0};
    own(client) client = open_client();
    own(json) answer = NULL;
    struct client_call call = {.method = HTTP_GET, .path = "/x"};
    canned_add(HTTP_GET, "/x", 422,
               "{\"status\":422,\"code\":\"bad_package\",\"detail\":\"refused\",\"errors\":["
               "{\"field\":\"problem.yaml:3\",\"message\":\"a name is missing\"}]}");

    assert_false(client_call(client, &call, &answer, &err));

    assert_string_equal(err.code, "bad_package");
    assert_string_equal(err.text, "problem.yaml:3: a name is missing");
}

static void an_answer_that_is_no_json_is_an_error(void **state) {
    (void)state;
    struct err err = {0};
    own(client) client = open_client();
    own(json) answer = NULL;
    struct client_call call = {.method = HTTP_GET, .path = "/x"};
    canned_add(HTTP_GET, "/x", 200, "<html>a proxy</html>");

    assert_false(client_call(client, &call, &answer, &err));

    assert_null(answer);
}

static void an_empty_answer_is_no_json_and_no_error(void **state) {
    (void)state;
    struct err err = {0};
    own(client) client = open_client();
    own(json) answer = NULL;
    struct client_call call = {.method = HTTP_DELETE, .path = "/x"};
    canned_add(HTTP_DELETE, "/x", 204, "");

    assert_true(client_call(client, &call, &answer, &err));

    assert_null(answer);
}

static void a_server_that_is_not_there_is_said_so(void **state) {
    (void)state;
    struct client_options options = {
        .server = "http://127.0.0.1:1", .user = "ann", .password = "x"};
    struct client *client = NULL;
    struct err err = {0};

    assert_false(client_open(&options, &client, &err));

    assert_string_equal(err.code, "unreachable");
    client_close(client); /* accepts NULL */
}

static void what_is_no_plain_letter_is_escaped(void **state) {
    (void)state;
    own(arena) arena = arena_create(1 * MIB);

    assert_string_equal(client_escape(arena, STR("a-Z_0.9~")), "a-Z_0.9~");
    assert_string_equal(client_escape(arena, STR("a b/c?d&e=f%\xe5\x92\x8c")),
                        "a%20b%2Fc%3Fd%26e%3Df%25%E5%92%8C");
    assert_string_equal(client_escape(arena, STR("")), "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        CLI_TEST(signing_in_sends_name_and_password_and_keeps_the_token),
        CLI_TEST(a_refused_sign_in_says_who_and_why),
        CLI_TEST(an_answer_without_a_token_is_no_sign_in),
        CLI_TEST(the_first_wrong_field_is_told_with_its_place),
        CLI_TEST(an_answer_that_is_no_json_is_an_error),
        CLI_TEST(an_empty_answer_is_no_json_and_no_error),
        CLI_TEST(a_server_that_is_not_there_is_said_so),
        CLI_TEST(what_is_no_plain_letter_is_escaped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
