/* The order in which candidates are measured, and what counts. */
#include "bench/rounds.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static char order[64];
static int calls;
static int fails_at;

static bool note(void *context, int64_t *ret_value, struct err *err) {
    order[calls++] = *(const char *)context;
    *ret_value = calls;
    return fails_at == 0 || calls < fails_at || err_set(err, ERR_SYSTEM, "broken", "it went wrong");
}

static char letters[] = "abc";

static void make(struct candidate candidates[3]) {
    memset(order, 0, sizeof(order));
    calls = fails_at = 0;
    for (int i = 0; i < 3; i++) {
        candidates[i] = (struct candidate){
            .name = i == 1 ? "second" : "other", .once = note, .context = &letters[i]};
    }
}

static void each_round_begins_with_another_candidate(void **state) {
    (void)state;
    struct candidate candidates[3];
    struct err err = {0};
    make(candidates);

    assert_true(rounds_run(candidates, 3, 0, 3, &err));

    assert_string_equal(order, "abcbcacab");
    assert_int_equal(candidates[0].samples.count, 3);
    rounds_done(candidates, 3);
}

static void warm_ups_are_run_and_not_counted(void **state) {
    (void)state;
    struct candidate candidates[3];
    struct err err = {0};
    make(candidates);

    assert_true(rounds_run(candidates, 3, 2, 1, &err));

    assert_int_equal(calls, 9);
    assert_int_equal(candidates[2].samples.count, 1);
    assert_int_equal(samples_least(&candidates[2].samples), 7); /* it begins the third round */
    rounds_done(candidates, 3);
}

static void a_failure_ends_it_and_is_named(void **state) {
    (void)state;
    struct candidate candidates[3];
    struct err err = {0};
    make(candidates);
    fails_at = 2;

    assert_false(rounds_run(candidates, 3, 0, 3, &err));

    assert_int_equal(calls, 2);
    assert_non_null(strstr(err.text, "second"));
    rounds_done(candidates, 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_round_begins_with_another_candidate),
        cmocka_unit_test(warm_ups_are_run_and_not_counted),
        cmocka_unit_test(a_failure_ends_it_and_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
