/* Every pair of texts is the same by its rule, and each has its row. */
#include "base/limits.h"
#include "bench/compare_speed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void every_rule_is_measured_and_reported(void **state) {
    (void)state;
    own_compare_speed speed;
    own_buf out = {0};
    struct jw json;
    struct err err = {0};
    buf_init(&out, 64 * KIB);
    compare_speed_init(&speed, 1);

    assert_true(compare_speed_measure(&speed, 2, &err));

    for (int i = 0; i < speed.row_count; i++) {
        assert_int_equal(speed.rows[i].ns.count, 2);
        assert_true(speed.rows[i].bytes >= 1000000);
        assert_true(compare_speed_rate(&speed.rows[i]) > 0);
    }
    compare_speed_print(&speed, BENCH_MARKDOWN, &out);
    assert_non_null(strstr(buf_c(&out), "unordered lines, reversed"));
    jw_init(&json, &out);
    jw_object_begin(&json);
    compare_speed_json(&speed, &json);
    jw_object_end(&json);
    assert_true(jw_finish(&json, "report", &err));
    assert_non_null(strstr(buf_c(&out), "{\"compare\":{\"exact\":{\"outputBytes\":"));
}

static void the_rate_is_bytes_of_output_by_the_median(void **state) {
    (void)state;
    own_compare_speed speed;
    compare_speed_init(&speed, 0);
    struct compare_row *row = &speed.rows[0];

    assert_int_equal(compare_speed_rate(row), 0);
    row->bytes = 100000000;
    samples_add(&row->ns, 200000000);
    assert_int_equal(compare_speed_rate(row), 500);
}

static void nothing_asked_is_nothing_measured(void **state) {
    (void)state;
    own_compare_speed speed;
    own_buf out = {0};
    struct err err = {0};
    buf_init(&out, 64 * KIB);
    compare_speed_init(&speed, 0);

    assert_true(compare_speed_measure(&speed, 2, &err));
    compare_speed_print(&speed, BENCH_TEXT, &out);

    assert_int_equal(buf_str(&out).len, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rule_is_measured_and_reported),
        cmocka_unit_test(the_rate_is_bytes_of_output_by_the_median),
        cmocka_unit_test(nothing_asked_is_nothing_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
