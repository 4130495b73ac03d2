/* Decimals as exact ratios. */
#include "domain/ratio.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void what_programs_print_is_read_exactly(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t over; /* -1: refused */
        int64_t under;
    } rows[] = {
        {"0", 0, 1},
        {"1", 1, 1},
        {"0.25", 25, 100},
        {".5", 5, 10},
        {"5.", 5, 1},
        {"007.50", 750, 100},
        {"+3", 3, 1},
        {"-0.0", 0, 1},
        {"1e2", 100, 1},
        {"5E-1", 5, 10},
        {"1e+1", 10, 1},
        {"1e-05", 1, 100000},
        {"0.30000000000000004", 30000000000000004, 100000000000000000},
        {"0.0000000000000000001", 0, 1000000000000000000},
        {"0.99999999999999999999", 999999999999999999, 1000000000000000000},
        {"0e999", 0, 1},
        {"999999999999999999", 999999999999999999, 1},
        {"9223372036854775807", -1, 0},
        {"1e17", 100000000000000000, 1},
        {"1e18", -1, 0},
        {"1e19", -1, 0},
        {"1e99999999999", -1, 0},
        {"", -1, 0},
        {".", -1, 0},
        {"-1", -1, 0},
        {"-0.001", -1, 0},
        {"nan", -1, 0},
        {"inf", -1, 0},
        {"1,5", -1, 0},
        {"1.2.3", -1, 0},
        {"0x10", -1, 0},
        {"1e", -1, 0},
        {" 1", -1, 0},
        {"1 ", -1, 0},
        {"1/2", -1, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct ratio ratio = {.over = -1};

        bool good = ratio_parse(str_from(rows[i].text), &ratio);

        if (good != (rows[i].over >= 0) ||
            (good && (ratio.over != rows[i].over || ratio.under != rows[i].under))) {
            fail_msg("\"%s\": %d, %lld / %lld", rows[i].text, good, (long long)ratio.over,
                     (long long)ratio.under);
        }
    }
}

static void shares_are_cut_down_never_up(void **state) {
    (void)state;
    assert_int_equal(ratio_times((struct ratio){1, 3}, 100), 33);
    assert_int_equal(ratio_times((struct ratio){2, 3}, 100), 66);
    assert_int_equal(ratio_times((struct ratio){3, 3}, 100), 100);
    assert_int_equal(
        ratio_times((struct ratio){999999999999999999, 1000000000000000000}, 1000000000000000),
        999999999999999);
}

static void limits_are_compared_exactly(void **state) {
    (void)state;
    struct ratio almost = {.over = 999999999999999999, .under = 1000000000000000000};

    assert_true(ratio_fits(almost, 1, 1));
    assert_false(ratio_fits(almost, 1000000000000000, 999999999999999));
    assert_true(ratio_fits((struct ratio){7, 7}, 1000000, 1000000));
    assert_false(ratio_fits((struct ratio){1000001, 1000000}, 1, 1));
}

static void dividing_keeps_what_fits(void **state) {
    (void)state;
    struct ratio third = ratio_divide((struct ratio){1, 1}, 3);
    struct ratio small = ratio_divide((struct ratio){500000000000000000, 1000000000000000000}, 200);

    assert_int_equal(third.over, 1);
    assert_int_equal(third.under, 3);
    assert_int_equal(ratio_times(small, 1000000), 2500);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_programs_print_is_read_exactly),
        cmocka_unit_test(shares_are_cut_down_never_up),
        cmocka_unit_test(limits_are_compared_exactly),
        cmocka_unit_test(dividing_keeps_what_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
