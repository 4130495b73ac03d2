/* Addresses to listen on. */
#include "net/net_test.h"

static void good_addresses_open(void **state) {
    (void)state;
    static const char *const good[] = {"127.0.0.1:0", ":0", "[::1]:0", "localhost:0", "0.0.0.0:0"};
    struct err err = {0};

    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        int fd = -1;
        int port = 0;
        assert_true(http_listen(good[i], &fd, &port, &err));
        assert_true(port > 0);
        close(fd);
    }
}

static void bad_addresses_are_refused_in_words(void **state) {
    (void)state;
    static const char *const bad[] = {
        "8080", "127.0.0.1", "host:", "host:port", "a:70000", "", "no such host.invalid:1"};

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct err err = {0};
        int fd = -1;
        int port = 0;
        assert_false(http_listen(bad[i], &fd, &port, &err));
        assert_int_equal(err.kind, ERR_INVALID);
        assert_int_equal(fd, -1);
    }
}

static void a_used_port_is_named(void **state) {
    (void)state;
    struct err err = {0};
    int first = -1;
    int second = -1;
    int port = 0;
    char address[32];
    assert_true(http_listen("127.0.0.1:0", &first, &port, &err));
    (void)snprintf(address, sizeof address, "127.0.0.1:%d", port);

    assert_false(http_listen(address, &second, &port, &err));

    assert_string_equal(err.code, "address_in_use");
    assert_non_null(strstr(err.text, address));
    close(first);
}

static void a_stale_unix_socket_is_replaced_and_a_live_one_is_not(void **state) {
    (void)state;
    struct err err = {0};
    char folder[] = "/tmp/assize-listen-XXXXXX";
    assert_non_null(mkdtemp(folder));
    char address[128];
    (void)snprintf(address, sizeof address, "unix:%s/socket", folder);
    int fd = -1;
    int port = -1;
    assert_true(http_listen(address, &fd, &port, &err));
    assert_int_equal(port, 0);

    int second = -1;
    assert_false(http_listen(address, &second, &port, &err));
    assert_string_equal(err.code, "address_in_use");
    close(fd);
    assert_true(http_listen(address, &second, &port, &err));

    close(second);
    assert_true(file_remove_tree(folder, &err));
}

static void only_loopback_and_unix_sockets_are_local(void **state) {
    (void)state;
    assert_true(http_listen_is_local("127.0.0.1:8080"));
    assert_true(http_listen_is_local("[::1]:8080"));
    assert_true(http_listen_is_local("localhost:8080"));
    assert_true(http_listen_is_local("unix:/run/assize.sock"));
    assert_false(http_listen_is_local("0.0.0.0:8080"));
    assert_false(http_listen_is_local(":8080"));
    assert_false(http_listen_is_local("[::]:8080"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_addresses_open),
        cmocka_unit_test(bad_addresses_are_refused_in_words),
        cmocka_unit_test(a_used_port_is_named),
        cmocka_unit_test(a_stale_unix_socket_is_replaced_and_a_live_one_is_not),
        cmocka_unit_test(only_loopback_and_unix_sockets_are_local),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
