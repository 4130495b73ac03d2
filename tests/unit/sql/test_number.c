#include "sql/number.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

static void numbers_are_compared_by_value(void **state) {
    (void)state;
    static const struct {
        const char *a;
        const char *b;
        bool equal;
    } rows[] = {
        {"1", "1.00", true},        {"-0", "0", true},
        {"1e3", "1000", true},      {"0.5", ".5", true},
        {"1.5E-3", "0.0015", true}, {"+7", "7", true},
        {"1", "-1", false},         {"1", "1.000000001", false},
        {"10", "1", false},         {"12345678901234567890", "12345678901234567891", false},
        {"0.1", "0.01", false},     {"100", "1e2", true},
        {"0", "0.000", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(sql_number_equal(str_from(rows[i].a), str_from(rows[i].b)), rows[i].equal);
    }
}

static void what_is_no_number_is_known(void **state) {
    (void)state;
    static const char *const texts[] = {"",  "a",  "1a",        "1.2.3", "-",
                                        ".", "1e", "1e1000000", "0x10"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_false(sql_number_is(str_from(texts[i])));
    }
    assert_true(sql_number_is(STR("-1.5e-07")));
}

static void floating_point_numbers_may_differ_a_little(void **state) {
    (void)state;

    assert_true(sql_number_near(STR("0.30000000000000004"), STR("0.3")));
    assert_true(sql_number_near(STR("1e20"), STR("100000000000000000001")));
    assert_false(sql_number_near(STR("1.0001"), STR("1")));
    assert_true(sql_number_value(STR("-2.5")) < -2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_compared_by_value),
        cmocka_unit_test(what_is_no_number_is_known),
        cmocka_unit_test(floating_point_numbers_may_differ_a_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
