/* Calls to an S3 store that answers badly. A store that answers well: test_blob_s3.c. */
#include "base/limits.h"
#include "blob/s3_client.h"
#include "net/http.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* The first `bad` requests are answered by `status`, later ones by 200. */
struct store {
    struct http_server *server;
    char endpoint[64];
    int bad;
    int status;
    atomic_int calls;
    char authorization[512];
};

static void begin(void *context, struct http_request *request) {
    (void)context;
    http_accept_body(request, 1 * MIB, false);
}

static void handle(void *context, struct http_request *request) {
    struct store *store = context;
    struct str header = http_header(request, "authorization");
    (void)snprintf(store->authorization, sizeof store->authorization, STR_FMT, STR_ARG(header));
    bool bad = atomic_fetch_add(&store->calls, 1) < store->bad;
    http_send(request, bad ? store->status : 200, "application/xml",
              bad ? STR("<Error><Code>SlowDown</Code></Error>") : STR("fine"));
}

static void end(void *context, struct http_request *request) {
    (void)context;
    (void)request;
}

static void store_open(struct store *store, int bad, int status) {
    struct http_server_options options = {.handler = {store, begin, handle, end}};
    int port = 0;
    struct err err = {0};
    *store = (struct store){.bad = bad, .status = status};
    assert_true(http_listen("127.0.0.1:0", &options.listen_fd, &port, &err));
    (void)snprintf(store->endpoint, sizeof store->endpoint, "http://127.0.0.1:%d", port);
    assert_true(http_server_open(&options, &store->server, &err));
}

static struct s3_options options_of(const char *endpoint, const struct clock *clock) {
    return (struct s3_options){.endpoint = endpoint,
                               .bucket = "judge",
                               .prefix = "p/",
                               .region = "eu-1",
                               .access_key = "me",
                               .secret_key = "secret words",
                               .ca_file = "",
                               .clock = clock};
}

static bool call(struct store *store, struct http_answer *ret_answer, struct err *err) {
    struct clock_manual clock; /* the pauses between tries take no time */
    own(s3_client) client = NULL;
    own(arena) arena = arena_create(4 * MIB);
    clock_manual_init(&clock, 1000);
    struct s3_options options = options_of(store->endpoint, &clock.clock);
    const struct s3_call get = {.method = HTTP_GET, .key = "k", .answer_bytes_max = 1000};
    return s3_client_open(&options, &client, err) &&
           s3_client_call(client, &get, arena, ret_answer, err);
}

static void what_passes_by_itself_is_tried_again(void **state) {
    (void)state;
    struct store store;
    struct http_answer answer = {0};
    struct err err = {0};
    store_open(&store, 3, 503);

    assert_true(call(&store, &answer, &err));

    assert_int_equal(answer.status, 200);
    assert_int_equal(store.calls, 4);
    assert_non_null(strstr(store.authorization, "Credential=me/"));
    assert_non_null(strstr(store.authorization, "/eu-1/s3/aws4_request"));
    assert_null(strstr(store.authorization, "secret"));
    http_server_close(store.server);
}

static void what_does_not_pass_is_busy_with_the_code_of_the_store(void **state) {
    (void)state;
    struct store store;
    struct http_answer answer = {0};
    struct err err = {0};
    store_open(&store, 100, 503);

    assert_false(call(&store, &answer, &err));

    assert_int_equal(err.kind, ERR_BUSY);
    assert_string_equal(err.code, "blob_unavailable");
    assert_non_null(strstr(err.text, "SlowDown"));
    assert_int_equal(store.calls, 4);
    http_server_close(store.server);
}

static void a_refusal_is_not_tried_again(void **state) {
    (void)state;
    struct store store;
    struct http_answer answer = {0};
    struct err err = {0};
    store_open(&store, 100, 403);

    assert_false(call(&store, &answer, &err));

    assert_int_equal(err.kind, ERR_DENIED);
    assert_string_equal(err.code, "blob_refused");
    assert_int_equal(store.calls, 1);
    http_server_close(store.server);
}

static void not_there_is_an_answer(void **state) {
    (void)state;
    struct store store;
    struct http_answer answer = {0};
    struct err err = {0};
    store_open(&store, 100, 404);

    assert_true(call(&store, &answer, &err));

    assert_int_equal(answer.status, 404);
    http_server_close(store.server);
}

static void settings_that_cannot_be_signed_are_refused(void **state) {
    (void)state;
    struct s3_options rows[8];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        rows[i] = options_of("http://127.0.0.1:1", &clock_real);
    }
    rows[0].bucket = "a";
    rows[1].bucket = "two words";
    rows[2].bucket = "up/../there";
    rows[3].prefix = "no-slash";
    rows[4].prefix = "/begins";
    rows[5].region = "";
    rows[6].access_key = "";
    rows[7].secret_key = "";
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct s3_client *client = NULL;
        struct err err = {0};
        assert_false(s3_client_open(&rows[i], &client, &err));
        assert_string_equal(err.code, "bad_s3_setting");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_passes_by_itself_is_tried_again),
        cmocka_unit_test(what_does_not_pass_is_busy_with_the_code_of_the_store),
        cmocka_unit_test(a_refusal_is_not_tried_again),
        cmocka_unit_test(not_there_is_an_answer),
        cmocka_unit_test(settings_that_cannot_be_signed_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
