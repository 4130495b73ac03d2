/* What a handler sees of a request, and the limits on bodies. */
#include "net/net_test.h"

static void begin(void *context, struct http_request *request) {
    (void)context;
    struct str path = http_path(request);
    if (str_eq(path, STR("/denied"))) {
        http_send(request, 403, "text/plain", STR("no\n"));
    } else if (str_eq(path, STR("/spool"))) {
        http_accept_body(request, 100000, true);
    } else if (!str_eq(path, STR("/none"))) {
        http_accept_body(request, 1000, false);
    }
}

static void handle(void *context, struct http_request *request) {
    (void)context;
    struct str body = http_body(request);
    int64_t spooled = -1;
    struct err err = {0};
    if (http_body_fd(request) >= 0) {
        assert_true(file_size(http_body_fd(request), &spooled, &err));
    }
    struct str cookie = http_cookie(request, "session");
    struct str query = http_query(request, "q");
    struct str peer = http_peer(request);
    http_add_header(request, "X-Test", "yes");
    http_send(
        request, 200, "text/plain",
        str_from(arena_printf(http_arena(request),
                              "%s path=" STR_FMT " body=" STR_FMT " spooled=%lld cookie=" STR_FMT
                              " q=" STR_FMT " peer=" STR_FMT "\n",
                              http_method_name(http_method(request)), STR_ARG(http_path(request)),
                              STR_ARG(body), (long long)spooled, STR_ARG(cookie), STR_ARG(query),
                              STR_ARG(peer))));
}

static const struct http_handler handler = {.begin = begin, .handle = handle};
static struct net_test test;
static char answer[300000];

static int set_up(void **state) {
    (void)state;
    net_test_open(&test, &handler);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    http_server_close(test.server);
    return 0;
}

static void a_handler_sees_all_parts_of_a_request(void **state) {
    (void)state;

    int status = net_test_raw(&test,
                              "POST /a%20b?q=x%2By HTTP/1.1\r\nHost: a\r\n"
                              "Cookie: other=1; session=abc\r\nContent-Length: 5\r\n\r\nhello",
                              answer, sizeof answer);

    assert_int_equal(status, 200);
    assert_non_null(strstr(answer, "POST path=/a b body=hello spooled=-1 cookie=abc q=x+y "
                                   "peer=127.0.0.1"));
    assert_non_null(strstr(answer, "X-Test: yes"));
}

static void a_refusal_in_begin_is_the_answer(void **state) {
    (void)state;
    assert_int_equal(
        net_test_raw(&test, "GET /denied HTTP/1.1\r\nHost: a\r\n\r\n", answer, sizeof answer), 403);
}

static void a_declared_body_over_the_limit_is_refused_at_once(void **state) {
    (void)state;

    int status = net_test_raw(&test,
                              "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n"
                              "Content-Length: 1001\r\n\r\n",
                              answer, sizeof answer);

    assert_int_equal(status, 413);
    assert_non_null(strstr(answer, "application/problem+json"));
    assert_non_null(strstr(answer, "\"code\":\"too_large\""));
}

static void a_refused_body_is_read_so_that_the_answer_arrives(void **state) {
    (void)state;
    static char request[3000000];
    int head = snprintf(request, sizeof request,
                        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2900000\r\n\r\n");
    memset(request + head, 'x', 2900000);
    request[head + 2900000] = '\0';

    assert_int_equal(net_test_raw(&test, request, answer, sizeof answer), 413);

    assert_non_null(strstr(answer, "too_large"));
}

static void a_body_is_refused_where_none_is_expected(void **state) {
    (void)state;
    assert_int_equal(net_test_raw(&test,
                                  "POST /none HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx",
                                  answer, sizeof answer),
                     413);
}

static void a_chunked_body_over_the_limit_is_refused(void **state) {
    (void)state;
    char request[4096];
    int head = snprintf(request, sizeof request,
                        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n7d0\r\n");
    memset(request + head, 'x', 2000);
    (void)snprintf(request + head + 2000, sizeof request - (size_t)head - 2000, "\r\n0\r\n\r\n");

    int status = net_test_raw(&test, request, answer, sizeof answer);

    assert_int_equal(status, 413);
}

static void a_spooled_body_arrives_as_a_file(void **state) {
    (void)state;
    static char request[60000];
    int head = snprintf(request, sizeof request,
                        "POST /spool HTTP/1.1\r\nHost: a\r\nContent-Length: 50000\r\n\r\n");
    memset(request + head, 'x', 50000);
    request[head + 50000] = '\0';

    assert_int_equal(net_test_raw(&test, request, answer, sizeof answer), 200);

    assert_non_null(strstr(answer, "spooled=50000"));
}

static void a_connection_serves_several_requests(void **state) {
    (void)state;
    int fd = net_test_connect(&test);

    for (int i = 0; i < 3; i++) {
        const char *request = "POST /again HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi";
        net_test_send(fd, request, strlen(request));
        (void)net_test_read(fd, answer, sizeof answer, "peer=127.0.0.1\n", 5000);
        assert_non_null(strstr(answer, "body=hi"));
    }
    close(fd);
}

static void head_gets_the_headers_only(void **state) {
    (void)state;

    assert_int_equal(
        net_test_raw(&test, "HEAD /x HTTP/1.1\r\nHost: a\r\n\r\n", answer, sizeof answer), 200);

    assert_null(strstr(answer, "path=/x"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_handler_sees_all_parts_of_a_request),
        cmocka_unit_test(a_refusal_in_begin_is_the_answer),
        cmocka_unit_test(a_declared_body_over_the_limit_is_refused_at_once),
        cmocka_unit_test(a_refused_body_is_read_so_that_the_answer_arrives),
        cmocka_unit_test(a_body_is_refused_where_none_is_expected),
        cmocka_unit_test(a_chunked_body_over_the_limit_is_refused),
        cmocka_unit_test(a_spooled_body_arrives_as_a_file),
        cmocka_unit_test(a_connection_serves_several_requests),
        cmocka_unit_test(head_gets_the_headers_only),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
