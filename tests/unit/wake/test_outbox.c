/* The queue of what is to be carried to other servers is bounded and knows what it lost. */
#include "base/limits.h"
#include "wake/outbox.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct wake_message hint(int64_t id) {
    return (struct wake_message){.topic = WAKE_QUEUE, .id = id, .count = 1};
}

static void what_is_put_first_is_taken_first_with_its_body(void **state) {
    (void)state;
    own(outbox) outbox = outbox_create();
    own(arena) arena = arena_create(1 * MIB);
    char text[] = "case 3";
    struct wake_message with_body = {
        .topic = WAKE_PROGRESS, .id = 5, .count = 1, .body = str_from(text)};
    struct wake_message plain = hint(6);
    struct wake_message taken = {0};

    assert_true(outbox_put(outbox, &with_body));
    assert_true(outbox_put(outbox, &plain));
    text[0] = 'x'; /* it was copied */

    assert_true(outbox_take(outbox, arena, &taken));
    assert_int_equal(taken.topic, WAKE_PROGRESS);
    assert_true(str_eq(taken.body, STR("case 3")));
    assert_true(outbox_take(outbox, arena, &taken));
    assert_int_equal(taken.id, 6);
    assert_false(outbox_take(outbox, arena, &taken));
}

static void the_same_twice_is_sent_once_and_counted(void **state) {
    (void)state;
    own(outbox) outbox = outbox_create();
    own(arena) arena = arena_create(1 * MIB);
    struct wake_message first = hint(5);
    struct wake_message taken = {0};
    first.count = 3;

    assert_true(outbox_put(outbox, &first));
    assert_true(outbox_put(outbox, &first));

    assert_true(outbox_take(outbox, arena, &taken));
    assert_int_equal(taken.count, 6);
    assert_false(outbox_take(outbox, arena, &taken));
}

static void beyond_its_number_messages_are_lost_and_counted(void **state) {
    (void)state;
    own(outbox) outbox = outbox_create();
    int taken = 0;
    for (int i = 0; i < WAKE_QUEUED_MAX + 7; i++) {
        struct wake_message message = hint(i);
        taken += outbox_put(outbox, &message) ? 1 : 0;
    }

    assert_int_equal(taken, WAKE_QUEUED_MAX);
    assert_int_equal(outbox_lost(outbox), 7);
}

static void beyond_its_bytes_messages_are_lost(void **state) {
    (void)state;
    own(outbox) outbox = outbox_create();
    static char body[WAKE_BODY_BYTES_MAX];
    int taken = 0;
    for (int i = 0; i < 200; i++) {
        struct wake_message message = hint(i);
        message.body = str_of(body, sizeof body);
        taken += outbox_put(outbox, &message) ? 1 : 0;
    }

    assert_int_equal(taken, WAKE_QUEUED_BYTES_MAX / WAKE_BODY_BYTES_MAX);
    assert_int_equal(outbox_lost(outbox), 200 - taken);
}

static void shut_it_forgets_and_refuses(void **state) {
    (void)state;
    own(outbox) outbox = outbox_create();
    own(arena) arena = arena_create(1 * MIB);
    struct wake_message message = hint(1);
    struct wake_message taken = {0};
    assert_true(outbox_put(outbox, &message));

    outbox_shut(outbox, true);

    assert_false(outbox_put(outbox, &message));
    assert_false(outbox_take(outbox, arena, &taken));
    assert_int_equal(outbox_lost(outbox), 2);
    outbox_shut(outbox, false);
    assert_true(outbox_put(outbox, &message));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_put_first_is_taken_first_with_its_body),
        cmocka_unit_test(the_same_twice_is_sent_once_and_counted),
        cmocka_unit_test(beyond_its_number_messages_are_lost_and_counted),
        cmocka_unit_test(beyond_its_bytes_messages_are_lost),
        cmocka_unit_test(shut_it_forgets_and_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
