/* One connection to a real redis-server: plain, with a password, over TLS; and what is not Redis.
 */
#include "wake/redis_link.h"
#include "wake/redis_server.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct redis_link_options options_of(const char *url, const char *password) {
    return (struct redis_link_options){.url = url, .user = "", .password = password, .ca_file = ""};
}

static void ping(struct redis_link *link) {
    const struct str words[] = {STR("PING")};
    struct err err = {0};
    assert_true(redis_link_send(link, words, 1, &err));
    assert_true(redis_link_wait(link, 5000, &err));
}

static void addresses_are_understood_or_refused(void **state) {
    (void)state;
    static const struct {
        const char *url;
        bool fine;
    } rows[] = {
        {"redis://127.0.0.1:6379", true},
        {"redis://cache.example", true},
        {"rediss://cache:6380/", true},
        {"redis://[::1]:6379", true},
        {"redis://[::1]", true},
        {"unix:/run/redis.sock", true},
        {"unix:redis.sock", false},
        {"http://cache", false},
        {"redis://", false},
        {"redis://me:secret@cache", false},
        {"redis://cache/3", false},
        {"", false},
        {"redis://a b", false},
        {"redis://cache?x=1", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct err err = {0};
        assert_int_equal(redis_url_check(rows[i].url, &err), rows[i].fine);
        assert_null(strstr(err.text, "secret"));
    }
}

static void a_published_message_comes_to_who_has_subscribed(void **state) {
    struct redis_server *server = *state;
    struct redis_link_options options = options_of(server->url, "open sesame");
    own(redis_link) listening = NULL;
    own(redis_link) publishing = NULL;
    const struct str subscribe[] = {STR("SUBSCRIBE"), STR("channel")};
    const struct str publish[] = {STR("PUBLISH"), STR("channel"), str_of("a\0\nb", 4)};
    enum redis_kind kind = REDIS_NOTHING;
    struct str text = {0};
    struct err err = {0};
    assert_true(redis_link_open(&options, &listening, &err));
    assert_true(redis_link_open(&options, &publishing, &err));
    assert_true(redis_link_send(listening, subscribe, 2, &err));
    assert_true(redis_link_wait(listening, 5000, &err));

    assert_true(redis_link_send(publishing, publish, 3, &err));
    assert_true(redis_link_wait(publishing, 5000, &err)); /* after the answer it is on its way */
    while (kind == REDIS_NOTHING) {
        assert_true(redis_link_next(listening, &kind, &text, &err));
    }

    assert_int_equal(kind, REDIS_MESSAGE);
    assert_true(str_eq(text, str_of("a\0\nb", 4)));
}

static void a_wrong_password_is_refused_and_not_repeated(void **state) {
    struct redis_server *server = *state;
    struct redis_link_options options = options_of(server->url, "wrong horse");
    own(redis_link) link = NULL;
    struct err err = {0};

    assert_false(redis_link_open(&options, &link, &err));

    assert_int_equal(err.kind, ERR_DENIED);
    assert_string_equal(err.code, "redis_refused");
    assert_null(strstr(err.text, "wrong horse"));
}

static void a_missing_password_shows_at_the_first_command(void **state) {
    struct redis_server *server = *state;
    struct redis_link_options options = options_of(server->url, "");
    own(redis_link) link = NULL;
    const struct str words[] = {STR("PING")};
    struct err err = {0};
    assert_true(redis_link_open(&options, &link, &err));
    assert_true(redis_link_send(link, words, 1, &err));

    assert_false(redis_link_wait(link, 5000, &err));

    assert_string_equal(err.code, "redis_refused");
}

static void tls_is_spoken_and_the_certificate_checked(void **state) {
    struct redis_server *server = *state;
    struct redis_link_options options = options_of(server->tls_url, "open sesame");
    own(redis_link) link = NULL;
    struct err err = {0};

    assert_false(redis_link_open(&options, &link, &err)); /* signed by nobody the system knows */
    assert_string_equal(err.code, "unreachable");
    options.ca_file = server->ca_file;
    assert_true(redis_link_open(&options, &link, &err));

    ping(link);
}

static void nobody_there_is_unreachable(void **state) {
    (void)state;
    struct redis_link_options options = options_of("unix:/nonexistent/redis.sock", "");
    own(redis_link) link = NULL;
    struct err err = {0};

    assert_false(redis_link_open(&options, &link, &err));

    assert_int_equal(err.kind, ERR_BUSY);
}

/* A server of another protocol, which says `text` to whoever connects. */
static void serve(int listen_fd, const char *text) {
    int fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC);
    (void)!write(fd, text, strlen(text));
    shutdown(fd, SHUT_WR);
    char sink[256];
    while (read(fd, sink, sizeof sink) > 0) {
    }
    close(fd);
}

static void what_is_not_redis_is_an_error(void **state) {
    (void)state;
    int listen_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    struct sockaddr *plain = (struct sockaddr *)(void *)&address;
    char url[64];
    assert_int_equal(bind(listen_fd, plain, size), 0);
    assert_int_equal(listen(listen_fd, 4), 0);
    assert_int_equal(getsockname(listen_fd, plain, &size), 0);
    snprintf(url, sizeof url, "redis://127.0.0.1:%d", ntohs(address.sin_port));
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        serve(listen_fd, "HTTP/1.1 400 Bad Request\r\n\r\n");
        _exit(0);
    }
    struct redis_link_options options = options_of(url, "");
    struct err err = {0};
    {
        own(redis_link) link = NULL;
        assert_true(redis_link_open(&options, &link, &err));
        assert_false(redis_link_wait(link, 5000, &err));
    }
    close(listen_fd);
    waitpid(child, NULL, 0);

    assert_string_equal(err.code, "redis_protocol");
}

static int start(void **state) {
    static struct redis_server server;
    *state = &server;
    return redis_make(&server, true) && redis_start(&server, "open sesame") ? 0 : -1;
}

static int stop(void **state) {
    redis_remove(*state);
    return 0;
}

int main(void) {
    if (!redis_is_installed()) {
        printf("skipped: redis-server is not installed\n");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_are_understood_or_refused),
        cmocka_unit_test(a_published_message_comes_to_who_has_subscribed),
        cmocka_unit_test(a_wrong_password_is_refused_and_not_repeated),
        cmocka_unit_test(a_missing_password_shows_at_the_first_command),
        cmocka_unit_test(tls_is_spoken_and_the_certificate_checked),
        cmocka_unit_test(nobody_there_is_unreachable),
        cmocka_unit_test(what_is_not_redis_is_an_error),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
