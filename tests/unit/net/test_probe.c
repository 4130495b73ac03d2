/* A look at an address that somebody typed: every way in which it must not go wrong. */
#include "base/buf.h"
#include "base/limits.h"
#include "net/net_test.h"
#include "net/probe.h"

#define ANSWER_BYTES_MAX 1000
#define TIMEOUT_MS 1500

static struct net_test server;
static struct http_request *slow;
static struct mutex lock;
static atomic_int redirected;
static struct arena *arena;
static char ca_file[1024];

static void begin(void *context, struct http_request *request) {
    (void)context;
    http_accept_body(request, 0, false);
}

static void handle(void *context, struct http_request *request) {
    (void)context;
    static char huge[4 * ANSWER_BYTES_MAX];
    if (str_eq(http_path(request), STR("/slow"))) {
        http_later(request);
        mutex_lock(&lock);
        slow = request;
        mutex_unlock(&lock);
    } else if (str_eq(http_path(request), STR("/huge"))) {
        memset(huge, 'x', sizeof huge);
        http_send(request, 200, "text/plain", str_of(huge, sizeof huge));
    } else if (str_eq(http_path(request), STR("/moved"))) {
        http_add_header(request, "Location", "/forbidden");
        http_send(request, 302, "text/plain", STR(""));
    } else if (str_eq(http_path(request), STR("/forbidden"))) {
        atomic_fetch_add(&redirected, 1);
        http_send(request, 200, "text/plain", STR("secret"));
    } else if (str_eq(http_path(request), STR("/broken"))) {
        http_send(request, 500, "text/plain", STR("no"));
    } else {
        http_send(request, 200, "text/plain", http_header(request, "X-Test"));
    }
}

static void end(void *context, struct http_request *request) {
    (void)context;
    (void)request;
}

static char *load(const char *name) {
    char path[1024];
    struct err err = {0};
    own_buf content = {0};
    buf_init(&content, 64 * KIB);
    (void)snprintf(path, sizeof path, "%s/tests/fixtures/tls/%s", getenv("ASSIZE_SOURCE_ROOT"),
                   name);
    assert_true(file_load(path, 64 * KIB, &content, &err));
    char *text = strdup(buf_c(&content));
    assert_non_null(text);
    return text;
}

static int open_all(void **state) {
    (void)state;
    struct err err = {0};
    int fd = -1;
    char *certificate = load("node.pem");
    char *key = load("node.key");
    (void)snprintf(ca_file, sizeof ca_file, "%s/tests/fixtures/tls/ca.pem",
                   getenv("ASSIZE_SOURCE_ROOT"));
    mutex_init(&lock);
    arena = arena_create(8 * MIB);
    assert_true(http_listen("127.0.0.1:0", &fd, &server.port, &err));
    struct http_server_options options = {.listen_fd = fd,
                                          .handler = {NULL, begin, handle, end},
                                          .worker_threads = 1,
                                          .tls_certificate = certificate,
                                          .tls_key = key};
    assert_true(http_server_open(&options, &server.server, &err));
    free(certificate);
    free(key);
    return 0;
}

static int close_all(void **state) {
    (void)state;
    mutex_lock(&lock);
    if (slow != NULL) {
        http_send(slow, 200, "text/plain", STR("late"));
    }
    mutex_unlock(&lock);
    http_server_quiesce(server.server);
    http_server_close(server.server);
    arena_free(arena);
    return 0;
}

/* A name server of the test's own: names are lists of addresses. */
static bool resolve_list(void *context, const char *host, int64_t timeout_ms,
                         struct probe_addresses *ret_addresses, struct err *err) {
    struct str rest = str_from(context);
    struct str word = {0};
    (void)host;
    (void)timeout_ms;
    *ret_addresses = (struct probe_addresses){0};
    while (str_next_word(&rest, &word)) {
        struct sockaddr_in address = {.sin_family = AF_INET};
        char text[64];
        assert_true(str_to_c(word, text, sizeof text, err));
        assert_int_equal(inet_pton(AF_INET, text, &address.sin_addr), 1);
        memcpy(&ret_addresses->items[ret_addresses->count++], &address, sizeof address);
    }
    return ret_addresses->count > 0 || err_set(err, ERR_MISSING, "no_address", "no such name");
}

struct look {
    const char *networks;
    const char *host;
    const char *names; /* what the host resolves to; NULL: by the system */
    const char *path;
    bool other_port;
    bool other_authority;
};

static struct probe_result look(const struct look *look) {
    struct probe_rules rules = {0};
    struct probe_result result = {0};
    struct err err = {0};
    char ports[32];
    (void)snprintf(ports, sizeof ports, "%d", look->other_port ? 1 : server.port);
    assert_true(probe_rules_parse(str_from(look->networks), str_from(ports), &rules, &err));
    struct probe_options options = {.rules = &rules,
                                    .host = look->host,
                                    .port = server.port,
                                    .path = look->path != NULL ? look->path : "/health",
                                    .header = "X-Test: echo",
                                    .ca_file = look->other_authority ? "" : ca_file,
                                    .timeout_ms = TIMEOUT_MS,
                                    .answer_bytes_max = ANSWER_BYTES_MAX,
                                    .resolve = look->names != NULL ? resolve_list : NULL,
                                    .resolve_context = (void *)(uintptr_t)look->names};
    probe_run(&options, arena, &result);
    return result;
}

static void what_is_allowed_is_reached(void **state) {
    (void)state;
    const struct look rows[] = {
        {.networks = "127.0.0.0/8", .host = "127.0.0.1"},
        {.networks = "10.0.0.0/8 127.0.0.1", .host = "127.0.0.1"},
        {.networks = "127.0.0.0/8", .host = "node.test", .names = "127.0.0.1"},
        {.networks = "::ffff:127.0.0.1", .host = "node.test", .names = "127.0.0.1"},
        {.networks = "127.0.0.0/8 ::1", .host = "localhost", .names = "127.0.0.1"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct probe_result result = look(&rows[i]);

        if (result.failed != PROBE_STEP_END) {
            fail_msg("%zu: step %d: " STR_FMT, i, (int)result.failed, STR_ARG(result.text));
        }
        assert_true(str_eq_c(result.body, "echo"));
        assert_true(str_eq_c(result.address, "127.0.0.1"));
    }
}

static void what_is_forbidden_fails_at_its_step(void **state) {
    (void)state;
    const struct {
        const char *why;
        struct look look;
        enum probe_step step;
    } rows[] = {
        {"no network at all", {.networks = "", .host = "127.0.0.1"}, PROBE_NETWORK},
        {"a forbidden network", {.networks = "10.0.0.0/8", .host = "127.0.0.1"}, PROBE_NETWORK},
        {"by a name", {.networks = "10.0.0.0/8", .host = "localhost"}, PROBE_NETWORK},
        {"one address of several",
         {.networks = "127.0.0.1", .host = "node.test", .names = "127.0.0.1 169.254.169.254"},
         PROBE_NETWORK},
        {"another port",
         {.networks = "127.0.0.0/8", .host = "127.0.0.1", .other_port = true},
         PROBE_NETWORK},
        {"a name that is none",
         {.networks = "127.0.0.0/8", .host = "node.test", .names = " "},
         PROBE_RESOLVE},
        {"nobody there",
         {.networks = "127.0.0.0/8", .host = "node.test", .names = "127.0.0.77"},
         PROBE_CONNECT},
        {"an authority that nobody trusts",
         {.networks = "127.0.0.0/8", .host = "127.0.0.1", .other_authority = true},
         PROBE_TLS},
        {"a certificate of another name",
         {.networks = "127.0.0.0/8", .host = "other.test", .names = "127.0.0.1"},
         PROBE_TLS},
        {"a redirect",
         {.networks = "127.0.0.0/8", .host = "127.0.0.1", .path = "/moved"},
         PROBE_ANSWER},
        {"a huge body",
         {.networks = "127.0.0.0/8", .host = "127.0.0.1", .path = "/huge"},
         PROBE_ANSWER},
        {"a slow answer",
         {.networks = "127.0.0.0/8", .host = "127.0.0.1", .path = "/slow"},
         PROBE_ANSWER},
        {"a server in trouble",
         {.networks = "127.0.0.0/8", .host = "127.0.0.1", .path = "/broken"},
         PROBE_ANSWER},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct probe_result result = look(&rows[i].look);

        if (result.failed != rows[i].step) {
            fail_msg("%s: step %d: " STR_FMT, rows[i].why, (int)result.failed,
                     STR_ARG(result.text));
        }
        assert_true(result.text.len > 0);
        assert_true(result.body.len <= ANSWER_BYTES_MAX);
    }
    assert_int_equal(atomic_load(&redirected), 0);
}

static void rules_are_read_strictly(void **state) {
    (void)state;
    static const struct {
        const char *networks;
        const char *ports;
    } bad[] = {{"10.0.0.0/33", "443"},  {"10.0.0/8", "443"},    {"fd00::/129", "443"},
               {"everything", "443"},   {"10.0.0.0/-1", "443"}, {"10.0.0.0/8", "0"},
               {"10.0.0.0/8", "https"}, {"10.0.0.0/8", "70000"}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct probe_rules rules = {0};
        struct err err = {0};

        assert_false(
            probe_rules_parse(str_from(bad[i].networks), str_from(bad[i].ports), &rules, &err));

        assert_string_equal(err.code, "bad_probe_rule");
    }
}

static bool allows(const char *networks, const char *text) {
    struct probe_rules rules = {0};
    struct err err = {0};
    struct sockaddr_storage address = {0};
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
    assert_true(probe_rules_parse(str_from(networks), STR("443"), &rules, &err));
    if (inet_pton(AF_INET, text, &v4.sin_addr) == 1) {
        memcpy(&address, &v4, sizeof v4);
    } else {
        assert_int_equal(inet_pton(AF_INET6, text, &v6.sin6_addr), 1);
        memcpy(&address, &v6, sizeof v6);
    }
    return probe_allows(&rules, (const struct sockaddr *)&address);
}

static void networks_hold_what_is_in_them(void **state) {
    (void)state;
    assert_true(allows("10.0.0.0/8", "10.255.0.1"));
    assert_false(allows("10.0.0.0/8", "11.0.0.1"));
    assert_true(allows("192.168.4.0/22", "192.168.7.255"));
    assert_false(allows("192.168.4.0/22", "192.168.8.0"));
    assert_true(allows("0.0.0.0/0", "8.8.8.8"));
    assert_false(allows("0.0.0.0/0", "fd00::1"));
    assert_true(allows("10.0.0.0/8", "::ffff:10.1.2.3")); /* the same address in other words */
    assert_false(allows("fd00::/8", "::ffff:10.1.2.3"));
    assert_true(allows("fd00::/8", "fd12::1"));
    assert_false(allows("10.0.0.7", "10.0.0.8"));
}

int main(void) {
#ifdef __SANITIZE_THREAD__
    print_message(
        "skipped: glibc resolves names in threads that the thread sanitizer does not know\n");
    return 77;
#endif
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_allowed_is_reached),
        cmocka_unit_test(what_is_forbidden_fails_at_its_step),
        cmocka_unit_test(rules_are_read_strictly),
        cmocka_unit_test(networks_hold_what_is_in_them),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
