/* What is computed from the times, and the shape of the report. */
#include "bench/judge_speed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define MS 1000000

static void put(struct judge_timing *timing, int64_t compile_ms, int64_t all_ms) {
    timing->present = true;
    samples_add(&timing->compile, compile_ms * MS);
    samples_add(&timing->all, all_ms * MS);
}

/* The first program has all three ways, the fifth (Python) two, the others none. */
static void fill(struct judge_speed *speed) {
    judge_speed_init(speed);
    put(&speed->programs[0].ways[JUDGE_PLAIN], 2000, 2010);
    put(&speed->programs[0].ways[JUDGE_OURS], 500, 510);
    put(&speed->programs[0].ways[JUDGE_AGAIN], 500, 4);
    put(&speed->programs[4].ways[JUDGE_OURS], 20, 60);
    put(&speed->programs[4].ways[JUDGE_AGAIN], 20, 30);
    put(&speed->cases[CASES_BUILT_IN_ONE], 0, 10);
    put(&speed->cases[CASES_BUILT_IN_MANY], 0, 210);
    put(&speed->cases[CASES_VALIDATOR_ONE], 0, 10);
    put(&speed->cases[CASES_VALIDATOR_MANY], 0, 510);
    samples_add(&speed->spawn, MS / 2);
}

static void our_compile_is_a_part_of_the_plain_one(void **state) {
    (void)state;
    own_judge_speed speed;
    fill(&speed);

    assert_int_equal(judge_speed_compile_milli(&speed.programs[0]), 250);
    assert_int_equal(judge_speed_compile_milli(&speed.programs[1]), 0);
    assert_int_equal(judge_speed_compile_milli(&speed.programs[4]), 0);
}

static void a_case_is_what_the_further_ones_cost_beyond_their_processes(void **state) {
    (void)state;
    own_judge_speed speed;
    fill(&speed);

    assert_int_equal(judge_speed_case_ns(&speed, false), 2 * MS - MS / 2);
    assert_int_equal(judge_speed_case_ns(&speed, true), 5 * MS - MS);
}

static void without_measurements_nothing_is_divided_by_zero(void **state) {
    (void)state;
    own_judge_speed speed;
    judge_speed_init(&speed);

    assert_int_equal(judge_speed_compile_milli(&speed.programs[0]), 0);
    assert_int_equal(judge_speed_case_ns(&speed, false), 0);
    assert_int_equal(judge_speed_case_ns(&speed, true), 0);
}

static void json_names_programs_and_ways(void **state) {
    (void)state;
    own_judge_speed speed;
    own_buf out;
    struct jw json;
    struct err err = {0};
    buf_init(&out, 64 * KIB);
    fill(&speed);

    jw_init(&json, &out);
    jw_object_begin(&json);
    judge_speed_json(&speed, &json);
    jw_object_end(&json);

    assert_true(jw_finish(&json, "report", &err));
    assert_non_null(strstr(buf_c(&out), "{\"compileMs\":{\"cppSum\":{\"plain\":{\"count\":1,"));
    assert_non_null(strstr(buf_c(&out), "\"ratio\":0.25}"));
    assert_non_null(strstr(buf_c(&out), "\"caseOverheadMs\":{\"builtIn\":1.5,\"validator\":4}"));
    assert_non_null(strstr(buf_c(&out), "\"submissionMs\":{"));
    assert_non_null(strstr(buf_c(&out), "\"again\":{\"count\":1,\"min\":4,"));
}

static void the_table_has_a_dash_for_what_was_not_measured(void **state) {
    (void)state;
    own_judge_speed speed;
    own_buf out;
    buf_init(&out, 64 * KIB);
    fill(&speed);

    judge_speed_print(&speed, BENCH_MARKDOWN, &out);

    assert_non_null(strstr(buf_c(&out), "2000.0"));
    assert_non_null(strstr(buf_c(&out), " 25 |"));
    assert_non_null(strstr(buf_c(&out), " - |"));
    assert_non_null(strstr(buf_c(&out), "a case in C++ beyond the plain process: 1.50 ms"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(our_compile_is_a_part_of_the_plain_one),
        cmocka_unit_test(a_case_is_what_the_further_ones_cost_beyond_their_processes),
        cmocka_unit_test(without_measurements_nothing_is_divided_by_zero),
        cmocka_unit_test(json_names_programs_and_ways),
        cmocka_unit_test(the_table_has_a_dash_for_what_was_not_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
