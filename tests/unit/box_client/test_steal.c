#include "box_client/steal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void it_never_goes_back_and_serves_for_a_tick(void **state) {
    (void)state;
    struct steal steal = {0};
    int64_t first = steal_us(&steal);
    int64_t read_ms = steal.read_ms;
    assert_true(first >= 0);
    assert_true(read_ms > 0);

    steal.read_ms = 1; /* long ago */
    int64_t second = steal_us(&steal);

    assert_true(second >= first);
    assert_true(steal.read_ms >= read_ms);
    steal.us = 4711; /* kept within the tick */
    steal.read_ms += 1000000;
    assert_int_equal(steal_us(&steal), 4711);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_never_goes_back_and_serves_for_a_tick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
