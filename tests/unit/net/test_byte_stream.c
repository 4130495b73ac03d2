/* Bytes over TCP and Unix sockets. TLS is tested where it is used: wake/test_redis_link.c. */
#include "base/clock.h"
#include "net/byte_stream.h"
#include "net/http.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

static struct byte_stream *connect_to(int listen_fd, const struct byte_stream_options *options,
                                      int *ret_peer) {
    struct byte_stream *stream = NULL;
    struct err err = {0};
    assert_true(byte_stream_open(options, &stream, &err));
    *ret_peer = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC);
    if (*ret_peer < 0) { /* the listener does not wait by itself */
        clock_sleep_ms(&clock_real, 50);
        *ret_peer = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC);
    }
    assert_true(*ret_peer >= 0);
    return stream;
}

static size_t receive_some(struct byte_stream *stream, char *out, size_t room) {
    size_t count = 0;
    struct err err = {0};
    for (int i = 0; i < 1000 && count == 0; i++) {
        assert_true(byte_stream_receive(stream, out, room, &count, &err));
        if (count == 0) {
            clock_sleep_ms(&clock_real, 5);
        }
    }
    return count;
}

static void talk(int listen_fd, const struct byte_stream_options *options) {
    int peer = -1;
    own(byte_stream) stream = connect_to(listen_fd, options, &peer);
    char bytes[16] = {0};
    size_t count = 9;
    struct err err = {0};

    assert_true(byte_stream_receive(stream, bytes, sizeof bytes, &count, &err));
    assert_int_equal(count, 0);
    assert_true(byte_stream_send(stream, STR("hello"), 1000, &err));
    assert_int_equal(read(peer, bytes, sizeof bytes), 5);
    assert_memory_equal(bytes, "hello", 5);
    assert_int_equal(write(peer, "there", 5), 5);
    assert_int_equal(receive_some(stream, bytes, sizeof bytes), 5);
    assert_memory_equal(bytes, "there", 5);

    close(peer);
    bool alive = true;
    for (int i = 0; i < 1000 && alive; i++) {
        alive = byte_stream_receive(stream, bytes, sizeof bytes, &count, &err);
        clock_sleep_ms(&clock_real, 5);
    }
    assert_false(alive);
    assert_string_equal(err.code, "unreachable");
}

static void bytes_go_both_ways_over_tcp(void **state) {
    (void)state;
    own_fd listen_fd = -1;
    int port = 0;
    char address[32];
    struct err err = {0};
    assert_true(http_listen("127.0.0.1:0", &listen_fd, &port, &err));
    snprintf(address, sizeof address, "127.0.0.1:%d", port);

    talk(listen_fd, &(struct byte_stream_options){.address = address, .connect_ms = 2000});
}

static void bytes_go_both_ways_over_a_unix_socket(void **state) {
    (void)state;
    own_fd listen_fd = -1;
    int port = 0;
    char path[64];
    char address[80];
    struct err err = {0};
    snprintf(path, sizeof path, "/tmp/test-stream-%d.sock", getpid());
    snprintf(address, sizeof address, "unix:%s", path);
    assert_true(http_listen(address, &listen_fd, &port, &err));

    talk(listen_fd, &(struct byte_stream_options){.unix_path = path, .connect_ms = 2000});
    unlink(path);
}

static void who_reads_nothing_is_not_waited_for(void **state) {
    (void)state;
    own_fd listen_fd = -1;
    int port = 0;
    int peer = -1;
    char address[32];
    static char much[8 << 20];
    struct err err = {0};
    assert_true(http_listen("127.0.0.1:0", &listen_fd, &port, &err));
    snprintf(address, sizeof address, "127.0.0.1:%d", port);
    own(byte_stream) stream = connect_to(
        listen_fd, &(struct byte_stream_options){.address = address, .connect_ms = 2000}, &peer);

    assert_false(byte_stream_send(stream, str_of(much, sizeof much), 100, &err));

    assert_int_equal(err.kind, ERR_DEADLINE);
    close(peer);
}

static void nobody_there_is_unreachable(void **state) {
    (void)state;
    own(byte_stream) stream = NULL;
    struct err err = {0};

    assert_false(byte_stream_open(
        &(struct byte_stream_options){.unix_path = "/nonexistent", .connect_ms = 2000}, &stream,
        &err));

    assert_int_equal(err.kind, ERR_BUSY);
    assert_string_equal(err.code, "unreachable");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_go_both_ways_over_tcp),
        cmocka_unit_test(bytes_go_both_ways_over_a_unix_socket),
        cmocka_unit_test(who_reads_nothing_is_not_waited_for),
        cmocka_unit_test(nobody_there_is_unreachable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
