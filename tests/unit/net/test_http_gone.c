/* Clients that hang up while their request is parked. */
#include "net/net_test.h"

#define PARKED_MAX 64

static struct {
    struct mutex lock;
    struct http_request *parked[PARKED_MAX]; /* not answered yet */
    int count;
    int gone;
    bool answer_in_gone;
} desk;

/* True when it was still parked: whoever takes it out must answer it. */
static bool take_out(struct http_request *request) {
    bool found = false;
    mutex_lock(&desk.lock);
    for (int i = 0; i < desk.count && !found; i++) {
        if (desk.parked[i] == request) {
            desk.parked[i] = desk.parked[--desk.count];
            found = true;
        }
    }
    mutex_unlock(&desk.lock);
    return found;
}

static void answer(struct http_request *request) {
    http_send(request, 200, "text/plain", STR("answered"));
}

static void gone(struct http_request *request) {
    mutex_lock(&desk.lock);
    desk.gone++;
    bool answers = desk.answer_in_gone;
    mutex_unlock(&desk.lock);
    if (answers && take_out(request)) {
        answer(request);
    }
}

static void begin(void *context, struct http_request *request) {
    (void)context;
    (void)request;
}

static void handle(void *context, struct http_request *request) {
    (void)context;
    http_watch_gone(request, gone);
    http_later(request);
    mutex_lock(&desk.lock);
    desk.parked[desk.count++] = request;
    mutex_unlock(&desk.lock);
}

static const struct http_handler handler = {.begin = begin, .handle = handle};

static int set_up(void **state) {
    static struct net_test test;
    memset(&desk, 0, sizeof desk);
    mutex_init(&desk.lock);
    net_test_open(&test, &handler);
    *state = &test;
    return 0;
}

static int answer_all(void) {
    int answered = 0;
    for (;;) {
        mutex_lock(&desk.lock);
        struct http_request *request = desk.count > 0 ? desk.parked[0] : NULL;
        mutex_unlock(&desk.lock);
        if (request == NULL) {
            return answered;
        }
        if (take_out(request)) {
            answer(request);
            answered++;
        }
    }
}

static int tear_down(void **state) {
    struct net_test *test = *state;
    http_server_quiesce(test->server);
    (void)answer_all();
    http_server_close(test->server);
    mutex_done(&desk.lock);
    return 0;
}

static int park(const struct net_test *test) {
    int fd = net_test_connect(test);
    static const char request[] = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    mutex_lock(&desk.lock);
    int before = desk.count;
    mutex_unlock(&desk.lock);
    net_test_send(fd, request, sizeof request - 1);
    for (int i = 0; i < 1000; i++) {
        mutex_lock(&desk.lock);
        bool parked = desk.count > before;
        mutex_unlock(&desk.lock);
        if (parked) {
            return fd;
        }
        clock_sleep_ms(&clock_real, 2);
    }
    fail_msg("the request did not arrive");
    return -1;
}

static int gone_count(void) {
    mutex_lock(&desk.lock);
    int count = desk.gone;
    mutex_unlock(&desk.lock);
    return count;
}

static void wait_gone(int count) {
    for (int i = 0; i < 2000 && gone_count() < count; i++) {
        clock_sleep_ms(&clock_real, 2);
    }
    assert_int_equal(gone_count(), count);
}

static void a_client_that_hangs_up_is_noticed_once(void **state) {
    struct net_test *test = *state;
    int fd = park(test);

    close(fd);

    wait_gone(1);
    clock_sleep_ms(&clock_real, 600); /* another tick */
    assert_int_equal(gone_count(), 1);
    assert_int_equal(answer_all(), 1); /* answering is still whose it was */
}

static void the_callback_may_answer(void **state) {
    struct net_test *test = *state;
    desk.answer_in_gone = true;
    int fd = park(test);

    close(fd);

    wait_gone(1);
    assert_int_equal(answer_all(), 0);
}

static void a_client_that_waits_is_not_disturbed(void **state) {
    struct net_test *test = *state;
    char text[1024];
    int fd = park(test);
    clock_sleep_ms(&clock_real, 600);

    assert_int_equal(answer_all(), 1);

    (void)net_test_read(fd, text, sizeof text, "answered", 5000);
    assert_non_null(strstr(text, "answered"));
    assert_int_equal(gone_count(), 0);
    close(fd);
}

static void answers_and_hang_ups_may_cross(void **state) {
    struct net_test *test = *state;
    desk.answer_in_gone = true;
    int answered = 0;
    for (int round = 0; round < 4; round++) {
        int fds[16];
        for (int i = 0; i < 16; i++) {
            fds[i] = park(test);
        }
        for (int i = 0; i < 16; i++) {
            close(fds[i]);
        }
        clock_sleep_ms(&clock_real, 120 * round); /* at another time of the tick */
        answered += answer_all();
    }

    assert_true(answered + gone_count() >= 64);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_client_that_hangs_up_is_noticed_once),
        TEST(the_callback_may_answer),
        TEST(a_client_that_waits_is_not_disturbed),
        TEST(answers_and_hang_ups_may_cross),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
