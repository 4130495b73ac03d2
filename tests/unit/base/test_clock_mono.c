#include "base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void nanoseconds_and_milliseconds_are_of_one_clock(void **state) {
    (void)state;
    int64_t before_ms = clock_mono_ms(&clock_real);
    int64_t now_ns = clock_real_mono_ns();
    int64_t after_ms = clock_mono_ms(&clock_real);
    assert_in_range(now_ns / 1000000, before_ms, after_ms);
}

static void it_never_goes_back(void **state) {
    (void)state;
    int64_t last_ns = clock_real_mono_ns();
    for (int i = 0; i < 1000; i++) {
        int64_t now_ns = clock_real_mono_ns();
        assert_true(now_ns >= last_ns);
        last_ns = now_ns;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nanoseconds_and_milliseconds_are_of_one_clock),
        cmocka_unit_test(it_never_goes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
