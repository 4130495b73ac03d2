/* What is computed from the times, and the shape of the report. */
#include "bench/box_speed.h"

#include "base/limits.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define MS 1000000

static void fill(struct speed *speed, int way_count) {
    speed_init(speed);
    speed->way_count = way_count;
    for (int way = 0; way < way_count; way++) {
        for (int i = 0; i < 3; i++) { /* plain 1, 2, 3 ms; the others 10 ms later each */
            samples_add(&speed->ways[way].samples, (int64_t)(1 + i + 10 * way) * MS);
        }
    }
    for (int i = 0; i < SPEED_PHASES; i++) {
        samples_add(&speed->phases[i], (int64_t)(i + 1) * MS / 4);
    }
    samples_add(&speed->one_slot, 200);
    samples_add(&speed->two_slots, 370);
}

static void overhead_is_beyond_the_plain_median(void **state) {
    (void)state;
    own_speed speed;
    fill(&speed, SPEED_WAYS);

    assert_int_equal(speed_overhead(&speed, SPEED_PLAIN), 0);
    assert_int_equal(speed_overhead(&speed, SPEED_RUN), 10 * MS);
    assert_int_equal(speed_overhead_p99(&speed, SPEED_RUN), 11 * MS);
    assert_int_equal(speed_overhead(&speed, SPEED_BUBBLEWRAP), 40 * MS);
    assert_int_equal(speed_ratio_milli(&speed), 1850);
}

static void without_measurements_nothing_is_divided_by_zero(void **state) {
    (void)state;
    own_speed speed;
    speed_init(&speed);

    assert_int_equal(speed_ratio_milli(&speed), 0);
    assert_int_equal(speed_overhead(&speed, SPEED_RUN), 0);
}

static void json_names_every_overhead(void **state) {
    (void)state;
    own_speed speed;
    own_buf out;
    struct jw json;
    struct err err = {0};
    buf_init(&out, 64 * KIB);
    fill(&speed, SPEED_WAYS);

    jw_init(&json, &out);
    jw_object_begin(&json);
    speed_json(&speed, &json);
    jw_object_end(&json);

    assert_true(jw_finish(&json, "report", &err));
    assert_int_equal(strncmp(buf_c(&out),
                             "{\"overheadMs\":{\"run\":10,\"placed\":20,\"fresh\":30,"
                             "\"bubblewrap\":40},",
                             64),
                     0);
    assert_non_null(strstr(buf_c(&out), "\"ratio\":1.85"));
    assert_non_null(strstr(buf_c(&out), "\"accept\":{\"count\":1,\"min\":0.25"));
}

static void a_missing_bubblewrap_is_left_out(void **state) {
    (void)state;
    own_speed speed;
    own_buf out;
    buf_init(&out, 64 * KIB);
    fill(&speed, SPEED_WAYS - 1);

    speed_print(&speed, BENCH_TEXT, &out);

    assert_null(strstr(buf_c(&out), "bubblewrap"));
    assert_non_null(strstr(buf_c(&out), "run, fresh launcher"));
    assert_non_null(strstr(buf_c(&out), "1 slot 200 runs/s, 2 slots 370 runs/s: 1.85 times"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overhead_is_beyond_the_plain_median),
        cmocka_unit_test(without_measurements_nothing_is_divided_by_zero),
        cmocka_unit_test(json_names_every_overhead),
        cmocka_unit_test(a_missing_bubblewrap_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
