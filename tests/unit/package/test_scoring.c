/* Scoring problems: groups, what they are worth, what is refused. */
#include "fixture.h"

#define POINT INT64_C(1000000)

static void put_case(struct fixture *f, const char *stem) {
    fixture_put(f, arena_printf(f->arena, "data/%s.in", stem), stem);
    fixture_put(f, arena_printf(f->arena, "data/%s.ans", stem), "answer");
}

static void begin(struct fixture *f, const char *yaml) {
    fixture_init(f);
    fixture_minimal(f);
    fixture_remove(f, "data/secret");
    fixture_put(
        f, "problem.yaml",
        arena_printf(f->arena, "name: x\ntype: scoring\nlimits: {time_limit: 1}\n%s", yaml));
    put_case(f, "secret/a/1");
    put_case(f, "secret/a/2");
    put_case(f, "secret/b/1");
}

static const struct manifest_group *group(const struct fixture *f, const char *name) {
    for (int32_t i = 0; i < f->problem.manifest.group_count; i++) {
        if (str_eq_c(f->problem.manifest.groups[i].name, name)) {
            return &f->problem.manifest.groups[i];
        }
    }
    fail_msg("there is no group %s", name);
    return &f->problem.manifest.groups[0];
}

static const struct manifest_case *last_case(const struct fixture *f) {
    return &f->problem.manifest.cases[f->problem.manifest.case_count - 1];
}

static void what_a_folder_says_is_inherited_and_summed_up(void **state) {
    (void)state;
    struct fixture f;
    begin(&f, "");
    fixture_put(&f, "data/testdata.yaml", "on_reject: continue\ngrader_flags: ignore_sample\n");
    fixture_put(&f, "data/secret/testdata.yaml", "accept_score: 12.5\ngrader_flags: sum\n");
    fixture_put(&f, "data/secret/b/testdata.yaml", "on_reject: break\ngrader_flags: min\n");

    fixture_must_read(&f);

    const struct manifest *manifest = &f.problem.manifest;
    assert_int_equal(manifest->kinds, PROBLEM_SCORING);
    assert_int_equal(manifest->score_micro, 37 * POINT + POINT / 2);
    assert_int_equal(manifest->group_count, 2);
    assert_int_equal(group(&f, "secret/a")->score_micro, 25 * POINT);
    assert_false(group(&f, "secret/a")->stop_on_reject);
    assert_int_equal(group(&f, "secret/b")->aggregation, AGGREGATE_MIN);
    assert_int_equal(group(&f, "secret/b")->score_micro, 12 * POINT + POINT / 2);
    assert_true(group(&f, "secret/b")->stop_on_reject);
    assert_int_equal(manifest->cases[0].group, -1); /* the sample */
    assert_int_equal(manifest->cases[0].score_micro, 0);
    fixture_done(&f);
}

/* Only a group can stop at what is rejected, so the whole of the secret data becomes one. */
static void secret_data_that_stop_early_are_a_group(void **state) {
    (void)state;
    struct fixture f;
    begin(&f, "");

    fixture_must_read(&f);

    assert_int_equal(f.problem.manifest.group_count, 3);
    assert_true(group(&f, "secret")->stop_on_reject);
    assert_int_equal(group(&f, "secret/a")->parent, 0);
    assert_int_equal(f.problem.manifest.score_micro, 3 * POINT); /* one for each case */
    assert_true(notes_have(&f.report.guessed, "samples give no points"));
    fixture_done(&f);
}

static void samples_with_points_of_their_own_count(void **state) {
    (void)state;
    struct fixture f;
    begin(&f, "");
    fixture_put(&f, "data/testdata.yaml", "on_reject: continue\n");
    fixture_put(&f, "data/sample/testdata.yaml", "accept_score: 5\n");

    fixture_must_read(&f);

    assert_int_equal(group(&f, "sample")->score_micro, 5 * POINT);
    assert_int_equal(f.problem.manifest.cases[0].group, 0);
    assert_int_equal(f.problem.manifest.score_micro, 8 * POINT);
    fixture_done(&f);
}

/* DOMjudge's packages say it by the mark of DOMjudge. */
static void points_of_a_group_count_once_where_the_package_is_domjudges(void **state) {
    (void)state;
    struct fixture f;
    begin(&f, "");
    fixture_put(&f, "data/secret/testdata.yaml", "on_reject: continue\naccept_score: 10\n");
    fixture_put(&f, "submissions/accepted/sum.py", "# @EXPECTED_SCORE@: 17.5\n");

    fixture_must_read(&f);

    assert_int_equal(group(&f, "secret/a")->aggregation, AGGREGATE_PASS_FAIL);
    assert_int_equal(group(&f, "secret/a")->score_micro, 10 * POINT);
    assert_int_equal(last_case(&f)->score_micro, 0);
    assert_int_equal(f.problem.manifest.score_micro, 20 * POINT);
    assert_true(notes_have(&f.report.guessed, "as in DOMjudge"));
    const struct package_submission *promised = &f.problem.submissions[1];
    assert_true(promised->has_score);
    assert_int_equal(promised->score_min_micro, 17 * POINT + POINT / 2);
    fixture_done(&f);
}

static void a_validators_points_reach_the_range(void **state) {
    (void)state;
    struct fixture f;
    begin(&f, "validation: custom score\n");
    fixture_put(&f, "output_validators/v.py", "pass\n");
    fixture_put(&f, "data/secret/testdata.yaml", "on_reject: continue\nrange: 0 40\n");
    fixture_put(&f, "data/secret/b/testdata.yaml", "range: 0 2.5\n");

    fixture_must_read(&f);

    assert_int_equal(f.problem.manifest.cases[1].score_micro, 40 * POINT);
    assert_int_equal(group(&f, "secret/a")->score_micro, 40 * POINT); /* not 80 */
    assert_int_equal(last_case(&f)->score_micro, 2 * POINT + POINT / 2);
    assert_int_equal(f.problem.manifest.score_micro, 40 * POINT);
    fixture_done(&f);
}

/* Only what stands directly in a folder is worth what the folder says. */
static void a_range_is_asked_for_where_cases_are(void **state) {
    (void)state;
    struct fixture f;
    begin(&f, "validation: custom score\n"); /* breaking, as by default */
    fixture_put(&f, "output_validators/v.py", "pass\n");
    fixture_put(&f, "data/secret/testdata.yaml", "range: 0 40\n");

    fixture_must_read(&f);

    assert_int_equal(f.problem.manifest.score_micro, 40 * POINT);
    assert_true(group(&f, "secret")->stop_on_reject);
    fixture_done(&f);
}

static void without_a_scoring_validator_a_range_is_only_a_bound(void **state) {
    (void)state;
    struct fixture f;
    begin(&f, "validation: custom\n");
    fixture_put(&f, "output_validators/v.py", "pass\n");
    fixture_put(&f, "data/secret/testdata.yaml", "on_reject: continue\nrange: 0 10\n");

    fixture_must_read(&f);

    assert_int_equal(last_case(&f)->score_micro, POINT); /* the default of accept_score */
    assert_int_equal(f.problem.manifest.score_micro, 3 * POINT);
    fixture_done(&f);
}

static void domjudges_points_count_once_without_groups_and_with_a_validator(void **state) {
    (void)state;
    static const char *const yamls[] = {"", "validation: custom\n"};
    for (int i = 0; i < 2; i++) {
        struct fixture f;
        begin(&f, yamls[i]);
        fixture_remove(&f, "data/secret");
        put_case(&f, "secret/1");
        put_case(&f, "secret/2");
        fixture_put(&f, "output_validators/v.py", "pass\n");
        fixture_put(&f, "data/secret/testdata.yaml", "on_reject: continue\naccept_score: 100\n");
        fixture_put(&f, "submissions/accepted/sum.py", "# @EXPECTED_SCORE@: 100\n");

        fixture_must_read(&f);

        assert_int_equal(f.problem.manifest.score_micro, 100 * POINT);
        fixture_done(&f);
    }
}

static void groups_of_2025_say_their_maximum(void **state) {
    (void)state;
    struct fixture f;
    begin(&f, "problem_format_version: 2025-09\n");
    fixture_put(&f, "data/secret/a/test_group.yaml",
                "max_score: 31\nscore_aggregation: sum\nrequire_pass: sample\n");
    fixture_put(&f, "data/secret/b/test_group.yaml", "max_score: 69\nrequire_pass: [a]\n");

    fixture_must_read(&f);

    const struct manifest *manifest = &f.problem.manifest;
    assert_int_equal(manifest->score_micro, 100 * POINT);
    assert_int_equal(group(&f, "sample")->score_micro, 0);
    assert_int_equal(group(&f, "secret/a")->score_micro, 31 * POINT);
    assert_int_equal(group(&f, "secret/a")->depend_count, 1);
    assert_int_equal(manifest->cases[1].score_micro, 15 * POINT + POINT / 2);
    assert_int_equal(group(&f, "secret/b")->aggregation, AGGREGATE_PASS_FAIL);
    assert_int_equal(group(&f, "secret/b")->depends[0], 1);
    assert_int_equal(last_case(&f)->score_micro, 0);
    fixture_done(&f);
}

static void loose_cases_of_2025_share_a_hundred(void **state) {
    (void)state;
    struct fixture f;
    begin(&f, "problem_format_version: 2025-09\n");

    fixture_must_read(&f);

    assert_int_equal(f.problem.manifest.group_count, 0);
    assert_int_equal(f.problem.manifest.score_micro, 100 * POINT);
    assert_int_equal(f.problem.manifest.cases[1].score_micro, 33333334); /* no point is lost */
    assert_int_equal(last_case(&f)->score_micro, 33333333);
    fixture_done(&f);
}

static void drafts_said_it_in_a_map(void **state) {
    (void)state;
    struct fixture f;
    begin(&f, "problem_format_version: 2023-07-draft\n");
    fixture_put(&f, "data/secret/a/testdata.yaml", "scoring: {score: 30, aggregation: min}\n");
    fixture_put(&f, "data/secret/b/testdata.yaml", "scoring: {score: 70, aggregation: min}\n");

    fixture_must_read(&f);

    assert_int_equal(group(&f, "secret/a")->aggregation, AGGREGATE_MIN);
    assert_int_equal(f.problem.manifest.cases[1].score_micro, 30 * POINT);
    assert_int_equal(f.problem.manifest.score_micro, 100 * POINT);
    assert_int_equal(f.report.warnings.count, 0);
    fixture_done(&f);
}

static void what_cannot_be_counted_is_refused(void **state) {
    (void)state;
    static const char two[] = "max_score: 5\n";
    const struct {
        const char *yaml, *file, *content, *code, *text;
    } rows[] = {
        {"", "data/secret/testdata.yaml", "grading: custom\n", "unsupported_package",
         "data/secret/testdata.yaml:1: a grader program of its own is not run here"},
        {"", "data/secret/testdata.yaml", "reject_score: 1\n", "unsupported_package",
         "points for rejected cases"},
        {"", "data/secret/testdata.yaml", "range: -5 5\n", "unsupported_package", "below 0"},
        {"", "data/secret/testdata.yaml", "range: 5\n", "bad_yaml", "two numbers"},
        {"", "data/secret/testdata.yaml", "grader_flags: median\n", "unsupported_package",
         "no flag `median`"},
        {"", "data/secret/testdata.yaml", "accept_score: many\n", "bad_yaml", ":1:"},
        {"", "data/secret/testdata.yaml", "accept_score: 999999999\n", "bad_package",
         "more points than this judge can count"},
        {"", "data/secret/testdata.yaml", "on_reject: maybe\n", "bad_yaml", "break or continue"},
        {"grading: {objective: min}\n", "x", "", "unsupported_package", "less is better"},
        {"validation: custom score\n", "output_validators/v.py", "1\n", "unsupported_package",
         "nothing says how much at most"},
        {"problem_format_version: 2025-09\n", "data/secret/a/test_group.yaml", two, "bad_package",
         "it is all or none"},
        {"problem_format_version: 2025-09\n", "data/secret/test_group.yaml",
         "max_score: unbounded\n", "unsupported_package", "without a maximum"},
        {"problem_format_version: 2025-09\n", "data/secret/a/test_group.yaml",
         "score_aggregation: sum\n", "unsupported_package", "max_score is missing"},
        {"problem_format_version: 2025-09\n", "data/secret/a/test_group.yaml",
         "max_score: 1\nrequire_pass: b\n", "bad_package", "no group before this one"},
        {"problem_format_version: 2025-09\n", "data/secret/a/test_group.yaml",
         "max_score: 1\nscore_aggregation: max\n", "bad_yaml", "pass-fail, sum or min"},
        {"problem_format_version: 2025-09\n", "data/secret/a/test_group.yaml",
         "max_score: 1\nstatic_validation_score: 1\n", "unsupported_package", "static validators"},
        {"problem_format_version: 2025-09\n", "data/secret/test_group.yaml",
         "require_pass: sample\n", "unsupported_package", "put the cases of secret into one"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct fixture f;
        begin(&f, rows[i].yaml);
        fixture_put(&f, rows[i].file, rows[i].content);
        if (strcmp(rows[i].text, "no group before this one") == 0) {
            fixture_put(&f, "data/secret/b/test_group.yaml", two);
        }
        fixture_must_refuse(&f, rows[i].code, rows[i].text);
        fixture_done(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_folder_says_is_inherited_and_summed_up),
        cmocka_unit_test(secret_data_that_stop_early_are_a_group),
        cmocka_unit_test(samples_with_points_of_their_own_count),
        cmocka_unit_test(points_of_a_group_count_once_where_the_package_is_domjudges),
        cmocka_unit_test(a_validators_points_reach_the_range),
        cmocka_unit_test(a_range_is_asked_for_where_cases_are),
        cmocka_unit_test(without_a_scoring_validator_a_range_is_only_a_bound),
        cmocka_unit_test(domjudges_points_count_once_without_groups_and_with_a_validator),
        cmocka_unit_test(groups_of_2025_say_their_maximum),
        cmocka_unit_test(loose_cases_of_2025_share_a_hundred),
        cmocka_unit_test(drafts_said_it_in_a_map),
        cmocka_unit_test(what_cannot_be_counted_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
