/* Kattis' rule for time limits. */
#include "local/time_rule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void the_slowest_times_the_factor_is_rounded_up(void **state) {
    (void)state;
    static const struct {
        struct package_time_rule rule;
        int64_t slowest_ms, limit_ms;
    } rows[] = {
        {{5000, 1000}, 0, 1000},       {{5000, 1000}, 3, 1000},
        {{5000, 1000}, 200, 1000},     {{5000, 1000}, 201, 2000},
        {{2000, 1000}, 700, 2000},     {{2000, 500}, 700, 1500},
        {{1500, 100}, 333, 500},       {{2000, 1}, 3, 10},
        {{5000, 1000}, 60000, 300000}, {{100000, 1000}, 60000, TIME_LIMIT_MS_MAX},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(time_rule_limit(&rows[i].rule, rows[i].slowest_ms), rows[i].limit_ms);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_slowest_times_the_factor_is_rounded_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
