/* Requests that must never reach a handler, sent as raw bytes. */
#include "net/net_test.h"

static atomic_int begun;

static void begin(void *context, struct http_request *request) {
    (void)context;
    atomic_fetch_add(&begun, 1);
    http_accept_body(request, 1000, false);
}

static void handle(void *context, struct http_request *request) {
    (void)context;
    http_send(request, 200, "text/plain", STR("ok\n"));
}

static const struct http_handler handler = {.begin = begin, .handle = handle};

static const struct {
    const char *what;
    const char *request;
} refused[] = {
    {"length and transfer coding", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n"
                                   "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
    {"two lengths",
     "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd"},
    {"two equal lengths",
     "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc"},
    {"signed length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +3\r\n\r\nabc"},
    {"length in hex", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0x3\r\n\r\nabc"},
    {"two transfer codings", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n"
                             "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
    {"unknown transfer coding",
     "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"},
    {"transfer coding list",
     "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"},
    {"no host", "GET / HTTP/1.1\r\n\r\n"},
    {"two hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"},
    {"space before the colon", "GET / HTTP/1.1\r\nHost: a\r\nX-A : b\r\n\r\n"},
    {"control character in a value", "GET / HTTP/1.1\r\nHost: a\r\nX-A: b\001c\r\n\r\n"},
    {"odd character in a name", "GET / HTTP/1.1\r\nHost: a\r\nX(A): b\r\n\r\n"},
};

static void ambiguous_requests_never_reach_a_handler(void **state) {
    (void)state;
    struct net_test test = {0};
    net_test_open(&test, &handler);
    char answer[8192];

    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        atomic_store(&begun, 0);
        int status = net_test_raw(&test, refused[i].request, answer, sizeof answer);
        if (atomic_load(&begun) != 0 || (status != 0 && status != 400)) {
            fail_msg("%s: begun %d, status %d", refused[i].what, atomic_load(&begun), status);
        }
        assert_null(strstr(answer, "200 OK"));
    }
    http_server_close(test.server);
}

static void what_follows_a_refused_request_is_not_read_as_another(void **state) {
    (void)state;
    struct net_test test = {0};
    net_test_open(&test, &handler);
    char answer[8192];
    atomic_store(&begun, 0);

    (void)net_test_raw(&test,
                       "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 30\r\n"
                       "\r\nabcGET /hidden HTTP/1.1\r\nHost: a\r\n\r\n",
                       answer, sizeof answer);

    assert_int_equal(atomic_load(&begun), 0);
    http_server_close(test.server);
}

static void folded_headers_are_refused_or_harmless(void **state) {
    (void)state;
    struct net_test test = {0};
    net_test_open(&test, &handler);
    char answer[8192];

    (void)net_test_raw(&test,
                       "POST / HTTP/1.1\r\nHost: a\r\nX-A: b\r\n Content-Length: 5\r\n\r\nabcde",
                       answer, sizeof answer);

    assert_null(strstr(strstr(answer, "\r\n\r\n") != NULL ? strstr(answer, "\r\n\r\n") : answer,
                       "HTTP/1.1 200"));
    http_server_close(test.server);
}

static void plain_requests_pass(void **state) {
    (void)state;
    static const char *const plain[] = {
        "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /?q=1 HTTP/1.1\r\nHost: a:8080\r\nAccept: */*\r\nCookie: a=b; c=d\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
        "GET / HTTP/1.0\r\n\r\n",
    };
    struct net_test test = {0};
    net_test_open(&test, &handler);
    char answer[8192];

    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        (void)net_test_raw(&test, plain[i], answer, sizeof answer);
        assert_non_null(strstr(answer, " 200 "));
    }
    http_server_close(test.server);
}

static void a_head_of_over_a_hundred_headers_is_refused(void **state) {
    (void)state;
    struct net_test test = {0};
    net_test_open(&test, &handler);
    char request[8192] = "GET / HTTP/1.1\r\nHost: a\r\n";
    char answer[8192];
    for (int i = 0; i < 101; i++) {
        size_t len = strlen(request);
        (void)snprintf(request + len, sizeof request - len, "X-%d: y\r\n", i);
    }
    size_t len = strlen(request);
    (void)snprintf(request + len, sizeof request - len, "\r\n");
    atomic_store(&begun, 0);

    assert_int_equal(net_test_raw(&test, request, answer, sizeof answer), 400);

    assert_int_equal(atomic_load(&begun), 0);
    http_server_close(test.server);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ambiguous_requests_never_reach_a_handler),
        cmocka_unit_test(what_follows_a_refused_request_is_not_read_as_another),
        cmocka_unit_test(folded_headers_are_refused_or_harmless),
        cmocka_unit_test(plain_requests_pass),
        cmocka_unit_test(a_head_of_over_a_hundred_headers_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
