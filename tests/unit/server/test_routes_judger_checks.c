/* Proving a node, and its credential, over HTTP. The node's own HTTPS address is a server of the
 * test's. */
#include "net/http.h"
#include "node_fixture.h"
#include "wire/health_json.h"

static void refused(struct reply reply, int status, const char *code) {
    expect_error(reply, status, code);
}

struct own_address {
    struct http_server *server;
    int port;
    const char *credential; /* what it proves to have */
    const char *config;
    int32_t protocol_min;
};

static void address_begin(void *context, struct http_request *request) {
    (void)context;
    http_accept_body(request, 0, false);
}

static void address_handle(void *context, struct http_request *request) {
    const struct own_address *own = context;
    struct digest key = digest_of(str_from(own->credential));
    struct str challenge = http_header(request, HEALTH_CHALLENGE_HEADER);
    struct health health = {.name = STR("n1"),
                            .protocol_min = own->protocol_min,
                            .protocol_max = own->protocol_min,
                            .config_digest = str_from(own->config),
                            .proof =
                                health_proof(&key, arena_cstr(http_arena(request), challenge))};
    own_buf out = {0};
    struct err err = {0};
    buf_init(&out, 4096);
    assert_true(health_encode(&health, &out, &err));
    bool right = str_eq(http_path(request), STR(HEALTH_PATH));
    http_send(request, right ? 200 : 404, "application/json",
              arena_str(http_arena(request), buf_str(&out)));
}

static void address_end(void *context, struct http_request *request) {
    (void)context;
    (void)request;
}

static const char *load(struct fixture *f, const char *name) {
    own_buf content = {0};
    buf_init(&content, 64 * KIB);
    const char *path =
        arena_printf(f->arena, "%s/tests/fixtures/tls/%s", getenv("ASSIZE_SOURCE_ROOT"), name);
    assert_true(file_load(path, 64 * KIB, &content, &f->err));
    return arena_cstr(f->arena, buf_str(&content));
}

static void address_open(struct fixture *f, struct own_address *own) {
    int fd = -1;
    assert_true(http_listen("127.0.0.1:0", &fd, &own->port, &f->err));
    struct http_server_options options = {
        .listen_fd = fd,
        .handler = {own, address_begin, address_handle, address_end},
        .worker_threads = 1,
        .tls_certificate = load(f, "node.pem"),
        .tls_key = load(f, "node.key")};
    assert_true(http_server_open(&options, &own->server, &f->err));
    struct str ports = str_from(arena_printf(f->arena, "%d", own->port));
    assert_true(probe_rules_parse(STR("127.0.0.0/8"), ports, &f->server->probe_rules, &f->err));
    free(f->server->probe_ca_file);
    f->server->probe_ca_file = strdup(
        arena_printf(f->arena, "%s/tests/fixtures/tls/ca.pem", getenv("ASSIZE_SOURCE_ROOT")));
}

static void address_close(struct own_address *own) {
    http_server_quiesce(own->server);
    http_server_close(own->server);
}

static struct reply check(struct fixture *f, const struct person *admin,
                          const struct fake_node *node, const char *kind) {
    return send_json(
        f, admin, "POST",
        arena_printf(f->arena, "/api/v1/admin/judgers/%lld/checks", (long long)node->id),
        "{\"kind\":\"%s\"}", kind);
}

static void set_base_url(struct fixture *f, const struct person *admin,
                         const struct fake_node *node, const char *url) {
    const char *path = arena_printf(f->arena, "/api/v1/admin/judgers/%lld", (long long)node->id);
    struct reply now = get(f, admin, path);
    expect(now, 200);
    struct reply set = send_json(f, admin, "PATCH", path, "{\"revision\":%lld,\"baseUrl\":\"%s\"}",
                                 (long long)reply_i64(&now, "revision"), url);
    expect(set, 200);
    assert_true(reply_is(&set, "baseUrl", url));
}

static void the_connection_is_checked_step_by_step(void **state) {
    struct fixture *f = *state;
    struct person admin = new_person(f, "eve", ROLE_ADMIN);
    struct fake_node node = new_node(f, &admin, "n1");
    const char *digest = arena_printf(f->arena, "%064d", 7);
    const char *secret = strstr(node.headers, "Bearer ") + 7;
    const char *credential =
        arena_cstr(f->arena, str_of(secret, (size_t)(strstr(secret, "\r\n") - secret)));
    const struct {
        const char *message; /* begins so; NULL: passed */
        struct own_address own;
    } rows[] = {
        {NULL, {.credential = credential, .config = digest, .protocol_min = 1}},
        {"identity: ", {.credential = "another", .config = digest, .protocol_min = 1}},
        {"protocol: ", {.credential = credential, .config = digest, .protocol_min = 99}},
        {"runtime: ", {.credential = credential, .config = "other", .protocol_min = 1}},
    };
    refused(check(f, &admin, &node, "CONNECTION"), 409, "not_probed");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct own_address own = rows[i].own;
        address_open(f, &own);
        set_base_url(f, &admin, &node, arena_printf(f->arena, "https://localhost:%d", own.port));

        struct reply reply = check(f, &admin, &node, "CONNECTION");

        expect(reply, 201);
        if (rows[i].message == NULL) {
            assert_true(reply_is(&reply, "state", "PASSED"));
            assert_int_equal(jr_count(reply_at(&reply, "steps")), 8);
        } else {
            assert_true(reply_is(&reply, "state", "FAILED"));
            assert_true(str_starts(reply_str(&reply, "message"), str_from(rows[i].message)));
        }
        address_close(&own);
    }
    set_base_url(f, &admin, &node, "https://localhost:1");
    struct reply closed = check(f, &admin, &node, "CONNECTION");
    assert_true(reply_is(&closed, "steps.1.step", "network"));
    assert_true(reply_is(&closed, "state", "FAILED"));
}

static void a_self_test_is_asked_for_and_answered(void **state) {
    struct fixture *f = *state;
    struct person admin = new_person(f, "eve", ROLE_ADMIN);
    struct fake_node node = new_node(f, &admin, "n1");

    struct reply asked = check(f, &admin, &node, "SELF_TEST");

    expect(asked, 201);
    assert_true(reply_is(&asked, "state", "WAITING"));
    int64_t id = reply_i64(&asked, "id");
    struct reply beat = node_beat(f, &node);
    assert_int_equal(reply_i64(&beat, "checkId"), id);
    const char *path = arena_printf(f->arena, "checks/%lld/result", (long long)id);
    struct reply answered = node_post(
        f, &node, path,
        "{\"sessionEpoch\":%lld,\"passed\":false,\"speedPermille\":800,\"message\":\"cpp: "
        "memory\",\"programs\":[{\"language\":\"cpp\",\"program\":\"memory\",\"passed\":false,"
        "\"outcome\":\"ACCEPTED\",\"cpuMs\":3}]}",
        (long long)node.epoch);
    expect(answered, 200);
    struct reply list = get(
        f, &admin, arena_printf(f->arena, "/api/v1/admin/judgers/%lld/checks", (long long)node.id));
    expect(list, 200);
    assert_true(reply_is(&list, "items.0.state", "FAILED"));
    assert_true(reply_is(&list, "items.0.steps.0.step", "memory"));
    refused(check(f, &admin, &node, "NOTHING"), 400, "bad_field");
    refused(node_post(f, &node, "checks/77/result",
                      "{\"sessionEpoch\":%lld,\"passed\":true,\"speedPermille\":0,"
                      "\"message\":\"\",\"programs\":[]}",
                      (long long)node.epoch),
            409, "check_over");
}

static struct reply change_access(struct fixture *f, const struct person *admin,
                                  const struct fake_node *node, const char *what) {
    const char *path = arena_printf(f->arena, "/api/v1/admin/judgers/%lld", (long long)node->id);
    struct reply now = get(f, admin, path);
    return send_json(f, admin, "POST", arena_printf(f->arena, "%s/%s", path, what),
                     "{\"revision\":%lld}", (long long)reply_i64(&now, "revision"));
}

static void a_credential_is_replaced_and_taken_away(void **state) {
    struct fixture *f = *state;
    struct person admin = new_person(f, "eve", ROLE_ADMIN);
    struct fake_node node = new_node(f, &admin, "n1");
    struct fake_node old = node;

    struct reply rotated = change_access(f, &admin, &node, "rotate");
    expect(rotated, 200);
    node.join_code = arena_cstr(f->arena, reply_str(&rotated, "joinCode"));
    node_joined(f, &node);
    refused(node_beat(f, &old), 401, "bad_credential");
    node_opened(f, &node);
    struct reply revoked = change_access(f, &admin, &node, "revoke");

    expect(revoked, 200);
    assert_true(reply_is(&revoked, "configState", "DISABLED"));
    assert_false(reply_bool(&revoked, "hasCredential"));
    refused(node_beat(f, &node), 401, "bad_credential");
    refused(
        send_json(f, &admin, "POST",
                  arena_printf(f->arena, "/api/v1/admin/judgers/%lld/revoke", (long long)node.id),
                  "{\"revision\":1}"),
        409, "stale_revision");
}

int main(void) {
#ifdef __SANITIZE_THREAD__
    print_message(
        "skipped: glibc resolves names in threads that the thread sanitizer does not know\n");
    return 77;
#endif
    const struct CMUnitTest tests[] = {
        SERVER_TEST(the_connection_is_checked_step_by_step),
        SERVER_TEST(a_self_test_is_asked_for_and_answered),
        SERVER_TEST(a_credential_is_replaced_and_taken_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
