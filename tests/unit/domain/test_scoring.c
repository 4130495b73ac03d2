/* Verdict and score from case results. */
#include "base/limits.h"
#include "base/random.h"
#include "domain/scoring.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum {
    AC = VERDICT_ACCEPTED,
    WA = VERDICT_WRONG_ANSWER,
    TLE = VERDICT_TIME_LIMIT_EXCEEDED,
    PC = VERDICT_PARTIAL
};

static int32_t make_results(struct case_result *results, const int *verdicts) {
    int32_t count = 0;
    for (; verdicts[count] != VERDICT_NONE; count++) {
        results[count] =
            (struct case_result){.index = count, .verdict = (enum verdict)verdicts[count]};
    }
    return count;
}

/* ---- pass/fail ---- */

static const struct manifest_case three_cases[3] = {
    {.sample = true, .group = -1}, {.group = -1}, {.group = -1}};

static struct manifest pass_fail(void) {
    return (struct manifest){.kinds = PROBLEM_PASS_FAIL,
                             .aggregation = AGGREGATE_PASS_FAIL,
                             .score_micro = SCORE_FULL_MICRO,
                             .cases = three_cases,
                             .case_count = 3};
}

static void the_first_rejected_case_decides(void **state) {
    (void)state;
    static const struct {
        int verdicts[4];
        enum verdict expected;
        int32_t passed;
    } rows[] = {
        {{AC, AC, AC}, VERDICT_ACCEPTED, 3},
        {{WA}, VERDICT_WRONG_ANSWER, 0},
        {{AC, TLE, WA}, VERDICT_TIME_LIMIT_EXCEEDED, 1},
        {{AC, WA, TLE}, VERDICT_WRONG_ANSWER, 1},
        {{AC, AC, VERDICT_RUNTIME_ERROR}, VERDICT_RUNTIME_ERROR, 2},
        {{TLE, AC, AC}, VERDICT_TIME_LIMIT_EXCEEDED, 2},
    };
    struct manifest manifest = pass_fail();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct case_result results[3] = {{0}};
        struct judgement judgement = {.cases = results};
        judgement.case_count = make_results(results, rows[i].verdicts);

        scoring_finish(&manifest, &judgement);

        assert_int_equal(judgement.verdict, rows[i].expected);
        assert_int_equal(judgement.cases_passed, rows[i].passed);
        assert_int_equal(judgement.cases_total, 3);
        assert_int_equal(judgement.score_micro,
                         rows[i].expected == VERDICT_ACCEPTED ? SCORE_FULL_MICRO : 0);
    }
}

static void a_compile_error_scores_nothing(void **state) {
    (void)state;
    struct manifest manifest = pass_fail();
    struct judgement judgement = {.compile = {.ran = true, .ok = false}};

    scoring_finish(&manifest, &judgement);

    assert_int_equal(judgement.verdict, VERDICT_COMPILE_ERROR);
    assert_int_equal(judgement.score_micro, 0);
    assert_int_equal(judgement.cases_total, 3);
}

static void pass_fail_is_decided_by_a_rejection_or_the_last_case(void **state) {
    (void)state;
    struct manifest manifest = pass_fail();
    struct case_result results[3] = {{0}};

    assert_false(scoring_decided(&manifest, results, 0));
    assert_false(scoring_decided(&manifest, results, make_results(results, (int[]){AC, AC, 0})));
    assert_true(scoring_decided(&manifest, results, make_results(results, (int[]){AC, WA, 0})));
    assert_true(scoring_decided(&manifest, results, make_results(results, (int[]){AC, AC, AC, 0})));
}

/* ---- scoring ---- */

/* Group 0 (pass/fail, 30): cases 1, 2. Group 1 (min, 50, needs group 0): cases 3, 4. Group 2 (sum,
 * 20): cases 5, 6. Case 0 is a loose sample. */
static const int32_t needs_group_0[1] = {0};
static const struct manifest_group three_groups[3] = {
    {.parent = -1, .aggregation = AGGREGATE_PASS_FAIL, .score_micro = 30},
    {.parent = -1,
     .aggregation = AGGREGATE_MIN,
     .score_micro = 50,
     .depends = needs_group_0,
     .depend_count = 1},
    {.parent = -1, .aggregation = AGGREGATE_SUM, .score_micro = 20},
};
static const struct manifest_case seven_cases[7] = {
    {.sample = true, .group = -1, .score_micro = 1000},
    {.group = 0},
    {.group = 0},
    {.group = 1, .score_micro = 50},
    {.group = 1, .score_micro = 50},
    {.group = 2, .score_micro = 7},
    {.group = 2, .score_micro = 13},
};

static struct manifest grouped(void) {
    return (struct manifest){.kinds = PROBLEM_SCORING,
                             .aggregation = AGGREGATE_SUM,
                             .score_micro = 100,
                             .groups = three_groups,
                             .group_count = 3,
                             .cases = seven_cases,
                             .case_count = 7};
}

static int32_t make_scored(struct case_result *results, const struct manifest *manifest,
                           const int *verdicts, int64_t partial) {
    int32_t count = make_results(results, verdicts);
    for (int32_t i = 0; i < count; i++) {
        int64_t full = manifest->cases[i].score_micro;
        results[i].score_micro = results[i].verdict == VERDICT_ACCEPTED  ? full
                                 : results[i].verdict == VERDICT_PARTIAL ? partial
                                                                         : 0;
    }
    return count;
}

static void groups_add_up_by_their_own_rule(void **state) {
    (void)state;
    static const struct {
        const char *why;
        int verdicts[8];
        int64_t score;
        enum verdict expected;
    } rows[] = {
        {"all", {AC, AC, AC, AC, AC, AC, AC}, 100, VERDICT_ACCEPTED},
        {"a sample never counts", {WA, AC, AC, AC, AC, AC, AC}, 100, VERDICT_ACCEPTED},
        {"pass/fail is all or nothing, and a group that needs it is lost",
         {AC, AC, WA, AC, AC, AC, AC},
         20,
         VERDICT_PARTIAL},
        {"min takes the worst", {AC, AC, AC, AC, PC, AC, AC}, 61, VERDICT_PARTIAL},
        {"sum adds", {AC, AC, AC, AC, AC, AC, WA}, 87, VERDICT_PARTIAL},
        {"nothing right", {AC, TLE, WA, WA, WA, WA, WA}, 0, VERDICT_TIME_LIMIT_EXCEEDED},
        {"what did not run has no points", {AC, AC, AC, AC}, 30, VERDICT_PARTIAL},
    };
    struct manifest manifest = grouped();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct case_result results[7] = {{0}};
        struct judgement judgement = {.cases = results};
        judgement.case_count = make_scored(results, &manifest, rows[i].verdicts, 11);

        scoring_finish(&manifest, &judgement);

        if (judgement.score_micro != rows[i].score || judgement.verdict != rows[i].expected) {
            fail_msg("%s: score %lld, verdict %s", rows[i].why, (long long)judgement.score_micro,
                     verdict_code(judgement.verdict));
        }
    }
}

static void a_nested_group_counts_in_its_parent(void **state) {
    (void)state;
    static const struct manifest_group groups[2] = {
        {.parent = -1, .aggregation = AGGREGATE_MAX, .score_micro = 10},
        {.parent = 0, .aggregation = AGGREGATE_SUM, .score_micro = 8},
    };
    static const struct manifest_case cases[3] = {{.group = 0, .score_micro = 5},
                                                  {.group = 1, .score_micro = 6},
                                                  {.group = 1, .score_micro = 6}};
    struct manifest manifest = {.kinds = PROBLEM_SCORING,
                                .aggregation = AGGREGATE_SUM,
                                .score_micro = 10,
                                .groups = groups,
                                .group_count = 2,
                                .cases = cases,
                                .case_count = 3};
    struct case_result results[3] = {{0}};
    struct judgement judgement = {.cases = results};

    judgement.case_count = make_scored(results, &manifest, (int[]){AC, AC, AC, 0}, 0);
    scoring_finish(&manifest, &judgement);
    assert_int_equal(judgement.score_micro, 8); /* 12 capped to the child's maximum */

    judgement.case_count = make_scored(results, &manifest, (int[]){AC, WA, WA, 0}, 0);
    scoring_finish(&manifest, &judgement);
    assert_int_equal(judgement.score_micro, 5);
}

static void a_case_of_a_lost_group_does_not_matter(void **state) {
    (void)state;
    struct manifest manifest = grouped();
    struct case_result results[7] = {{0}};
    int32_t count = make_scored(results, &manifest, (int[]){AC, WA, 0}, 0);

    assert_false(scoring_case_matters(&manifest, results, count, 2)); /* same pass/fail group */
    assert_false(scoring_case_matters(&manifest, results, count, 3)); /* needs group 0 */
    assert_true(scoring_case_matters(&manifest, results, count, 5));  /* sum, independent */
    assert_false(scoring_decided(&manifest, results, count));

    count = make_scored(results, &manifest, (int[]){AC, AC, AC, PC, 0}, 11);
    assert_true(scoring_case_matters(&manifest, results, count, 4)); /* may become lower still */
    count = make_scored(results, &manifest, (int[]){AC, AC, AC, WA, 0}, 0);
    assert_false(scoring_case_matters(&manifest, results, count, 4));
}

static void a_group_that_breaks_on_reject_stops(void **state) {
    (void)state;
    static const struct manifest_group groups[1] = {
        {.parent = -1, .aggregation = AGGREGATE_SUM, .score_micro = 9, .stop_on_reject = true}};
    static const struct manifest_case cases[3] = {{.group = 0, .score_micro = 3},
                                                  {.group = 0, .score_micro = 3},
                                                  {.group = 0, .score_micro = 3}};
    struct manifest manifest = {.kinds = PROBLEM_SCORING,
                                .aggregation = AGGREGATE_SUM,
                                .score_micro = 9,
                                .groups = groups,
                                .group_count = 1,
                                .cases = cases,
                                .case_count = 3};
    struct case_result results[3] = {{0}};
    struct judgement judgement = {.cases = results};
    judgement.case_count = make_scored(results, &manifest, (int[]){AC, WA, 0}, 0);

    assert_true(scoring_decided(&manifest, results, judgement.case_count));
    scoring_finish(&manifest, &judgement);
    assert_int_equal(judgement.score_micro, 3);
    assert_int_equal(judgement.verdict, VERDICT_PARTIAL);

    judgement.case_count = make_scored(results, &manifest, (int[]){AC, WA, AC, 0}, 0);
    scoring_finish(&manifest, &judgement);
    assert_int_equal(judgement.score_micro, 3); /* run all the same, without effect */
}

static void points_are_no_rejection(void **state) {
    (void)state;
    struct case_result results[3] = {{0}};
    struct judgement judgement = {.cases = results};
    static const struct manifest_group groups[1] = {
        {.parent = -1, .aggregation = AGGREGATE_SUM, .score_micro = 9, .stop_on_reject = true}};
    static const struct manifest_case cases[2] = {{.group = 0, .score_micro = 3},
                                                  {.group = 0, .score_micro = 6}};
    struct manifest manifest = {.kinds = PROBLEM_SCORING,
                                .aggregation = AGGREGATE_SUM,
                                .score_micro = 9,
                                .groups = groups,
                                .group_count = 1,
                                .cases = cases,
                                .case_count = 2};

    judgement.case_count = make_scored(results, &manifest, (int[]){PC, 0}, 2);
    assert_false(scoring_decided(&manifest, results, judgement.case_count));
    judgement.case_count = make_scored(results, &manifest, (int[]){PC, AC, 0}, 2);
    scoring_finish(&manifest, &judgement);

    assert_int_equal(judgement.score_micro, 8);
}

/* The outer group stops at the next of its parts; the inner one does as it says itself. */
static void a_group_that_goes_on_is_not_stopped_by_the_group_around_it(void **state) {
    (void)state;
    static const struct manifest_group groups[3] = {
        {.parent = -1, .aggregation = AGGREGATE_SUM, .score_micro = 12, .stop_on_reject = true},
        {.parent = 0, .aggregation = AGGREGATE_SUM, .score_micro = 9},
        {.parent = 0, .aggregation = AGGREGATE_SUM, .score_micro = 3}};
    static const struct manifest_case cases[4] = {{.group = 1, .score_micro = 3},
                                                  {.group = 1, .score_micro = 3},
                                                  {.group = 1, .score_micro = 3},
                                                  {.group = 2, .score_micro = 3}};
    struct manifest manifest = {.kinds = PROBLEM_SCORING,
                                .aggregation = AGGREGATE_SUM,
                                .score_micro = 12,
                                .groups = groups,
                                .group_count = 3,
                                .cases = cases,
                                .case_count = 4};
    struct case_result results[4] = {{0}};
    struct judgement judgement = {.cases = results};
    int32_t count = make_scored(results, &manifest, (int[]){WA, 0}, 0);

    assert_true(scoring_case_matters(&manifest, results, count, 1));
    assert_true(scoring_case_matters(&manifest, results, count, 2));
    assert_false(scoring_case_matters(&manifest, results, count, 3));
    judgement.case_count = make_scored(results, &manifest, (int[]){WA, AC, AC, AC, 0}, 0);
    scoring_finish(&manifest, &judgement);

    assert_int_equal(judgement.score_micro, 6);
}

/* Skipping what does not matter must give what running everything gives. */
static void skipping_never_changes_verdict_or_score(void **state) {
    (void)state;
    struct manifest manifest = grouped();
    struct manifest_group groups[MANIFEST_GROUPS_MAX];
    struct random_seeded seeded;
    random_seeded_init(&seeded, 7);
    memcpy(groups, manifest.groups, (size_t)manifest.group_count * sizeof groups[0]);
    manifest.groups = groups;
    for (int round = 0; round < 4000; round++) {
        int verdicts[8] = {0};
        for (int32_t g = 0; g < manifest.group_count; g++) {
            groups[g].stop_on_reject = round >= 2000 && random_below(&seeded.random, 2) == 0;
        }
        for (int i = 0; i < 7; i++) {
            static const int choice[3] = {AC, WA, PC};
            verdicts[i] = choice[random_below(&seeded.random, 3)];
        }
        struct case_result all[7] = {{0}};
        struct case_result some[7] = {{0}};
        struct judgement whole = {.cases = all};
        struct judgement skipped = {.cases = some};
        whole.case_count = make_scored(all, &manifest, verdicts, 3);
        for (int32_t i = 0; i < 7; i++) {
            if (scoring_case_matters(&manifest, some, skipped.case_count, i)) {
                some[skipped.case_count++] = all[i];
            }
        }

        scoring_finish(&manifest, &whole);
        scoring_finish(&manifest, &skipped);

        assert_int_equal(whole.score_micro, skipped.score_micro);
        assert_int_equal(whole.verdict, skipped.verdict);
    }
}

/* ---- shares ---- */

static void a_split_is_exact_and_fair(void **state) {
    (void)state;
    static const struct {
        int64_t total;
        int64_t weights[4];
        int32_t count;
        int64_t parts[4];
    } rows[] = {
        {100, {1, 1, 1}, 3, {34, 33, 33}},
        {100, {1, 2, 4}, 3, {14, 29, 57}},
        {10, {0, 0, 0}, 3, {4, 3, 3}},
        {7, {0, 1}, 2, {0, 7}},
        {1, {0, 1, 1}, 3, {0, 1, 0}},
        {0, {5, 5}, 2, {0, 0}},
        {INT64_C(1) << 60, {INT64_MAX}, 1, {INT64_C(1) << 60}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int64_t parts[4] = {0};

        scoring_split(rows[i].total, rows[i].weights, rows[i].count, parts);

        for (int32_t p = 0; p < rows[i].count; p++) {
            assert_int_equal(parts[p], rows[i].parts[p]);
        }
    }
}

static void no_split_loses_a_point_or_is_off_by_one(void **state) {
    (void)state;
    struct random_seeded seeded;
    random_seeded_init(&seeded, 11);
    for (int round = 0; round < 2000; round++) {
        int64_t weights[9];
        int64_t parts[9];
        int64_t weight_sum = 0;
        int32_t count = (int32_t)random_below(&seeded.random, 9) + 1;
        int64_t total = random_below(&seeded.random, SCORE_FULL_MICRO);
        for (int32_t i = 0; i < count; i++) {
            weights[i] = random_below(&seeded.random, 50);
            weight_sum += weights[i];
        }

        scoring_split(total, weights, count, parts);

        int64_t sum = 0;
        for (int32_t i = 0; i < count; i++) {
            sum += parts[i];
            if (weight_sum > 0) {
                int64_t floor = total * weights[i] / weight_sum;
                assert_true(parts[i] == floor || parts[i] == floor + 1);
            }
        }
        assert_int_equal(sum, total);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_rejected_case_decides),
        cmocka_unit_test(a_compile_error_scores_nothing),
        cmocka_unit_test(pass_fail_is_decided_by_a_rejection_or_the_last_case),
        cmocka_unit_test(groups_add_up_by_their_own_rule),
        cmocka_unit_test(a_nested_group_counts_in_its_parent),
        cmocka_unit_test(a_case_of_a_lost_group_does_not_matter),
        cmocka_unit_test(a_group_that_breaks_on_reject_stops),
        cmocka_unit_test(points_are_no_rejection),
        cmocka_unit_test(a_group_that_goes_on_is_not_stopped_by_the_group_around_it),
        cmocka_unit_test(skipping_never_changes_verdict_or_score),
        cmocka_unit_test(a_split_is_exact_and_fair),
        cmocka_unit_test(no_split_loses_a_point_or_is_off_by_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
