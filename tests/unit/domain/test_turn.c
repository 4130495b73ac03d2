/* Turns between users and between priorities. */
#include "domain/turn.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void a_key_follows_the_queue_or_the_users_own_last(void **state) {
    (void)state;
    static const struct {
        int64_t virtual_key, last_key, key;
    } rows[] = {
        {0, 0, 1}, /* 0 means that there was none */
        {0, 1, 1 + TURN_STRIDE},
        {5000, 0, 5000},                    /* a first turn begins now */
        {5000, 5000, 5000 + TURN_STRIDE},   /* the next one a stride later */
        {5000, 90000, 90000 + TURN_STRIDE}, /* behind all of his own */
        {90000, 5000, 90000},               /* nobody saves up turns */
        {5000, 5000 - TURN_STRIDE, 5000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(turn_key(rows[i].virtual_key, rows[i].last_key), rows[i].key);
    }
}

static void each_order_names_each_priority_once(void **state) {
    (void)state;
    for (uint64_t offer = 0; offer < 100; offer++) {
        enum job_priority order[PRIORITY_COUNT];
        int seen[PRIORITY_COUNT] = {0};

        turn_order(offer, order);

        for (int i = 0; i < PRIORITY_COUNT; i++) {
            seen[order[i]]++;
        }
        for (int p = 0; p < PRIORITY_COUNT; p++) {
            assert_int_equal(seen[p], 1);
        }
    }
}

static void most_offers_go_from_the_best_down_and_each_lower_one_comes_first_in_turn(void **state) {
    (void)state;
    int firsts[PRIORITY_COUNT] = {0};
    for (uint64_t offer = 0; offer < 16L * TURN_LOWER_EVERY; offer++) {
        enum job_priority order[PRIORITY_COUNT];
        turn_order(offer, order);
        firsts[order[0]]++;
        if (order[0] == PRIORITY_EXAM) {
            assert_int_equal(order[1], PRIORITY_PRACTICE);
        }
    }
    assert_int_equal(firsts[PRIORITY_EXAM], 16 * (TURN_LOWER_EVERY - 1));
    assert_int_equal(firsts[PRIORITY_PRACTICE], 8);
    assert_int_equal(firsts[PRIORITY_REJUDGE], 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_key_follows_the_queue_or_the_users_own_last),
        cmocka_unit_test(each_order_names_each_priority_once),
        cmocka_unit_test(most_offers_go_from_the_best_down_and_each_lower_one_comes_first_in_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
