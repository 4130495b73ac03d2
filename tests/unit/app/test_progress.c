/* What nodes say about running jobs: in memory, in order, only from the lease's holder. */
#include "app/app_fixture.h"
#include "app/progress_internal.h"

static struct progress_item item_of(const struct lease_ref *lease, int64_t sequence,
                                    int32_t case_index) {
    return (struct progress_item){.lease = *lease,
                                  .sequence = sequence,
                                  .stage = JUDGE_STAGE_JUDGING,
                                  .case_index = case_index,
                                  .cases_total = CASES};
}

static bool report(struct fixture *f, const struct test_node *node, struct progress_item item) {
    return dispatch_progress(f->app, &node->actor, node->epoch, &item, 1, &f->err);
}

static int32_t known_case(struct fixture *f, const struct lease_ref *lease) {
    struct progress_view view = {.case_index = -2};
    (void)progress_get(f->app, lease->job, lease->epoch, f->arena, &view);
    return view.case_index;
}

static void an_older_report_changes_nothing(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    (void)submit(f, 1);
    struct claimed_job job = claim_one(f, &node);

    assert_true(report(f, &node, item_of(&job.lease, 5, 1)));
    assert_true(report(f, &node, item_of(&job.lease, 4, 0)));
    assert_true(report(f, &node, item_of(&job.lease, 5, 2)));
    assert_int_equal(known_case(f, &job.lease), 1);
    assert_true(report(f, &node, item_of(&job.lease, 6, 2)));

    assert_int_equal(known_case(f, &job.lease), 2);
}

static void only_the_holder_of_the_lease_reports(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    struct test_node other = make_node(f, "n2", 1, NULL);
    (void)submit(f, 1);
    struct claimed_job job = claim_one(f, &node);
    struct lease_ref wrong = job.lease;
    wrong.token++;

    assert_false(report(f, &other, item_of(&job.lease, 1, 0)));
    assert_string_equal(f->err.code, "lease_superseded");
    assert_false(report(f, &node, item_of(&wrong, 1, 0)));
    other.epoch--;
    assert_false(report(f, &other, item_of(&job.lease, 1, 0)));
    assert_string_equal(f->err.code, "session_superseded");
    clock_manual_advance(&f->clock, f->settings.lease_ms);
    assert_false(report(f, &node, item_of(&job.lease, 1, 0)));
    assert_string_equal(f->err.code, "lease_expired");

    assert_int_equal(known_case(f, &job.lease), -2);
}

static void one_bad_lease_does_not_stop_the_others(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    (void)submit(f, 1);
    struct claimed_job job = claim_one(f, &node);
    struct lease_ref gone = {.job = {77}, .epoch = 1};
    struct progress_item items[2] = {item_of(&gone, 1, 0), item_of(&job.lease, 1, 2)};

    assert_false(dispatch_progress(f->app, &node.actor, node.epoch, items, 2, &f->err));

    assert_int_equal(known_case(f, &job.lease), 2);
}

static void numbers_out_of_range_are_refused(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    (void)submit(f, 1);
    struct claimed_job job = claim_one(f, &node);
    struct progress_item item = item_of(&job.lease, 1, 0);
    item.cases_total = MANIFEST_CASES_MAX + 1;

    assert_false(report(f, &node, item));
    assert_string_equal(f->err.code, "bad_field");
    item.cases_total = CASES;
    item.case_index = -2;
    assert_false(report(f, &node, item));
}

static void more_cases_than_there_are_are_not_kept(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    (void)submit(f, 1);
    struct claimed_job job = claim_one(f, &node);
    struct case_result many[CASES + 2] = {{0}};
    struct progress_item item = item_of(&job.lease, 1, 0);
    struct progress_view view = {0};
    item.finished = many;
    item.finished_count = CASES + 2;

    assert_true(report(f, &node, item));

    assert_true(progress_get(f->app, job.job, job.lease.epoch, f->arena, &view));
    assert_int_equal(view.case_count, CASES);
}

static void it_is_forgotten_with_the_lease(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    (void)submit(f, 1);
    struct claimed_job job = claim_one(f, &node);
    assert_true(report(f, &node, item_of(&job.lease, 9, 1)));
    assert_int_equal(release(f, &node, &job.lease), 1);
    assert_int_equal(known_case(f, &job.lease), -2);

    job = claim_one(f, &node);
    assert_int_equal(known_case(f, &job.lease), -2);
    assert_true(report(f, &node, item_of(&job.lease, 1, 0)));
    assert_int_equal(known_case(f, &job.lease), 0);
}

static void a_new_lease_starts_a_new_count(void **state) {
    struct fixture *f = *state;
    struct test_node a = make_node(f, "a", 1, NULL);
    struct test_node b = make_node(f, "b", 1, NULL);
    (void)submit(f, 1);
    struct claimed_job old = claim_one(f, &a);
    assert_true(report(f, &a, item_of(&old.lease, 100, 2)));
    advance(f, f->settings.lease_ms + f->settings.reap_ms);
    assert_true(beat(f, &b).item.ok);
    struct claimed_job fresh = claim_one(f, &b);

    assert_true(report(f, &b, item_of(&fresh.lease, 1, 0)));

    assert_int_equal(known_case(f, &fresh.lease), 0);
    assert_int_equal(known_case(f, &old.lease), -2);
}

static void what_nobody_talks_about_is_swept(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    (void)submit(f, 1);
    struct claimed_job job = claim_one(f, &node);
    assert_true(report(f, &node, item_of(&job.lease, 1, 1)));

    progress_sweep(f->app);
    assert_int_equal(known_case(f, &job.lease), 1);
    clock_manual_advance(&f->clock, 16 * 60000);
    progress_sweep(f->app);

    assert_int_equal(known_case(f, &job.lease), -2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        APP_TEST(an_older_report_changes_nothing),
        APP_TEST(only_the_holder_of_the_lease_reports),
        APP_TEST(one_bad_lease_does_not_stop_the_others),
        APP_TEST(numbers_out_of_range_are_refused),
        APP_TEST(more_cases_than_there_are_are_not_kept),
        APP_TEST(it_is_forgotten_with_the_lease),
        APP_TEST(a_new_lease_starts_a_new_count),
        APP_TEST(what_nobody_talks_about_is_swept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
