/* Errors, tolerances and the shape of the report. */
#include "bench/box_accuracy.h"

#include "base/limits.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void the_worst_error_is_the_farthest_on_either_side(void **state) {
    (void)state;
    own_samples samples;
    samples_init(&samples);
    assert_int_equal(accuracy_worst(&samples, 100), 0);

    samples_add(&samples, 103);
    samples_add(&samples, 99);

    assert_int_equal(accuracy_worst(&samples, 100), 3);
    assert_int_equal(accuracy_worst(&samples, 200), -101);
}

static void small_things_may_be_wrong_by_a_fixed_amount_and_large_ones_by_a_share(void **state) {
    (void)state;
    static const struct {
        const char *what;
        int64_t known, error;
        bool within;
    } rows[] = {
        {"cpu", 50000, 3000, true},
        {"cpu", 50000, 3001, false},
        {"cpu", 50000, -3001, false},
        {"cpu", 2000000, 40000, true},
        {"cpu", 2000000, 40001, false},
        {"memory", 8 * MIB, MIB, true},
        {"memory", 8 * MIB, -MIB - 1, false},
        {"memory", 512 * MIB, 10 * MIB, true},
        {"memory", 512 * MIB, 11 * MIB, false},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct accuracy_row row = {.what = rows[i].what, .known = rows[i].known};

        assert_int_equal(accuracy_is_within(&row, rows[i].error), rows[i].within);
    }
}

static void fill(struct accuracy *accuracy) {
    accuracy_init(accuracy, 5);
    samples_add(&accuracy->rows[0].samples[1], accuracy->rows[0].known + 4000);
    samples_add(&accuracy->verdicts[0].samples[0], accuracy->verdicts[0].limit);
    accuracy->verdicts[0].right[0] = 1;
}

static void only_what_was_measured_is_reported(void **state) {
    (void)state;
    own_accuracy accuracy;
    own_buf out;
    buf_init(&out, 64 * KIB);
    fill(&accuracy);

    accuracy_print(&accuracy, BENCH_MARKDOWN, &out);

    assert_non_null(strstr(buf_c(&out), "| cpu single | busy |    50 |  54.00 |  4.00 |   0.00 |"
                                        "        4.00 |     NO |\n"));
    assert_null(strstr(buf_c(&out), "cpu children"));
    assert_non_null(strstr(buf_c(&out), "1 of 1"));
}

static void json_says_the_load_of_each_row(void **state) {
    (void)state;
    own_accuracy accuracy;
    own_buf out;
    struct jw json;
    struct err err = {0};
    buf_init(&out, 64 * KIB);
    fill(&accuracy);

    jw_init(&json, &out);
    jw_object_begin(&json);
    accuracy_json(&accuracy, &json);
    jw_object_end(&json);

    assert_true(jw_finish(&json, "report", &err));
    assert_non_null(strstr(buf_c(&out), "{\"what\":\"cpu\",\"kind\":\"single\",\"load\":\"busy\","
                                        "\"known\":50000,\"worstError\":4000,\"within\":false,"));
    assert_non_null(strstr(buf_c(&out), "\"ofLimit\":0.9,"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_worst_error_is_the_farthest_on_either_side),
        cmocka_unit_test(small_things_may_be_wrong_by_a_fixed_amount_and_large_ones_by_a_share),
        cmocka_unit_test(only_what_was_measured_is_reported),
        cmocka_unit_test(json_says_the_load_of_each_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
