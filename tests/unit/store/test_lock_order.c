/* The one lock order, independent of the driver. */
#include "store/lock_order.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void levels_and_ids_must_ascend(void **state) {
    (void)state;
    struct lock_order order = {0};

    assert_int_equal(lock_order_take(&order, LOCK_NODE, LOCK_SHARED, 7), LOCK_TAKE);
    assert_int_equal(lock_order_take(&order, LOCK_NODE, LOCK_SHARED, 9), LOCK_TAKE);
    assert_int_equal(lock_order_take(&order, LOCK_SUBMISSION, LOCK_EXCLUSIVE, 1), LOCK_TAKE);

    assert_int_equal(lock_order_take(&order, LOCK_NODE, LOCK_SHARED, 8), LOCK_OUT_OF_ORDER);
    assert_int_equal(lock_order_take(&order, LOCK_NODE, LOCK_SHARED, 10), LOCK_OUT_OF_ORDER);
    assert_int_equal(lock_order_take(&order, LOCK_HOST_GROUP, LOCK_SHARED, 99), LOCK_OUT_OF_ORDER);
    lock_order_done(&order);
}

static void the_same_lock_again_is_fine_and_never_upgraded(void **state) {
    (void)state;
    struct lock_order order = {0};
    assert_int_equal(lock_order_take(&order, LOCK_NODE, LOCK_SHARED, 7), LOCK_TAKE);
    assert_int_equal(lock_order_take(&order, LOCK_JOB, LOCK_EXCLUSIVE, 3), LOCK_TAKE);

    assert_int_equal(lock_order_take(&order, LOCK_NODE, LOCK_SHARED, 7), LOCK_HELD);
    assert_int_equal(lock_order_take(&order, LOCK_JOB, LOCK_SHARED, 3), LOCK_HELD);
    assert_int_equal(lock_order_take(&order, LOCK_NODE, LOCK_EXCLUSIVE, 7), LOCK_UPGRADE);
    lock_order_done(&order);
}

static void nothing_is_locked_after_the_clock_was_read(void **state) {
    (void)state;
    struct lock_order order = {0};
    assert_int_equal(lock_order_take(&order, LOCK_NODE, LOCK_SHARED, 7), LOCK_TAKE);

    lock_order_seal(&order);

    assert_int_equal(lock_order_take(&order, LOCK_NODE, LOCK_SHARED, 7), LOCK_HELD);
    assert_int_equal(lock_order_take(&order, LOCK_JOB, LOCK_SHARED, 7), LOCK_AFTER_CLOCK);
    lock_order_reset(&order);
    assert_int_equal(lock_order_take(&order, LOCK_JOB, LOCK_SHARED, 7), LOCK_TAKE);
    lock_order_done(&order);
}

static void it_knows_what_is_held_and_how(void **state) {
    (void)state;
    struct lock_order order = {0};
    for (int64_t id = 1; id <= 300; id += 3) {
        enum lock_mode mode = id % 2 == 0 ? LOCK_SHARED : LOCK_EXCLUSIVE;
        assert_int_equal(lock_order_take(&order, LOCK_JOB, mode, id), LOCK_TAKE);
    }

    assert_true(lock_order_has(&order, LOCK_JOB, LOCK_EXCLUSIVE, 7));
    assert_true(lock_order_has(&order, LOCK_JOB, LOCK_SHARED, 7));
    assert_true(lock_order_has(&order, LOCK_JOB, LOCK_SHARED, 4));
    assert_false(lock_order_has(&order, LOCK_JOB, LOCK_EXCLUSIVE, 4));
    assert_false(lock_order_has(&order, LOCK_JOB, LOCK_SHARED, 5));
    assert_false(lock_order_has(&order, LOCK_NODE, LOCK_SHARED, 7));
    lock_order_done(&order);
}

static void a_transaction_has_a_bounded_number_of_locks(void **state) {
    (void)state;
    struct lock_order order = {0};
    for (int64_t id = 1; id <= LOCKS_MAX; id++) {
        assert_int_equal(lock_order_take(&order, LOCK_JOB, LOCK_SHARED, id), LOCK_TAKE);
    }

    assert_int_equal(lock_order_take(&order, LOCK_JOB, LOCK_SHARED, LOCKS_MAX + 1), LOCK_TOO_MANY);
    lock_order_done(&order);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_and_ids_must_ascend),
        cmocka_unit_test(the_same_lock_again_is_fine_and_never_upgraded),
        cmocka_unit_test(nothing_is_locked_after_the_clock_was_read),
        cmocka_unit_test(it_knows_what_is_held_and_how),
        cmocka_unit_test(a_transaction_has_a_bounded_number_of_locks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
