/* From a request to its route: what has no route, what is said about it, and an orderly end. */
#include "node_fixture.h"

static void an_unknown_api_address_is_a_problem_not_a_page(void **state) {
    struct fixture *f = *state;
    static const char *const paths[] = {"/api",
                                        "/api/",
                                        "/api/v1/nothing",
                                        "/api/v2/problems",
                                        "/api/v1/problems/1/",
                                        "/api/v1//problems"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        struct reply reply = get(f, NULL, paths[i]);
        expect_error(reply, 404, "not_found");
    }
    struct reply post = send_json(f, NULL, "POST", "/no/such/page", "{}");
    expect(post, 404);
}

static void another_method_is_told_the_right_ones(void **state) {
    struct fixture *f = *state;

    struct reply put = send_json(f, NULL, "PUT", "/api/v1/session", NULL);
    struct reply list = send_json(f, NULL, "DELETE", "/api/v1/problems", NULL);

    expect_error(put, 405, "method_not_allowed");
    assert_string_equal(header_of(f, &put, "Allow"), "GET, POST, DELETE");
    expect_error(list, 405, "method_not_allowed");
    assert_string_equal(header_of(f, &list, "Allow"), "GET");
}

static void a_method_that_nobody_knows_is_refused(void **state) {
    struct fixture *f = *state;

    struct reply reply = fixture_ask(f, &(struct ask){.method = "BREW", .path = "/api/v1/session"});

    assert_true(reply.status == 405 || reply.status == 501 || reply.status == 400);
}

static void head_is_get_without_its_body(void **state) {
    struct fixture *f = *state;
    struct person ann = new_person(f, "ann", ROLE_STUDENT);
    struct ask ask = {.method = "HEAD", .path = "/api/v1/problems", .headers = ann.headers};

    struct reply head = fixture_ask(f, &ask);
    ask.method = "GET";
    struct reply full = fixture_ask(f, &ask);

    expect(head, 200);
    assert_int_equal(head.body.len, 0);
    assert_string_equal(header_of(f, &head, "Content-Length"),
                        header_of(f, &full, "Content-Length"));
}

static void every_answer_has_its_trace_id(void **state) {
    struct fixture *f = *state;
    static const char trace[] = "0af7651916cd43dd8448eb211c80319c";

    struct reply given =
        fixture_ask(f, &(struct ask){.path = "/api/v1/nothing",
                                     .headers = "traceparent: 00-0af7651916cd43dd8448eb211c80319c-"
                                                "b7ad6b7169203331-01\r\n"});
    struct reply made = get(f, NULL, "/api/v1/nothing");
    struct reply bad = fixture_ask(
        f, &(struct ask){.path = "/api/v1/nothing", .headers = "traceparent: 00-xyz-1-01\r\n"});

    assert_string_equal(header_of(f, &given, "X-Trace-Id"), trace);
    assert_true(reply_is(&given, "traceId", trace));
    assert_int_equal(strlen(header_of(f, &made, "X-Trace-Id")), 32);
    assert_int_equal(strlen(header_of(f, &bad, "X-Trace-Id")), 32);
    assert_string_not_equal(header_of(f, &made, "X-Trace-Id"), header_of(f, &bad, "X-Trace-Id"));
}

static void answers_of_the_api_are_never_cached_or_sniffed(void **state) {
    struct fixture *f = *state;
    struct person ann = new_person(f, "ann", ROLE_STUDENT);

    struct reply reply = get(f, &ann, "/api/v1/problems");

    assert_string_equal(header_of(f, &reply, "Cache-Control"), "no-store");
    assert_string_equal(header_of(f, &reply, "X-Content-Type-Options"), "nosniff");
    assert_string_equal(header_of(f, &reply, "Content-Type"), "application/json");
}

static void a_body_where_none_is_taken_is_refused(void **state) {
    struct fixture *f = *state;
    struct person ann = new_person(f, "ann", ROLE_STUDENT);

    struct reply reply = fixture_ask(f, &(struct ask){.path = "/api/v1/problems",
                                                      .headers = ann.headers,
                                                      .type = "application/json",
                                                      .body = STR("{}")});

    expect(reply, 413);
}

static void a_connection_serves_one_request_after_the_other(void **state) {
    struct fixture *f = *state;
    char answer[8192];
    size_t len = 0;
    int fd = ask_connect(f->port);
    static const char *const two = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"
                                   "GET /readyz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

    ask_send(fd, str_from(two));

    for (ssize_t got = 1; got > 0 && len + 1 < sizeof answer; len += (size_t)got) {
        got = recv(fd, answer + len, sizeof answer - len - 1, 0);
        assert_true(got >= 0);
    }
    answer[len] = '\0';
    close(fd);
    assert_non_null(strstr(answer, "alive\n"));
    assert_non_null(strstr(strstr(answer, "alive\n"), "ready\n"));
}

static void parked_claims_are_answered_when_the_server_stops(void **state) {
    struct fixture *f = *state;
    enum { COUNT = 5 };
    int fds[COUNT];
    struct ask ask[COUNT];
    struct person admin = new_person(f, "eve", ROLE_ADMIN);
    for (int i = 0; i < COUNT; i++) {
        struct fake_node node = new_node(f, &admin, arena_printf(f->arena, "n%d", i));
        ask[i] = (struct ask){.method = "POST",
                              .path = INTERNAL "jobs/claim",
                              .headers = node.headers,
                              .type = "application/json",
                              .body = str_from(arena_printf(
                                  f->arena,
                                  "{\"sessionEpoch\":%lld,\"claimId\":\"%016x\",\"freeSlots\":1,"
                                  "\"waitMs\":15000}",
                                  (long long)node.epoch, (unsigned)i + 1))};
        fds[i] = ask_connect(f->port);
        ask_begin(fds[i], &ask[i], f->arena);
    }
    clock_sleep_ms(&clock_real, 100); /* parked by now */
    int64_t before_ms = clock_mono_ms(&clock_real);

    fixture_close(f);

    assert_true(clock_mono_ms(&clock_real) - before_ms < 4000);
    for (int i = 0; i < COUNT; i++) {
        struct reply reply = fixture_finish(f, fds[i], &ask[i]);
        assert_true(reply.status == 200 || reply.status == 503);
        assert_true(reply.status == 503 || jr_count(reply_at(&reply, "jobs")) == 0);
    }
}

static void a_stopped_server_takes_no_new_connection(void **state) {
    struct fixture *f = *state;

    fixture_close(f);

    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)f->port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    assert_int_not_equal(connect(fd, (const struct sockaddr *)&address, sizeof address), 0);
    close(fd);
}

static void a_client_that_hangs_up_early_does_no_harm(void **state) {
    struct fixture *f = *state;
    struct person ann = new_person(f, "ann", ROLE_STUDENT);
    struct ask ask = {.path = "/api/v1/problems", .headers = ann.headers};
    for (int i = 0; i < 50; i++) {
        int fd = ask_connect(f->port);
        ask_begin(fd, &ask, f->arena);
        close(fd);
    }

    struct reply reply = fixture_ask(f, &ask);

    expect(reply, 200);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SERVER_TEST(an_unknown_api_address_is_a_problem_not_a_page),
        SERVER_TEST(another_method_is_told_the_right_ones),
        SERVER_TEST(a_method_that_nobody_knows_is_refused),
        SERVER_TEST(head_is_get_without_its_body),
        SERVER_TEST(every_answer_has_its_trace_id),
        SERVER_TEST(answers_of_the_api_are_never_cached_or_sniffed),
        SERVER_TEST(a_body_where_none_is_taken_is_refused),
        SERVER_TEST(a_connection_serves_one_request_after_the_other),
        SERVER_TEST(parked_claims_are_answered_when_the_server_stops),
        SERVER_TEST(a_stopped_server_takes_no_new_connection),
        SERVER_TEST(a_client_that_hangs_up_early_does_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
