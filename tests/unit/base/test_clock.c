#include "base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../aborts.h"

static void the_real_clocks_move_forward(void **state) {
    (void)state;
    int64_t utc_before_ms = clock_utc_ms(&clock_real);
    int64_t mono_before_ms = clock_mono_ms(&clock_real);

    clock_sleep_ms(&clock_real, 20);

    assert_true(clock_mono_ms(&clock_real) - mono_before_ms >= 19);
    assert_true(utc_before_ms > INT64_C(1700000000000));
}

static void sleeping_no_time_returns_at_once(void **state) {
    (void)state;
    int64_t before_ms = clock_mono_ms(&clock_real);

    clock_sleep_ms(&clock_real, 0);
    clock_sleep_ms(&clock_real, -5);

    assert_true(clock_mono_ms(&clock_real) - before_ms < 10000);
}

static void a_manual_clock_moves_only_when_told(void **state) {
    (void)state;
    struct clock_manual manual;
    clock_manual_init(&manual, 1000);
    const struct clock *clock = &manual.clock;

    clock_manual_advance(&manual, 5);
    clock_sleep_ms(clock, 10);
    clock_sleep_ms(clock, -10);

    assert_int_equal(clock_utc_ms(clock), 1015);
    assert_int_equal(clock_mono_ms(clock), 15);
    assert_aborts((clock_manual_advance(&manual, -1), 0));
}

static void times_are_written_in_rfc_3339(void **state) {
    (void)state;
    static const struct {
        int64_t utc_ms;
        const char *text;
    } cases[] = {
        {0, "1970-01-01T00:00:00.000Z"},
        {-1, "1969-12-31T23:59:59.999Z"},
        {1796033000042, "2026-11-30T10:03:20.042Z"},
        {951782400000, "2000-02-29T00:00:00.000Z"},  /* a leap day of a full century */
        {4107456000000, "2100-02-28T00:00:00.000Z"}, /* which 2100 has not */
        {4107542400000, "2100-03-01T00:00:00.000Z"},
        {1709251199999, "2024-02-29T23:59:59.999Z"},
        {253402300799999, "9999-12-31T23:59:59.999Z"},
        {INT64_MAX, "9999-12-31T23:59:59.999Z"},
        {INT64_MIN, "0000-01-01T00:00:00.000Z"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[CLOCK_RFC3339_BYTES];
        clock_rfc3339(cases[i].utc_ms, text);
        assert_string_equal(text, cases[i].text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_real_clocks_move_forward),
        cmocka_unit_test(sleeping_no_time_returns_at_once),
        cmocka_unit_test(a_manual_clock_moves_only_when_told),
        cmocka_unit_test(times_are_written_in_rfc_3339),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
