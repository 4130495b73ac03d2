#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../aborts.h"
#include <string.h>

static void real_randomness_differs_each_time(void **state) {
    (void)state;
    uint8_t a[32] = {0};
    uint8_t b[32] = {0};

    random_fill(&random_real, a, sizeof(a));
    random_fill(&random_real, b, sizeof(b));

    assert_memory_not_equal(a, b, sizeof(a));
    assert_true(random_u64(&random_real) != random_u64(&random_real));
}

static void the_same_seed_gives_the_same_values(void **state) {
    (void)state;
    struct random_seeded a;
    struct random_seeded b;
    struct random_seeded other;
    random_seeded_init(&a, 7);
    random_seeded_init(&b, 7);
    random_seeded_init(&other, 8);

    for (int i = 0; i < 100; i++) {
        uint64_t value = random_u64(&a.random);
        assert_true(value == random_u64(&b.random));
        assert_true(value != random_u64(&other.random));
    }
}

static void the_published_values_come_out(void **state) {
    (void)state;
    struct random_seeded seeded;
    random_seeded_init(&seeded, 1234567);

    /* The first outputs of the reference implementation of splitmix64 for this seed. */
    assert_true(random_u64(&seeded.random) == UINT64_C(6457827717110365317));
    assert_true(random_u64(&seeded.random) == UINT64_C(3203168211198807973));
}

static void a_partial_fill_touches_no_byte_too_many(void **state) {
    (void)state;
    struct random_seeded seeded;
    random_seeded_init(&seeded, 1);
    uint8_t bytes[16];
    memset(bytes, 0xee, sizeof(bytes));

    random_fill(&seeded.random, bytes, 11);

    for (size_t i = 11; i < sizeof(bytes); i++) {
        assert_int_equal(bytes[i], 0xee);
    }
}

static void bounded_values_stay_below_and_reach_each_one(void **state) {
    (void)state;
    struct random_seeded seeded;
    random_seeded_init(&seeded, 3);
    int seen[7] = {0};

    for (int i = 0; i < 7000; i++) {
        int64_t value = random_below(&seeded.random, 7);
        assert_in_range(value, 0, 6);
        seen[value]++;
    }

    for (int i = 0; i < 7; i++) {
        assert_in_range(seen[i], 800, 1200);
    }
    assert_int_equal(random_below(&seeded.random, 1), 0);
    assert_true(random_below(&seeded.random, INT64_MAX) >= 0);
    assert_aborts(random_below(&seeded.random, 0));
}

static void fill_with_zeros_once(void *context, void *bytes, size_t count) {
    int *calls = context;
    memset(bytes, *calls == 0 ? 0 : 0x7f, count);
    (*calls)++;
}

static void unfair_values_are_drawn_again(void **state) {
    (void)state;
    int calls = 0;
    struct random fixed = {.context = &calls, .fill = fill_with_zeros_once};

    int64_t value = random_below(&fixed, 10); /* 2^64 mod 10 is 6: zero is one of the unfair six */

    assert_int_equal(calls, 2);
    assert_int_equal(value, UINT64_C(0x7f7f7f7f7f7f7f7f) % 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_randomness_differs_each_time),
        cmocka_unit_test(the_same_seed_gives_the_same_values),
        cmocka_unit_test(the_published_values_come_out),
        cmocka_unit_test(a_partial_fill_touches_no_byte_too_many),
        cmocka_unit_test(bounded_values_stay_below_and_reach_each_one),
        cmocka_unit_test(unfair_values_are_drawn_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
