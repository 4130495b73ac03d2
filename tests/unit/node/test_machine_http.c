/* Messages over real HTTP: what goes out, and what each answer becomes. */
#include "base/clock.h"
#include "base/file.h"
#include "net/http.h"
#include "node/machine_http.h"
#include "wire/machine_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct http_server *server;
static struct machine_http *http;
static char seen[1024]; /* method, path and credential of the last request */
static int answer_status = 200;
static struct str answer_body;

static void begin(void *context, struct http_request *request) {
    (void)context;
    http_accept_body(request, 1 << 20, false);
}

static void handle(void *context, struct http_request *request) {
    (void)context;
    (void)snprintf(seen, sizeof seen, "%s " STR_FMT " " STR_FMT " " STR_FMT,
                   http_method_name(http_method(request)), STR_ARG(http_path(request)),
                   STR_ARG(http_header(request, "Authorization")),
                   STR_ARG(http_header(request, MACHINE_HEADER_LEASE_TOKEN)));
    http_send(request, answer_status, "application/json", answer_body);
}

static int set_up(void **state) {
    (void)state;
    struct err err = {0};
    char url[64];
    int fd = -1;
    int port = 0;
    struct http_server_options options = {.handler = {.begin = begin, .handle = handle}};
    if (!http_listen("127.0.0.1:0", &fd, &port, &err)) {
        return -1;
    }
    options.listen_fd = fd;
    (void)snprintf(url, sizeof url, "http://127.0.0.1:%d", port);
    struct machine_http_options client = {.base_url = url, .credential = "secret-9"};
    return http_server_open(&options, &server, &err) && machine_http_open(&client, &http, &err)
               ? 0
               : -1;
}

static int tear_down(void **state) {
    (void)state;
    machine_http_close(http);
    http_server_close(server);
    return 0;
}

static void answer(int status, struct str body) {
    answer_status = status;
    answer_body = body;
}

static void a_heartbeat_goes_out_with_the_credential(void **state) {
    (void)state;
    const struct machine_api *api = machine_http_api(http);
    struct machine_heartbeat request = {.session_epoch = 3, .busy_slots = 1};
    struct machine_heartbeat_answer got = {0};
    struct err err = {0};
    answer(200, STR("{\"sessionEpoch\":3,\"configState\":\"ENABLED\",\"slots\":2}"));

    if (!api->heartbeat(api->context, &request, &got, &err)) {
        fail_msg("%s", err.text);
    }

    assert_int_equal(got.config, MACHINE_ENABLED);
    assert_int_equal(got.slots, 2);
    assert_string_equal(seen, "POST /api/v1/internal/judgers/heartbeat Bearer secret-9 ");
}

static void a_problem_becomes_its_error(void **state) {
    (void)state;
    static const struct {
        int status;
        const char *body;
        enum err_kind kind;
        const char *code;
    } rows[] = {
        {409, "{\"code\":\"lease_expired\",\"detail\":\"too late\",\"status\":409}", ERR_CONFLICT,
         "lease_expired"},
        {409, "{\"code\":\"session_superseded\",\"detail\":\"x\",\"status\":409}", ERR_CONFLICT,
         "session_superseded"},
        {401, "{\"code\":\"bad_credential\",\"detail\":\"x\",\"status\":401}", ERR_UNAUTHENTICATED,
         "bad_credential"},
        {503, "<html>a proxy's page</html>", ERR_BUSY, NULL},
        {500, "", ERR_SYSTEM, NULL},
    };
    const struct machine_api *api = machine_http_api(http);
    struct machine_failure request = {.session_epoch = 3,
                                      .lease = {{381}, 2, 0xabc},
                                      .fault = FAULT_NODE,
                                      .code = STR("box_failed"),
                                      .detail = STR("x")};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct machine_failure_answer got = {0};
        struct err err = {0};
        answer(rows[i].status, str_from(rows[i].body));

        assert_false(api->failure(api->context, &request, &got, &err));

        assert_int_equal(err.kind, rows[i].kind);
        if (rows[i].code != NULL) {
            assert_string_equal(err.code, rows[i].code);
        }
    }
    assert_non_null(strstr(seen, "/jobs/381/failure"));
}

static void words_that_make_no_sense_are_an_error(void **state) {
    (void)state;
    const struct machine_api *api = machine_http_api(http);
    struct machine_heartbeat request = {.session_epoch = 3};
    struct machine_heartbeat_answer got = {0};
    struct err err = {0};
    answer(200, STR("{\"slots\":\"many\"}"));

    assert_false(api->heartbeat(api->context, &request, &got, &err));
}

static void an_artifact_arrives_in_the_file(void **state) {
    (void)state;
    const struct machine_api *api = machine_http_api(http);
    struct machine_artifact request = {.session_epoch = 3,
                                       .lease = {{381}, 2, 0xabc},
                                       .digest = digest_of(STR("test data\n")),
                                       .bytes_max = 100};
    struct err err = {0};
    int64_t bytes = 0;
    own_fd fd = -1;
    assert_true(file_memory("artifact", STR(""), false, &fd, &err));
    answer(200, STR("test data\n"));

    assert_true(api->artifact(api->context, &request, fd, &bytes, &err));

    assert_int_equal(bytes, 10);
    assert_non_null(strstr(seen, "GET /api/v1/internal/judgers/jobs/381/artifacts/"));
    assert_non_null(strstr(seen, "0000000000000abc"));
}

static void an_aborted_link_answers_at_once(void **state) {
    (void)state;
    const struct machine_api *api = machine_http_api(http);
    struct machine_heartbeat request = {.session_epoch = 3};
    struct machine_heartbeat_answer got = {0};
    struct err err = {0};

    machine_http_abort(http);

    assert_false(api->heartbeat(api->context, &request, &got, &err));
    assert_int_equal(err.kind, ERR_CANCELLED);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_heartbeat_goes_out_with_the_credential),
        cmocka_unit_test(a_problem_becomes_its_error),
        cmocka_unit_test(words_that_make_no_sense_are_an_error),
        cmocka_unit_test(an_artifact_arrives_in_the_file),
        cmocka_unit_test(an_aborted_link_answers_at_once), /* the last: there is no way back */
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
