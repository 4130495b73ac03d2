/* The node's own HTTPS address. */
#include "base/file.h"
#include "base/limits.h"
#include "net/http.h"
#include "net/http_client.h"
#include "node/health.h"
#include "wire/health_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char *load(const char *name) {
    char path[1024];
    struct err err = {0};
    own_buf content = {0};
    buf_init(&content, 64 * KIB);
    (void)snprintf(path, sizeof path, "%s/tests/fixtures/tls/%s", getenv("ASSIZE_SOURCE_ROOT"),
                   name);
    assert_true(file_load(path, 64 * KIB, &content, &err));
    return strdup(buf_c(&content));
}

static void whoever_asks_gets_a_proof_and_nothing_else(void **state) {
    (void)state;
    static const char challenge[] =
        "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
    own(arena) arena = arena_create(8 * MIB);
    own(node_health) health = NULL;
    own(http_client) client = NULL;
    struct err err = {0};
    int fd = -1;
    int port = 0;
    char *certificate = load("node.pem");
    char *key = load("node.key");
    assert_true(http_listen("127.0.0.1:0", &fd, &port, &err));
    struct node_health_options options = {.listen_fd = fd,
                                          .certificate = certificate,
                                          .key = key,
                                          .name = "n1",
                                          .credential = STR("secret")};
    assert_true(node_health_open(&options, &health, &err));
    struct digest config = digest_of(STR("config"));
    node_health_set_config(health, &config);
    node_health_set_config(NULL, &config);
    struct http_client_options who = {.base_url = arena_printf(arena, "https://localhost:%d", port),
                                      .ca_file = arena_printf(arena, "%s/tests/fixtures/tls/ca.pem",
                                                              getenv("ASSIZE_SOURCE_ROOT")),
                                      .user_agent = "test"};
    assert_true(http_client_open(&who, &client, &err));
    const char *const headers[] = {arena_printf(arena, HEALTH_CHALLENGE_HEADER ": %s", challenge),
                                   NULL};
    struct http_call call = {.method = HTTP_GET,
                             .path = HEALTH_PATH,
                             .headers = headers,
                             .timeout_ms = 5000,
                             .answer_bytes_max = 64 * KIB};
    struct http_answer answer = {0};
    struct health said = {0};
    if (!http_client_call(client, &call, arena, &answer, &err)) {
        fail_msg("%s", err.text);
    }

    assert_int_equal(answer.status, 200);
    assert_true(health_decode(answer.body, arena, &said, &err));
    struct digest credential = digest_of(STR("secret"));
    struct digest proof = health_proof(&credential, challenge);
    char hex[DIGEST_HEX_BYTES];
    digest_hex(&config, hex);
    assert_true(digest_equal(&said.proof, &proof));
    assert_true(str_eq_c(said.config_digest, hex));
    assert_null(memmem(answer.body.ptr, answer.body.len, "secret", 6));
    call.headers = NULL;
    assert_true(http_client_call(client, &call, arena, &answer, &err));
    assert_int_equal(answer.status, 400);
    call.path = "/";
    assert_true(http_client_call(client, &call, arena, &answer, &err));
    assert_int_equal(answer.status, 404);
    free(certificate);
    free(key);
}

static void a_key_that_is_none_is_an_error(void **state) {
    (void)state;
    own(node_health) health = NULL;
    struct err err = {0};
    int fd = -1;
    int port = 0;
    assert_true(http_listen("127.0.0.1:0", &fd, &port, &err));
    struct node_health_options options = {
        .listen_fd = fd, .certificate = "no", .key = "no", .name = "n1"};

    assert_false(node_health_open(&options, &health, &err));

    assert_true(err.text[0] != '\0');
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whoever_asks_gets_a_proof_and_nothing_else),
        cmocka_unit_test(a_key_that_is_none_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
