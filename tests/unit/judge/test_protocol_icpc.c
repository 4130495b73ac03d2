/* What an ICPC output validator says. */
#include "protocol_rows.h"

static void points_are_exact_and_within_the_maximum(void **state) {
    (void)state;
    static const struct protocol_row rows[] = {
        {42, "", "", {NULL}, AC, 9000000, ""},
        {43, "", "words", {NULL, "for judges"}, WA, 0, "for judges"},
        {43, "", "words", {NULL}, WA, 0, "words"},
        {42, "", "", {[3] = "0.5\n"}, PC, 4500000, ""},
        {42, "", "", {[3] = "1"}, AC, 9000000, ""},
        {42, "", "", {[3] = "0"}, PC, 0, ""},
        {42, "", "", {[3] = "0.333333"}, PC, 2999997, ""},
        {42, "", "", {[3] = "0.33333333333333333"}, PC, 2999999, ""},
        {42, "", "", {[2] = "7.25 \n"}, PC, 7250000, ""},
        {42, "", "", {[2] = "9"}, AC, 9000000, ""},
        {42, "", "", {[2] = "0"}, PC, 0, ""},
        {42, "", "", {[2] = "9e0"}, AC, 9000000, ""},
        /* lies */
        {42, "", "", {[2] = "9.000001"}, BROKEN, 0, "more points than the case has"},
        {42, "", "", {[2] = "-1"}, BROKEN, 0, "no number"},
        {42, "", "", {[2] = ""}, BROKEN, 0, "no number"},
        {42, "", "", {[2] = "many"}, BROKEN, 0, "no number"},
        {42, "", "", {[2] = "1e3"}, BROKEN, 0, "more points"},
        {42, "", "", {[2] = "nan"}, BROKEN, 0, "no number"},
        {42, "", "", {[3] = "1.1"}, BROKEN, 0, "0 to 1"},
        {42, "", "", {[3] = "-0.5"}, BROKEN, 0, "0 to 1"},
        {42, "", "", {[3] = ""}, BROKEN, 0, "0 to 1"},
        {42, "", "", {[2] = "3", [3] = "0.5"}, BROKEN, 0, "both"},
        {0, "", "", {NULL}, BROKEN, 0, "status 0, which is neither 42"},
        {1, "", "", {NULL}, BROKEN, 0, "status 1"},
        {41, "", "", {NULL}, BROKEN, 0, "status 41"},
    };
    SCORED(ADAPTER_ICPC, rows);
}

static void points_mean_nothing_where_there_are_none(void **state) {
    (void)state;
    static const struct protocol_row rows[] = {
        {42, "", "", {[2] = "1000000"}, AC, 9000000, ""},
        {43, "", "", {[2] = "9"}, WA, 0, ""},
    };
    PASS_FAIL(ADAPTER_ICPC, rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_are_exact_and_within_the_maximum),
        cmocka_unit_test(points_mean_nothing_where_there_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
