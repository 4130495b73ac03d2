/* Order statistics, against values worked out by hand. */
#include "bench/samples.h"

#include "base/limits.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void fill(struct samples *samples, const int64_t *values, size_t count) {
    samples_init(samples);
    for (size_t i = 0; i < count; i++) {
        samples_add(samples, values[i]);
    }
}

static void the_order_of_arrival_does_not_matter(void **state) {
    (void)state;
    static const int64_t values[] = {9, 1, 7, 3, 5};
    own_samples samples;
    fill(&samples, values, 5);

    assert_int_equal(samples_median(&samples), 5);
    assert_int_equal(samples_least(&samples), 1);
    assert_int_equal(samples_greatest(&samples), 9);
}

static void the_median_of_an_even_count_lies_between(void **state) {
    (void)state;
    static const int64_t values[] = {10, 40, 20, 30};
    own_samples samples;
    fill(&samples, values, 4);

    assert_int_equal(samples_median(&samples), 25);
}

static void a_percentile_is_one_of_the_values(void **state) {
    (void)state;
    own_samples samples;
    samples_init(&samples);
    for (int64_t i = 500; i >= 1; i--) {
        samples_add(&samples, i);
    }

    assert_int_equal(samples_p99(&samples), 495);
    assert_int_equal(samples_at(&samples, 250), 125);
    assert_int_equal(samples_at(&samples, 1), 1);
    assert_int_equal(samples_at(&samples, 999), 500);
    assert_int_equal(samples_spread(&samples), 250);
}

static void few_values_have_a_percentile_too(void **state) {
    (void)state;
    static const int64_t values[] = {4, 2};
    own_samples samples;
    fill(&samples, values, 2);

    assert_int_equal(samples_p99(&samples), 4);
    assert_int_equal(samples_at(&samples, 500), 2);
}

static void negative_values_are_values(void **state) {
    (void)state;
    static const int64_t values[] = {-5, -1, 3};
    own_samples samples;
    fill(&samples, values, 3);

    assert_int_equal(samples_median(&samples), -1);
    assert_int_equal(samples_least(&samples), -5);
}

static void none_at_all_is_zero(void **state) {
    (void)state;
    own_samples samples;
    samples_init(&samples);

    assert_int_equal(samples_median(&samples), 0);
    assert_int_equal(samples_p99(&samples), 0);
    assert_int_equal(samples_spread(&samples), 0);
}

static void a_value_added_later_counts(void **state) {
    (void)state;
    static const int64_t values[] = {3, 1};
    own_samples samples;
    fill(&samples, values, 2);
    assert_int_equal(samples_greatest(&samples), 3);

    samples_add(&samples, 2);

    assert_int_equal(samples_median(&samples), 2);
}

static void json_is_written_in_the_larger_unit(void **state) {
    (void)state;
    static const int64_t values[] = {1500000, 2000000, 2500000};
    struct err err = {0};
    struct jw json;
    own_samples samples;
    own_buf out;
    buf_init(&out, KIB);
    fill(&samples, values, 3);

    jw_init(&json, &out);
    samples_json(&samples, 6, &json);

    assert_true(jw_finish(&json, "samples", &err));
    assert_string_equal(buf_c(&out), "{\"count\":3,\"min\":1.5,\"median\":2,\"p99\":2.5,"
                                     "\"max\":2.5,\"spread\":1}");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_order_of_arrival_does_not_matter),
        cmocka_unit_test(the_median_of_an_even_count_lies_between),
        cmocka_unit_test(a_percentile_is_one_of_the_values),
        cmocka_unit_test(few_values_have_a_percentile_too),
        cmocka_unit_test(negative_values_are_values),
        cmocka_unit_test(none_at_all_is_zero),
        cmocka_unit_test(a_value_added_later_counts),
        cmocka_unit_test(json_is_written_in_the_larger_unit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
