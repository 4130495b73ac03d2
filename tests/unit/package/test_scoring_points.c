/* What groups are worth: sums, minima, maxima, averages without a lost micro-point. */
#include "fixture.h"

#define POINT INT64_C(1000000)

static void begin(struct fixture *f, const char *flags) {
    static const char *const names[] = {"a/1", "a/2", "a/3", "b/1"};
    fixture_init(f);
    fixture_minimal(f);
    fixture_remove(f, "data/secret");
    fixture_put(f, "problem.yaml", "name: x\ntype: scoring\nlimits: {time_limit: 1}\n");
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        fixture_put(f, arena_printf(f->arena, "data/secret/%s.in", names[i]), "1");
        fixture_put(f, arena_printf(f->arena, "data/secret/%s.ans", names[i]), "1");
    }
    fixture_put(f, "data/testdata.yaml", "on_reject: continue\ngrader_flags: ignore_sample\n");
    fixture_put(f, "data/secret/testdata.yaml",
                arena_printf(f->arena, "accept_score: 10\ngrader_flags: %s\n", flags));
    fixture_put(f, "data/secret/a/testdata.yaml", "grader_flags: sum\n");
}

static void each_way_of_summing_up_has_its_maximum(void **state) {
    (void)state;
    const struct {
        const char *flags;
        int64_t whole, a, b;
    } rows[] = {
        {"sum", 40 * POINT, 30 * POINT, 10 * POINT},
        {"min", 10 * POINT, 30 * POINT, 10 * POINT},
        {"max", 30 * POINT, 30 * POINT, 10 * POINT},
        {"avg", 20 * POINT, 15 * POINT, 5 * POINT},
        {"avg sum", 40 * POINT, 30 * POINT, 10 * POINT}, /* the last one counts */
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct fixture f;
        begin(&f, rows[i].flags);
        fixture_must_read(&f);
        const struct manifest *manifest = &f.problem.manifest;
        assert_int_equal(manifest->score_micro, rows[i].whole);
        assert_int_equal(manifest->groups[0].score_micro, rows[i].a);
        assert_int_equal(manifest->groups[1].score_micro, rows[i].b);
        fixture_done(&f);
    }
}

static void an_average_without_an_end_loses_nothing(void **state) {
    (void)state;
    struct fixture f;
    begin(&f, "sum");
    fixture_put(&f, "data/secret/a/testdata.yaml", "grader_flags: avg\n");

    fixture_must_read(&f);

    int64_t sum = 0;
    for (int32_t i = 1; i < 4; i++) {
        sum += f.problem.manifest.cases[i].score_micro;
    }
    assert_int_equal(f.problem.manifest.groups[0].score_micro, 10 * POINT);
    assert_int_equal(sum, 10 * POINT);
    assert_int_equal(f.problem.manifest.score_micro, 20 * POINT);
    fixture_done(&f);
}

static void a_range_caps_a_group_and_leaves_its_cases(void **state) {
    (void)state;
    struct fixture f;
    begin(&f, "sum");
    fixture_put(&f, "data/secret/a/testdata.yaml", "range: 0 12\n");

    fixture_must_read(&f);

    assert_int_equal(f.problem.manifest.groups[0].score_micro, 12 * POINT);
    assert_int_equal(f.problem.manifest.cases[1].score_micro, 10 * POINT);
    assert_int_equal(f.problem.manifest.score_micro, 22 * POINT);
    fixture_done(&f);
}

/* Many cases with much each do not overflow behind a cap. */
static void more_than_can_be_counted_is_refused(void **state) {
    (void)state;
    struct fixture f;
    begin(&f, "sum");
    fixture_put(&f, "data/secret/a/testdata.yaml", "range: 0 12\naccept_score: 600000000\n");

    fixture_must_refuse(&f, "bad_package", "more points than this judge can count");

    fixture_done(&f);
}

static void nothing_to_win_is_told(void **state) {
    (void)state;
    struct fixture f;
    begin(&f, "sum");
    fixture_put(&f, "data/secret/testdata.yaml", "accept_score: 0\n");

    fixture_must_read(&f);

    assert_true(notes_have(&f.report.warnings, "nothing in it gives a point"));
    fixture_done(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_way_of_summing_up_has_its_maximum),
        cmocka_unit_test(an_average_without_an_end_loses_nothing),
        cmocka_unit_test(a_range_caps_a_group_and_leaves_its_cases),
        cmocka_unit_test(more_than_can_be_counted_is_refused),
        cmocka_unit_test(nothing_to_win_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
