/* The client against our own server, and against nobody. */
#include "net/http_client.h"
#include "net/net_test.h"

static struct http_request *_Atomic parked;
static atomic_bool is_parked;

static void begin(void *context, struct http_request *request) {
    (void)context;
    http_accept_body(request, 1000000, false);
}

static void handle(void *context, struct http_request *request) {
    (void)context;
    struct str path = http_path(request);
    if (str_eq(path, STR("/park"))) {
        http_later(request);
        parked = request;
        atomic_store(&is_parked, true);
    } else if (str_eq(path, STR("/busy"))) {
        http_add_header(request, "Retry-After", "7");
        http_send(request, 503, "application/problem+json", STR("{\"code\":\"busy\"}"));
    } else if (str_eq(path, STR("/redirect"))) {
        http_add_header(request, "Location", "http://127.0.0.1:1/");
        http_send(request, 302, NULL, STR(""));
    } else {
        http_add_header(request, "Set-Cookie", "a=1; HttpOnly");
        http_send(request, 200, "text/plain",
                  str_from(arena_printf(
                      http_arena(request), "%s " STR_FMT " auth=" STR_FMT " type=" STR_FMT,
                      http_method_name(http_method(request)), STR_ARG(http_body(request)),
                      STR_ARG(http_header(request, "Authorization")),
                      STR_ARG(http_header(request, "Content-Type")))));
    }
}

static const struct http_handler handler = {.begin = begin, .handle = handle};
static struct net_test test;
static struct http_client *client;
static struct arena *arena;

static int set_up(void **state) {
    (void)state;
    struct err err = {0};
    char url[64];
    net_test_open(&test, &handler);
    (void)snprintf(url, sizeof url, "http://127.0.0.1:%d/", test.port);
    struct http_client_options options = {.base_url = url, .bearer = "secret"};
    arena = arena_create(1 << 20);
    return http_client_open(&options, &client, &err) ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    http_client_close(client);
    http_server_close(test.server);
    arena_free(arena);
    return 0;
}

static const struct http_call post = {.method = HTTP_POST,
                                      .path = "/echo",
                                      .content_type = "application/json",
                                      .body = {"{}", 2},
                                      .timeout_ms = 5000,
                                      .answer_bytes_max = 1000};

static void a_call_carries_body_type_and_credential(void **state) {
    (void)state;
    struct http_answer answer = {0};
    struct err err = {0};

    for (int i = 0; i < 3; i++) {
        assert_true(http_client_call(client, &post, arena, &answer, &err));
        assert_int_equal(answer.status, 200);
        assert_true(str_eq(answer.body, STR("POST {} auth=Bearer secret type=application/json")));
        assert_true(str_eq(answer.cookies, STR("a=1")));
    }
}

static void a_file_is_sent_as_a_body(void **state) {
    (void)state;
    struct http_answer answer = {0};
    struct err err = {0};
    own_fd fd = -1;
    assert_true(file_memory("body", STR("from a file"), false, &fd, &err));
    struct http_call call = post;
    call.body_fd = fd;
    call.body_fd_bytes = 11;

    assert_true(http_client_call(client, &call, arena, &answer, &err));

    assert_true(str_starts(answer.body, STR("POST from a file auth=")));
}

static void an_answer_over_its_limit_is_refused(void **state) {
    (void)state;
    struct http_answer answer = {0};
    struct err err = {0};
    struct http_call call = post;
    call.answer_bytes_max = 10;

    assert_false(http_client_call(client, &call, arena, &answer, &err));

    assert_string_equal(err.code, "answer_too_large");
}

static void a_good_answer_goes_to_the_file(void **state) {
    (void)state;
    struct http_answer answer = {0};
    struct err err = {0};
    own_fd fd = -1;
    own_buf content;
    buf_init(&content, 1000);
    assert_true(file_memory("answer", STR(""), false, &fd, &err));
    struct http_call call = {.method = HTTP_GET,
                             .path = "/get",
                             .timeout_ms = 5000,
                             .answer_bytes_max = 1000,
                             .answer_fd = fd,
                             .answer_to_fd = true};

    assert_true(http_client_call(client, &call, arena, &answer, &err));

    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    assert_true(file_read_all(fd, 1000, &content, &err));
    assert_true(str_starts(buf_str(&content), STR("GET ")));
    assert_int_equal(answer.body_bytes, (int64_t)content.len);
}

static void a_busy_server_says_when_to_come_again(void **state) {
    (void)state;
    struct http_answer answer = {0};
    struct err err = {0};
    struct http_call call = post;
    call.path = "/busy";

    assert_true(http_client_call(client, &call, arena, &answer, &err));

    assert_int_equal(answer.status, 503);
    assert_int_equal(answer.retry_after_ms, 7000);
}

static void redirects_are_not_followed(void **state) {
    (void)state;
    struct http_answer answer = {0};
    struct err err = {0};
    struct http_call call = {
        .method = HTTP_GET, .path = "/redirect", .timeout_ms = 5000, .answer_bytes_max = 1000};

    assert_true(http_client_call(client, &call, arena, &answer, &err));

    assert_int_equal(answer.status, 302);
}

static void a_slow_server_is_given_up(void **state) {
    (void)state;
    struct http_answer answer = {0};
    struct err err = {0};
    struct http_call call = {
        .method = HTTP_GET, .path = "/park", .timeout_ms = 100, .answer_bytes_max = 1000};

    assert_false(http_client_call(client, &call, arena, &answer, &err));

    assert_int_equal(err.kind, ERR_DEADLINE);
    http_send(parked, 200, NULL, STR(""));
}

static void *abort_soon(void *argument) {
    (void)argument;
    while (!atomic_load(&is_parked)) {
        clock_sleep_ms(&clock_real, 1);
    }
    http_client_abort(client);
    return NULL;
}

static void another_thread_breaks_a_call_off(void **state) {
    (void)state;
    struct http_answer answer = {0};
    struct err err = {0};
    atomic_store(&is_parked, false);
    pthread_t thread = thread_start("abort", abort_soon, NULL);
    struct http_call call = {
        .method = HTTP_GET, .path = "/park", .timeout_ms = 60000, .answer_bytes_max = 1000};

    assert_false(http_client_call(client, &call, arena, &answer, &err));

    assert_int_equal(err.kind, ERR_CANCELLED);
    thread_join(thread);
    http_send(parked, 200, NULL, STR(""));
    assert_false(http_client_call(client, &post, arena, &answer, &err));
    assert_int_equal(err.kind, ERR_CANCELLED);
}

static void nobody_listening_is_unreachable(void **state) {
    (void)state;
    struct err err = {0};
    struct http_answer answer = {0};
    struct http_client_options options = {.base_url = "http://127.0.0.1:1"};
    own(http_client) other = NULL;
    assert_true(http_client_open(&options, &other, &err));

    assert_false(http_client_call(other, &post, arena, &answer, &err));

    assert_string_equal(err.code, "unreachable");
}

static void only_http_addresses_are_taken(void **state) {
    (void)state;
    struct err err = {0};
    struct http_client *other = NULL;
    struct http_client_options options = {.base_url = "file:///etc/passwd"};

    assert_false(http_client_open(&options, &other, &err));

    assert_string_equal(err.code, "bad_url");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_carries_body_type_and_credential),
        cmocka_unit_test(a_file_is_sent_as_a_body),
        cmocka_unit_test(an_answer_over_its_limit_is_refused),
        cmocka_unit_test(a_good_answer_goes_to_the_file),
        cmocka_unit_test(a_busy_server_says_when_to_come_again),
        cmocka_unit_test(redirects_are_not_followed),
        cmocka_unit_test(a_slow_server_is_given_up),
        cmocka_unit_test(another_thread_breaks_a_call_off),
        cmocka_unit_test(nobody_listening_is_unreachable),
        cmocka_unit_test(only_http_addresses_are_taken),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
