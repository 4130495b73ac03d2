#include "judge/sql_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

static void memory_is_told_from_other_errors(void **state) {
    (void)state;

    assert_int_equal(sql_error_verdict(1114), VERDICT_MEMORY_LIMIT_EXCEEDED);
    assert_int_equal(sql_error_verdict(1290), VERDICT_MEMORY_LIMIT_EXCEEDED);
    assert_int_equal(sql_error_verdict(1064), VERDICT_RUNTIME_ERROR);
}

static void errors_that_can_quote_data_are_not_plain(void **state) {
    (void)state;
    const unsigned with_data[] = {1062, 1292, 1105, 1644, 1366, 1690, 1264};
    for (size_t i = 0; i < sizeof with_data / sizeof with_data[0]; i++) {
        assert_false(sql_error_is_plain(with_data[i]));
    }
    assert_true(sql_error_is_plain(1054));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_told_from_other_errors),
        cmocka_unit_test(errors_that_can_quote_data_are_not_plain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
