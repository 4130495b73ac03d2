/* Streams: woken from other threads, ended by either side, never spinning. */
#include "net/net_test.h"

struct feed {
    struct mutex lock;
    char pending[256];
    bool over;
    atomic_int reads;
    atomic_int closed;
    struct http_stream *stream;
};

static struct feed feed;

static int64_t feed_read(void *context, char *out, size_t room) {
    struct feed *from = context;
    atomic_fetch_add(&from->reads, 1);
    mutex_lock(&from->lock);
    size_t len = strlen(from->pending);
    assert_true(len <= room);
    memcpy(out, from->pending, len);
    from->pending[0] = '\0';
    int64_t got = len > 0 ? (int64_t)len : from->over ? -1 : 0;
    mutex_unlock(&from->lock);
    return got;
}

static void feed_closed(void *context) {
    struct feed *from = context;
    atomic_fetch_add(&from->closed, 1);
}

static const struct http_stream_ops ops = {.read = feed_read, .closed = feed_closed};

static void begin(void *context, struct http_request *request) {
    (void)context;
    (void)request;
}

static void handle(void *context, struct http_request *request) {
    (void)context;
    struct err err = {0};
    assert_true(http_send_stream(request, "text/event-stream", &ops, &feed, &feed.stream, &err));
}

static const struct http_handler handler = {.begin = begin, .handle = handle};

static void say(const char *text, bool over) {
    mutex_lock(&feed.lock);
    (void)snprintf(feed.pending, sizeof feed.pending, "%s", text);
    feed.over = over;
    mutex_unlock(&feed.lock);
    http_stream_wake(feed.stream);
}

static int open_stream(struct net_test *test, char *answer, size_t room) {
    (void)snprintf(feed.pending, sizeof feed.pending, "first\n");
    feed.over = false;
    atomic_store(&feed.reads, 0);
    atomic_store(&feed.closed, 0);
    net_test_open(test, &handler);
    int fd = net_test_connect(test);
    const char *request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    net_test_send(fd, request, strlen(request));
    (void)net_test_read(fd, answer, room, "first\n", 5000);
    assert_non_null(strstr(answer, "text/event-stream"));
    assert_non_null(strstr(answer, "first\n"));
    return fd;
}

static void wait_closed(void) {
    for (int i = 0; i < 5000 && atomic_load(&feed.closed) == 0; i++) {
        clock_sleep_ms(&clock_real, 1);
    }
    assert_int_equal(atomic_load(&feed.closed), 1);
}

static void what_is_said_later_arrives_and_the_end_ends_it(void **state) {
    (void)state;
    struct net_test test = {0};
    char answer[4096];
    int fd = open_stream(&test, answer, sizeof answer);

    say("second\n", false);
    (void)net_test_read(fd, answer, sizeof answer, "second\n", 5000);
    assert_non_null(strstr(answer, "second\n"));
    say("last\n", true);
    (void)net_test_read(fd, answer, sizeof answer, "0\r\n\r\n", 5000);
    assert_non_null(strstr(answer, "last\n"));

    wait_closed();
    http_stream_wake(feed.stream); /* harmless after the end */
    http_stream_release(feed.stream);
    close(fd);
    http_server_close(test.server);
}

static void an_idle_stream_does_not_spin(void **state) {
    (void)state;
    struct net_test test = {0};
    char answer[4096];
    int fd = open_stream(&test, answer, sizeof answer);
    clock_sleep_ms(&clock_real, 20);
    int before = atomic_load(&feed.reads);

    clock_sleep_ms(&clock_real, 200);

    assert_true(atomic_load(&feed.reads) - before <= 1);
    http_stream_release(feed.stream);
    close(fd);
    http_server_close(test.server);
}

static void a_stop_ends_open_streams(void **state) {
    (void)state;
    struct net_test test = {0};
    char answer[4096];
    int fd = open_stream(&test, answer, sizeof answer);

    http_server_close(test.server);

    assert_int_equal(atomic_load(&feed.closed), 1);
    http_stream_release(feed.stream);
    close(fd);
}

static void a_client_that_left_is_noticed_at_the_next_bytes(void **state) {
    (void)state;
    struct net_test test = {0};
    char answer[4096];
    int fd = open_stream(&test, answer, sizeof answer);
    close(fd);

    for (int i = 0; i < 200 && atomic_load(&feed.closed) == 0; i++) {
        say("more\n", false);
        clock_sleep_ms(&clock_real, 5);
    }

    assert_int_equal(atomic_load(&feed.closed), 1);
    http_stream_release(feed.stream);
    http_server_close(test.server);
}

int main(void) {
    mutex_init(&feed.lock);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_said_later_arrives_and_the_end_ends_it),
        cmocka_unit_test(an_idle_stream_does_not_spin),
        cmocka_unit_test(a_stop_ends_open_streams),
        cmocka_unit_test(a_client_that_left_is_noticed_at_the_next_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
