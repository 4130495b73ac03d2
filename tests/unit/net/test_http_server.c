/* Requests that are answered later, from other threads, by the hundred, and while the server stops.
 */
#include "net/net_test.h"

#define PARKED_MAX 1200

static struct mutex lock;
static struct http_request *parked[PARKED_MAX];
static int parked_count;
static atomic_int ended;

static void begin(void *context, struct http_request *request) {
    (void)context;
    http_accept_body(request, 1000, false);
}

static void work(struct http_request *request) {
    clock_sleep_ms(&clock_real, 1);
    http_send(request, 200, "text/plain", STR("worked\n"));
}

static void handle(void *context, struct http_request *request) {
    (void)context;
    if (str_eq(http_path(request), STR("/park"))) {
        http_later(request);
        mutex_lock(&lock);
        parked[parked_count++] = request;
        mutex_unlock(&lock);
    } else if (str_eq(http_path(request), STR("/work"))) {
        http_work(request, work);
    } else {
        http_send(request, 200, "text/plain", STR("now\n"));
    }
}

static void end(void *context, struct http_request *request) {
    (void)context;
    (void)request;
    atomic_fetch_add(&ended, 1);
}

static const struct http_handler handler = {.begin = begin, .handle = handle, .end = end};

static int parked_now(void) {
    mutex_lock(&lock);
    int count = parked_count;
    mutex_unlock(&lock);
    return count;
}

static void wait_parked(int count) {
    for (int i = 0; i < 5000 && parked_now() < count; i++) {
        clock_sleep_ms(&clock_real, 1);
    }
    assert_int_equal(parked_now(), count);
}

static void answer_all(void) {
    mutex_lock(&lock);
    for (int i = 0; i < parked_count; i++) {
        http_send(parked[i], 200, "text/plain", STR("later\n"));
    }
    parked_count = 0;
    mutex_unlock(&lock);
}

static const char park[] = "GET /park HTTP/1.1\r\nHost: a\r\n\r\n";

static void a_thousand_parked_requests_are_answered(void **state) {
    (void)state;
    struct net_test test = {0};
    net_test_open(&test, &handler);
    static int fds[1000];
    char answer[1024];
    for (int i = 0; i < 1000; i++) {
        fds[i] = net_test_connect(&test);
        net_test_send(fds[i], park, strlen(park));
    }
    wait_parked(1000);
    assert_int_equal(
        net_test_raw(&test, "GET /now HTTP/1.1\r\nHost: a\r\n\r\n", answer, sizeof answer), 200);

    answer_all();

    for (int i = 0; i < 1000; i++) {
        (void)net_test_read(fds[i], answer, sizeof answer, "later\n", 5000);
        assert_non_null(strstr(answer, "200 OK"));
        close(fds[i]);
    }
    http_server_close(test.server);
}

static void a_client_that_leaves_while_parked_harms_nobody(void **state) {
    (void)state;
    struct net_test test = {0};
    net_test_open(&test, &handler);
    int fd = net_test_connect(&test);
    net_test_send(fd, park, strlen(park));
    wait_parked(1);
    close(fd);
    clock_sleep_ms(&clock_real, 20);
    atomic_store(&ended, 0);

    answer_all();

    for (int i = 0; i < 2000 && atomic_load(&ended) == 0; i++) {
        clock_sleep_ms(&clock_real, 1);
    }
    assert_int_equal(atomic_load(&ended), 1);
    http_server_close(test.server);
}

static void blocking_work_runs_beside_the_event_threads(void **state) {
    (void)state;
    struct net_test test = {0};
    net_test_open(&test, &handler);
    char answer[1024];

    for (int i = 0; i < 50; i++) {
        assert_int_equal(
            net_test_raw(&test, "GET /work HTTP/1.1\r\nHost: a\r\n\r\n", answer, sizeof answer),
            200);
        assert_non_null(strstr(answer, "worked"));
    }
    http_server_close(test.server);
}

static void a_stop_sends_what_was_parked_first(void **state) {
    (void)state;
    struct net_test test = {0};
    net_test_open(&test, &handler);
    int fd = net_test_connect(&test);
    char answer[1024];
    net_test_send(fd, park, strlen(park));
    wait_parked(1);

    http_server_quiesce(test.server);
    answer_all();
    http_server_close(test.server);

    (void)net_test_read(fd, answer, sizeof answer, "later\n", 2000);
    assert_non_null(strstr(answer, "later"));
    close(fd);
}

int main(void) {
    mutex_init(&lock);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thousand_parked_requests_are_answered),
        cmocka_unit_test(a_client_that_leaves_while_parked_harms_nobody),
        cmocka_unit_test(blocking_work_runs_beside_the_event_threads),
        cmocka_unit_test(a_stop_sends_what_was_parked_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
