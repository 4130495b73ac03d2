/* Token buckets on a clock that stands. */
#include "server/server_internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static int take_all(struct rate_table *table, enum rate_class rate, struct str key) {
    int taken = 0;
    int64_t retry_s = 0;
    while (taken < 100000 && rate_take(table, rate, key, &retry_s)) {
        taken++;
    }
    return taken;
}

static void a_burst_ends_and_time_fills_it_again(void **state) {
    (void)state;
    struct clock_manual clock;
    clock_manual_init(&clock, 0);
    struct rate_table *table = rate_create(&clock.clock);
    int64_t retry_s = 0;

    int burst = take_all(table, RATE_WRITE, STR("user 1"));
    assert_true(burst >= 60); /* a class of fifty that repeats one request is no attack */
    assert_true(burst < 1000);
    assert_false(rate_take(table, RATE_WRITE, STR("user 1"), &retry_s));
    assert_true(retry_s >= 1 && retry_s <= 60);
    clock_manual_advance(&clock, retry_s * 1000);
    assert_true(rate_take(table, RATE_WRITE, STR("user 1"), &retry_s));

    clock_manual_advance(&clock, 3600000);
    assert_int_equal(take_all(table, RATE_WRITE, STR("user 1")), burst);
    rate_free(table);
}

static void one_user_does_not_use_up_anothers(void **state) {
    (void)state;
    struct clock_manual clock;
    clock_manual_init(&clock, 0);
    struct rate_table *table = rate_create(&clock.clock);
    int64_t retry_s = 0;

    (void)take_all(table, RATE_WRITE, STR("user 1"));

    assert_true(rate_take(table, RATE_WRITE, STR("user 2"), &retry_s));
    assert_true(rate_take(table, RATE_READ, STR("user 1"), &retry_s));
    rate_free(table);
}

static void looking_takes_nothing(void **state) {
    (void)state;
    struct clock_manual clock;
    clock_manual_init(&clock, 0);
    struct rate_table *table = rate_create(&clock.clock);
    int64_t retry_s = 0;

    for (int i = 0; i < 10000; i++) {
        assert_true(rate_has(table, RATE_STRANGER, STR("10.0.0.1"), &retry_s));
    }
    assert_int_equal(take_all(table, RATE_STRANGER, STR("10.0.0.1")), 300);
    assert_false(rate_has(table, RATE_STRANGER, STR("10.0.0.1"), &retry_s));
    assert_true(retry_s >= 1);
    rate_free(table);
}

static void nodes_are_not_limited(void **state) {
    (void)state;
    struct clock_manual clock;
    clock_manual_init(&clock, 0);
    struct rate_table *table = rate_create(&clock.clock);

    assert_int_equal(take_all(table, RATE_MACHINE, STR("10.0.0.1")), 100000);

    rate_free(table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_burst_ends_and_time_fills_it_again),
        cmocka_unit_test(one_user_does_not_use_up_anothers),
        cmocka_unit_test(looking_takes_nothing),
        cmocka_unit_test(nodes_are_not_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
