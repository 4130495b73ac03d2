#include "base/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../aborts.h"
#include "base/ck.h"
#include <string.h>

static void a_true_condition_costs_nothing(void **state) {
    (void)state;
    int evaluated = 0;

    CHECK(++evaluated == 1);

    assert_int_equal(evaluated, 1);
}

static void a_false_condition_says_where_and_aborts(void **state) {
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);

    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        CHECK(1 + 1 == 3);
        _exit(0);
    }
    close(ends[1]);
    char text[256] = {0};
    ssize_t got = read(ends[0], text, sizeof(text) - 1);
    close(ends[0]);

    assert_int_equal(aborts_signal(child), SIGABRT);
    assert_true(got > 0);
    assert_non_null(strstr(text, "CHECK failed: 1 + 1 == 3 ("));
    assert_non_null(strstr(text, "test_check.c:"));
}

static void an_endless_condition_is_cut(void **state) {
    (void)state;
    static char expr[4000];
    memset(expr, 'x', sizeof(expr) - 1);

    assert_aborts((check_failed(expr, "file.c", 1), 0));
}

static void checked_arithmetic_tells_when_it_fits(void **state) {
    (void)state;
    int64_t value = 0;

    assert_true(ck_add(INT64_MAX - 1, 1, &value));
    assert_int_equal(value, INT64_MAX);
    assert_false(ck_add(INT64_MAX, 1, &value));
    assert_true(ck_sub(-5, 3, &value));
    assert_int_equal(value, -8);
    assert_false(ck_sub(INT64_MIN, 1, &value));
    assert_true(ck_mul(INT64_C(3037000499), INT64_C(3037000499), &value));
    assert_false(ck_mul(INT64_C(3037000500), INT64_C(3037000500), &value));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_true_condition_costs_nothing),
        cmocka_unit_test(a_false_condition_says_where_and_aborts),
        cmocka_unit_test(an_endless_condition_is_cut),
        cmocka_unit_test(checked_arithmetic_tells_when_it_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
