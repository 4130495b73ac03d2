/* A silence of all servers, and which leases it excuses. */
#include "domain/outage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const struct outage none = {0};

static struct outage_rule usual(void) {
    return outage_rule_of(60000, 15000, 2000);
}

static void a_silence_is_longer_than_half_a_lease_and_three_looks(void **state) {
    (void)state;
    assert_int_equal(outage_rule_of(60000, 15000, 2000).silence_ms, 30000);
    assert_int_equal(outage_rule_of(3000, 700, 2000).silence_ms, 6000);
}

static void what_comes_in_time_is_no_outage(void **state) {
    (void)state;
    struct outage_rule rule = usual();

    struct outage first = outage_note(&none, &rule, 0, 900000); /* nobody was ever seen */
    struct outage late = outage_note(&none, &rule, 100000, 130000);

    assert_int_equal(first.until_ms, 0);
    assert_int_equal(late.until_ms, 0);
}

static void a_long_silence_is_kept_from_its_beginning_to_its_end(void **state) {
    (void)state;
    struct outage_rule rule = usual();

    struct outage seen = outage_note(&none, &rule, 100000, 500000);
    struct outage kept = outage_note(&seen, &rule, 500000, 502000);

    assert_int_equal(seen.from_ms, 100000);
    assert_int_equal(seen.until_ms, 500000);
    assert_int_equal(kept.from_ms, 100000);
    assert_int_equal(kept.until_ms, 500000);
}

static void silences_with_a_moment_between_are_one(void **state) {
    (void)state;
    struct outage_rule rule = usual();
    struct outage first = outage_note(&none, &rule, 100000, 200000);

    struct outage both = outage_note(&first, &rule, 205000, 300000);
    struct outage other = outage_note(&first, &rule, 261000, 300000);

    assert_int_equal(both.from_ms, 100000);
    assert_int_equal(both.until_ms, 300000);
    assert_int_equal(other.from_ms, 261000);
}

static void leases_that_ended_meanwhile_or_just_after_are_excused(void **state) {
    (void)state;
    struct outage_rule rule = usual();
    struct outage outage = {.from_ms = 100000, .until_ms = 200000};

    assert_false(outage_covers(&none, &rule, 0));
    assert_false(outage_covers(&outage, &rule, 99999));
    assert_true(outage_covers(&outage, &rule, 100000));
    assert_true(outage_covers(&outage, &rule, 200000));
    assert_true(outage_covers(&outage, &rule, 215000));
    assert_false(outage_covers(&outage, &rule, 215001));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_silence_is_longer_than_half_a_lease_and_three_looks),
        cmocka_unit_test(what_comes_in_time_is_no_outage),
        cmocka_unit_test(a_long_silence_is_kept_from_its_beginning_to_its_end),
        cmocka_unit_test(silences_with_a_moment_between_are_one),
        cmocka_unit_test(leases_that_ended_meanwhile_or_just_after_are_excused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
