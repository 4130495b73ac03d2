/* What checkers of HUSTOJ, QDUOJ, CMS, Lemon and SYZOJ say. */
#include "protocol_rows.h"

static void hustoj_knows_0_and_the_rest(void **state) {
    (void)state;
    static const struct protocol_row rows[] = {
        {0, "", "", {NULL}, AC, 9000000, ""},
        {1, "got 3", "", {NULL}, WA, 0, "got 3"},
        {255, "out", "error", {NULL}, WA, 0, "error"},
    };
    SCORED(ADAPTER_HUSTOJ, rows);
}

static void hustoj_with_a_score_exits_per_cent(void **state) {
    (void)state;
    static const struct protocol_row rows[] = {
        {100, "", "", {NULL}, AC, 9000000, ""},  {0, "", "", {NULL}, WA, 0, ""},
        {33, "", "", {NULL}, PC, 2970000, ""},   {101, "", "", {NULL}, BROKEN, 0, "no per cent"},
        {255, "", "", {NULL}, BROKEN, 0, "255"},
    };
    SCORED(ADAPTER_HUSTOJ_SCORE, rows);
    static const struct protocol_row pass_fail[] = {{100, "", "", {NULL}, AC, 9000000, ""},
                                                    {99, "", "", {NULL}, WA, 0, ""}};
    PASS_FAIL(ADAPTER_HUSTOJ_SCORE, pass_fail);
}

static void qduoj_has_a_status_for_its_own_faults(void **state) {
    (void)state;
    static const struct protocol_row rows[] = {
        {0, "result: 0", "", {NULL}, AC, 9000000, "result"},
        {1, "", "", {NULL}, WA, 0, ""},
        {255, "", "", {NULL}, BROKEN, 0, "status 255"},
        {2, "", "", {NULL}, BROKEN, 0, "status 2"},
    };
    SCORED(ADAPTER_QDUOJ, rows);
}

static void cms_writes_a_share(void **state) {
    (void)state;
    static const struct protocol_row rows[] = {
        {0, "1.0\n", "translate:success", {NULL}, AC, 9000000, ""},
        {0, "0.0\n", "translate:wrong", {NULL}, WA, 0, ""},
        {0, "0.5", "translate:partial", {NULL}, PC, 4500000, ""},
        {0, "1e-05\nmore", "", {NULL}, PC, 90, ""},
        {0, "0.30000000000000004", "", {NULL}, PC, 2700000, ""},
        {0, "", "", {NULL}, BROKEN, 0, "no number from 0 to 1"},
        {0, "1.01", "", {NULL}, BROKEN, 0, "no number from 0 to 1"},
        {0, "-0.5", "", {NULL}, BROKEN, 0, "no number from 0 to 1"},
        {0, "nan", "", {NULL}, BROKEN, 0, "no number from 0 to 1"},
        {0, "inf", "", {NULL}, BROKEN, 0, "no number from 0 to 1"},
        {0, "1.0 points", "", {NULL}, BROKEN, 0, "no number from 0 to 1"},
        {1, "1.0", "", {NULL}, BROKEN, 0, "status 1 instead of 0"},
    };
    SCORED(ADAPTER_CMS, rows);
}

static void lemon_writes_its_score_into_a_file(void **state) {
    (void)state;
    static const struct protocol_row rows[] = {
        {0, "", "", {"9\n", "good"}, AC, 9000000, ""},
        {0, "", "", {"0"}, WA, 0, ""},
        {0, "", "", {"3", "a third"}, PC, 3000000, ""},
        {0, "", "", {"4.5"}, PC, 4500000, ""},
        {0, "", "", {NULL}, BROKEN, 0, "no score file"},
        {0, "", "", {""}, BROKEN, 0, "0 to 9"},
        {0, "", "", {"10"}, BROKEN, 0, "0 to 9"},
        {0, "", "", {"-1"}, BROKEN, 0, "0 to 9"},
        {0, "", "", {"all"}, BROKEN, 0, "0 to 9"},
        {1, "", "", {"9"}, BROKEN, 0, "instead of 0"},
    };
    SCORED(ADAPTER_LEMON, rows);
}

static void syzoj_writes_per_cent(void **state) {
    (void)state;
    static const struct protocol_row rows[] = {
        {0, "100\n", "fine", {NULL}, AC, 9000000, ""},
        {0, "0", "", {NULL}, WA, 0, ""},
        {0, "50", "", {NULL}, PC, 4500000, ""},
        {0, "33.5", "", {NULL}, PC, 3015000, ""},
        {0, "101", "", {NULL}, BROKEN, 0, "0 to 100"},
        {0, "", "", {NULL}, BROKEN, 0, "0 to 100"},
        {0, "AC", "", {NULL}, BROKEN, 0, "0 to 100"},
        {134, "100", "", {NULL}, BROKEN, 0, "status 134"},
    };
    SCORED(ADAPTER_SYZOJ, rows);
}

static void words_meant_for_contestants_reach_them(void **state) {
    (void)state;
    static const struct {
        enum program_adapter adapter;
        struct protocol_row row;
        const char *student;
    } rows[] = {
        {ADAPTER_CMS, {0, "0", "translate:wrong\n", {NULL}, WA, 0, ""}, "Output isn't correct"},
        {ADAPTER_CMS, {0, "0", "line 3", {NULL}, WA, 0, ""}, "line 3"},
        {ADAPTER_LEMON, {0, "", "", {"0", "line 3"}, WA, 0, ""}, "line 3"},
        {ADAPTER_SYZOJ, {0, "0", "line 3", {NULL}, WA, 0, ""}, "line 3"},
        {ADAPTER_ICPC, {43, "", "err", {"for the team", "for judges"}, WA, 0, ""}, "for the team"},
        {ADAPTER_TESTLIB, {1, "", "expected 5", {NULL}, WA, 0, ""}, ""},
        {ADAPTER_HUSTOJ, {1, "", "expected 5", {NULL}, WA, 0, ""}, ""},
        {ADAPTER_QDUOJ, {1, "", "expected 5", {NULL}, WA, 0, ""}, ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        own(arena) arena = arena_create(MIB);
        struct protocol_said said = said_of(&rows[i].row);
        struct checker_answer answer = {.says = CHECKER_SAYS_NO};
        struct err err = {0};

        assert_true(protocol_of(rows[i].adapter)->read(&said, arena, &answer, &err));

        assert_true(str_eq_c(answer.student, rows[i].student));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hustoj_knows_0_and_the_rest),
        cmocka_unit_test(hustoj_with_a_score_exits_per_cent),
        cmocka_unit_test(qduoj_has_a_status_for_its_own_faults),
        cmocka_unit_test(cms_writes_a_share),
        cmocka_unit_test(lemon_writes_its_score_into_a_file),
        cmocka_unit_test(syzoj_writes_per_cent),
        cmocka_unit_test(words_meant_for_contestants_reach_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
