/* Hints reach the listeners of their topic, and the carrier to other servers. */
#include "base/limits.h"
#include "wake/wake.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void remember(void *context, const struct wake_message *message) {
    *(struct wake_message *)context = *message;
}

static void a_message_reaches_the_listener_of_its_topic_alone(void **state) {
    (void)state;
    own(wake) wake = wake_create();
    struct wake_message queue = {0};
    struct wake_message submission = {0};
    wake_listen(wake, WAKE_QUEUE, remember, &queue);
    wake_listen(wake, WAKE_SUBMISSION, remember, &submission);

    wake_tell(wake, WAKE_QUEUE, 7, 3);

    assert_int_equal(queue.topic, WAKE_QUEUE);
    assert_int_equal(queue.id, 7);
    assert_int_equal(queue.count, 3);
    assert_int_equal(submission.id, 0);
}

static void without_listener_or_news_nothing_happens(void **state) {
    (void)state;
    own(wake) wake = wake_create();
    struct wake_message queue = {0};

    wake_tell(wake, WAKE_QUEUE, 7, 3);
    wake_listen(wake, WAKE_QUEUE, remember, &queue);
    wake_tell(wake, WAKE_QUEUE, 7, 0);

    assert_int_equal(queue.id, 0);
}

static void every_listener_of_a_topic_hears(void **state) {
    (void)state;
    own(wake) wake = wake_create();
    struct wake_message heard[WAKE_LISTENERS_MAX] = {0};
    for (int i = 0; i < WAKE_LISTENERS_MAX; i++) {
        wake_listen(wake, WAKE_LOOK, remember, &heard[i]);
    }

    wake_tell(wake, WAKE_LOOK, 0, 1);

    for (int i = 0; i < WAKE_LISTENERS_MAX; i++) {
        assert_int_equal(heard[i].topic, WAKE_LOOK);
    }
}

static void the_carrier_gets_what_is_for_others(void **state) {
    (void)state;
    own(wake) wake = wake_create();
    struct wake_message here = {0};
    struct wake_message carried = {0};
    struct wake_carrier carrier = {.context = &carried, .send = remember};
    static char large[WAKE_BODY_BYTES_MAX + 1];
    const struct wake_message only_here = {.topic = WAKE_QUEUE, .id = 1, .count = 1};
    const struct wake_message only_others = {.topic = WAKE_QUEUE, .id = 2, .count = 1};
    const struct wake_message too_large = {
        .topic = WAKE_QUEUE, .id = 3, .count = 1, .body = str_of(large, sizeof large)};
    wake_listen(wake, WAKE_QUEUE, remember, &here);
    wake_set_carrier(wake, &carrier);

    wake_tell_here(wake, &only_here);
    assert_int_equal(here.id, 1);
    assert_int_equal(carried.id, 0);

    wake_tell_others(wake, &only_others);
    assert_int_equal(here.id, 1);
    assert_int_equal(carried.id, 2);

    wake_tell_others(wake, &too_large);
    assert_int_equal(carried.id, 2);

    wake_tell(wake, WAKE_QUEUE, 4, 1);
    assert_int_equal(here.id, 4);
    assert_int_equal(carried.id, 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_reaches_the_listener_of_its_topic_alone),
        cmocka_unit_test(without_listener_or_news_nothing_happens),
        cmocka_unit_test(every_listener_of_a_topic_hears),
        cmocka_unit_test(the_carrier_gets_what_is_for_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
