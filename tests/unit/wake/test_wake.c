/* Hints reach the listener of their topic. */
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_reaches_the_listener_of_its_topic_alone),
        cmocka_unit_test(without_listener_or_news_nothing_happens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
