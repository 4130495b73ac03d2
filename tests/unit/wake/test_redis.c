/* Two servers' hints over a real redis-server that is killed and started again. */
#include "base/thread.h"
#include "wake/redis.h"
#include "wake/redis_server.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define PATIENCE_MS 30000

/* What one server hears. */
struct ear {
    struct mutex mutex;
    struct cond heard;
    int64_t queue;
    int64_t progress;
    char body[32];
    int looks;
};

struct side {
    struct wake *wake;
    struct redis_wake *redis;
    struct ear ear;
};

static void hear(void *context, const struct wake_message *message) {
    struct ear *ear = context;
    mutex_lock(&ear->mutex);
    ear->queue = message->topic == WAKE_QUEUE ? message->id : ear->queue;
    ear->looks += message->topic == WAKE_LOOK ? 1 : 0;
    if (message->topic == WAKE_PROGRESS) {
        ear->progress = message->id;
        snprintf(ear->body, sizeof ear->body, "%.*s", (int)message->body.len, message->body.ptr);
    }
    cond_broadcast(&ear->heard);
    mutex_unlock(&ear->mutex);
}

static void side_open(struct side *side, const char *url, const char *channel) {
    struct err err = {0};
    *side = (struct side){.wake = wake_create()};
    mutex_init(&side->ear.mutex);
    cond_init(&side->ear.heard);
    wake_listen(side->wake, WAKE_QUEUE, hear, &side->ear);
    wake_listen(side->wake, WAKE_PROGRESS, hear, &side->ear);
    wake_listen(side->wake, WAKE_LOOK, hear, &side->ear);
    struct redis_wake_options options = {
        .link = {.url = url, .user = "", .password = "", .ca_file = ""},
        .channel = channel,
        .wake = side->wake,
        .random = &random_real,
        .clock = &clock_real};
    assert_true(redis_wake_open(&options, &side->redis, &err));
}

static void side_close(struct side *side) {
    redis_wake_close(side->redis);
    wake_free(side->wake);
    cond_done(&side->ear.heard);
    mutex_done(&side->ear.mutex);
}

/* Waits until `looks` calls to look have come. */
static void wait_looks(struct side *side, int looks) {
    mutex_lock(&side->ear.mutex);
    while (side->ear.looks < looks &&
           cond_wait_ms(&side->ear.heard, &side->ear.mutex, PATIENCE_MS)) {
    }
    assert_true(side->ear.looks >= looks);
    mutex_unlock(&side->ear.mutex);
}

static void wait_queue(struct side *side, int64_t queue) {
    mutex_lock(&side->ear.mutex);
    while (side->ear.queue != queue &&
           cond_wait_ms(&side->ear.heard, &side->ear.mutex, PATIENCE_MS)) {
    }
    assert_int_equal(side->ear.queue, queue);
    mutex_unlock(&side->ear.mutex);
}

static bool is_connected(struct side *side) {
    struct redis_wake_state now = {0};
    redis_wake_state(side->redis, &now);
    return now.connected;
}

static void wait_connected(struct side *side, bool connected) {
    for (int i = 0; i < PATIENCE_MS / 10 && is_connected(side) != connected; i++) {
        clock_sleep_ms(&clock_real, 10);
    }
    assert_int_equal(is_connected(side), connected);
}

static void a_hint_reaches_the_other_server_and_not_twice_the_own(void **state) {
    struct redis_server *server = *state;
    struct side one;
    struct side two;
    side_open(&one, server->url, "c");
    wait_looks(&one, 1); /* its own connection */
    side_open(&two, server->url, "c");
    wait_looks(&one, 2); /* the other's: both are subscribed now */

    wake_tell(one.wake, WAKE_QUEUE, 7, 2);
    struct wake_message progress = {
        .topic = WAKE_PROGRESS, .id = 9, .count = 1, .body = STR("case 3")};
    wake_tell_others(one.wake, &progress);
    wake_tell(one.wake, WAKE_QUEUE, 8, 1);

    wait_queue(&two, 8);
    assert_int_equal(two.ear.progress, 9);
    assert_string_equal(two.ear.body, "case 3");
    assert_int_equal(one.ear.progress, 0);
    side_close(&one);
    side_close(&two);
}

static void servers_of_other_channels_hear_nothing(void **state) {
    struct redis_server *server = *state;
    struct side one;
    struct side two;
    struct side stranger;
    side_open(&stranger, server->url, "other");
    wait_looks(&stranger, 1);
    side_open(&one, server->url, "c");
    wait_looks(&one, 1);
    side_open(&two, server->url, "c");
    wait_looks(&one, 2);

    wake_tell(one.wake, WAKE_QUEUE, 7, 2);
    wait_queue(&two, 7);

    assert_int_equal(stranger.ear.queue, 0);
    assert_int_equal(stranger.ear.looks, 1);
    side_close(&one);
    side_close(&two);
    side_close(&stranger);
}

static void killed_and_started_again_redis_carries_on_and_all_look(void **state) {
    struct redis_server *server = *state;
    struct side one;
    struct side two;
    side_open(&one, server->url, "c");
    wait_looks(&one, 1);
    side_open(&two, server->url, "c");
    wait_looks(&one, 2);
    wait_connected(&two, true);
    int looks_one = one.ear.looks;
    int looks_two = two.ear.looks;

    redis_kill(server);
    wait_connected(&one, false);
    wait_connected(&two, false);
    wake_tell(one.wake, WAKE_QUEUE, 5, 1); /* lost for the other, not for the own */
    assert_int_equal(one.ear.queue, 5);
    assert_true(redis_start(server, NULL));

    wait_looks(&one, looks_one + 1);
    wait_looks(&two, looks_two + 1);
    wait_connected(&one, true);
    wait_connected(&two, true);
    assert_int_equal(two.ear.queue, 0);
    wake_tell(one.wake, WAKE_QUEUE, 6, 1);
    wait_queue(&two, 6);
    struct redis_wake_state now = {0};
    redis_wake_state(one.redis, &now);
    assert_true(now.connects >= 2);
    assert_true(now.lost >= 1);
    assert_string_equal(now.why, "ok");
    side_close(&one);
    side_close(&two);
}

static void without_redis_telling_does_not_wait(void **state) {
    (void)state;
    struct side one;
    side_open(&one, "unix:/nonexistent/redis.sock", "c");

    for (int i = 0; i < 100000; i++) {
        wake_tell(one.wake, WAKE_QUEUE, i, 1);
    }

    struct redis_wake_state now = {0};
    redis_wake_state(one.redis, &now);
    assert_false(now.connected);
    assert_int_equal(now.lost, 100000);
    assert_int_equal(now.sent, 0);
    side_close(&one);
}

static void a_bad_address_or_channel_is_refused(void **state) {
    (void)state;
    own(wake) wake = wake_create();
    struct redis_wake *redis = NULL;
    struct redis_wake_options options = {
        .link = {.url = "redis://x@y", .user = "", .password = "", .ca_file = ""},
        .channel = "c",
        .wake = wake,
        .random = &random_real,
        .clock = &clock_real};
    struct err err = {0};

    assert_false(redis_wake_open(&options, &redis, &err));
    assert_string_equal(err.code, "bad_redis_url");
    options.link.url = "redis://y";
    options.channel = "a b";
    assert_false(redis_wake_open(&options, &redis, &err));
    assert_string_equal(err.code, "bad_redis_channel");
}

static int start(void **state) {
    static struct redis_server server;
    *state = &server;
    return redis_make(&server, false) && redis_start(&server, NULL) ? 0 : -1;
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
        cmocka_unit_test(a_hint_reaches_the_other_server_and_not_twice_the_own),
        cmocka_unit_test(servers_of_other_channels_hear_nothing),
        cmocka_unit_test(killed_and_started_again_redis_carries_on_and_all_look),
        cmocka_unit_test(without_redis_telling_does_not_wait),
        cmocka_unit_test(a_bad_address_or_channel_is_refused),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
