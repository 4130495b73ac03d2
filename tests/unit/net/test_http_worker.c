/* The bounded queue in front of the worker threads. */
#include "net/net_test.h"

static struct mutex gate;
static atomic_int refused;

static void begin(void *context, struct http_request *request) {
    (void)context;
    http_accept_body(request, 10, false);
}

static void work(struct http_request *request) {
    mutex_lock(&gate);
    mutex_unlock(&gate);
    http_send(request, 200, "text/plain", STR("ok\n"));
}

static void handle(void *context, struct http_request *request) {
    (void)context;
    http_work(request, work);
}

static void end(void *context, struct http_request *request) {
    (void)context;
    if (http_status(request) == 503) {
        atomic_fetch_add(&refused, 1);
    }
}

static const struct http_handler handler = {.begin = begin, .handle = handle, .end = end};

static void a_full_queue_answers_503_and_loses_nothing(void **state) {
    (void)state;
    struct net_test test = {0};
    net_test_open(&test, &handler);
    enum { CLIENTS = 1100 }; /* 2 in the workers, 1024 waiting, the rest refused */
    static int fds[CLIENTS];
    char answer[1024];
    const char *request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

    mutex_lock(&gate);
    for (int i = 0; i < CLIENTS; i++) {
        fds[i] = net_test_connect(&test);
        net_test_send(fds[i], request, strlen(request));
    }
    for (int i = 0; i < 5000 && atomic_load(&refused) < CLIENTS - 1026; i++) {
        clock_sleep_ms(&clock_real, 1);
    }
    mutex_unlock(&gate);

    int ok = 0;
    int busy = 0;
    for (int i = 0; i < CLIENTS; i++) {
        (void)net_test_read(fds[i], answer, sizeof answer, "\r\n\r\n", 5000);
        ok += strstr(answer, " 200 ") != NULL;
        busy += strstr(answer, " 503 ") != NULL && strstr(answer, "Retry-After") != NULL;
        close(fds[i]);
    }
    assert_int_equal(ok + busy, CLIENTS);
    assert_int_equal(ok, 1026);
    http_server_close(test.server);
}

int main(void) {
    mutex_init(&gate);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_queue_answers_503_and_loses_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
