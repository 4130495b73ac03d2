/* Leases that their node gives up. */
#include "app/app_fixture.h"

static void a_node_that_cannot_judge_hands_the_job_to_another_try(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    struct submission_id id = submit(f, 1);
    struct claimed_job job = claim_one(f, &node);

    struct failure_request failure = report_failure(f, &node, &job.lease, FAULT_NODE);

    assert_true(failure.item.ok);
    assert_false(failure.failed);
    assert_int_equal(query(f, "SELECT count(*) FROM job_ready"), 1); /* another may be free */
    job = claim_one(f, &node);
    assert_false(report_failure(f, &node, &job.lease, FAULT_NODE).failed);
    assert_int_equal(query(f, "SELECT due_ms FROM job_delayed"), START_MS + 5000);
    assert_string_equal(view(f, id).reason.code, "backoff");
    advance(f, 5000);
    assert_true(beat(f, &node).item.ok);
    job = claim_one(f, &node);
    assert_true(settle(f, &node, &job.lease, VERDICT_ACCEPTED).item.ok);
}

static void attempts_that_fail_run_out(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    struct submission_id id = submit(f, 1);
    bool failed = false;

    for (int i = 0; i < 3; i++) {
        assert_false(failed);
        struct claimed_job job = claim_one(f, &node);
        failed = report_failure(f, &node, &job.lease, FAULT_JOB).failed;
        advance(f, 20000);
        assert_true(beat(f, &node).item.ok);
    }

    assert_true(failed);
    assert_int_equal(view(f, id).verdict, VERDICT_SYSTEM_ERROR);
    assert_int_equal(query(f, "SELECT count(*) FROM job WHERE fault_code = 'sandbox_failed' AND "
                              "fault_detail = 'no cgroup'"),
                     1);
}

/* A full disk: the job waits for the node to be mended, however long. */
static void a_node_that_fails_again_and_again_uses_up_no_attempt(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    struct submission_id id = submit(f, 1);

    for (int i = 0; i < JOB_FREE_LEASES_MAX; i++) {
        struct claimed_job job = claim_one(f, &node);
        assert_false(report_failure(f, &node, &job.lease, FAULT_NODE).failed);
        assert_int_equal(query(f, "SELECT attempts FROM job"), 0);
        advance(f, 300000);
        assert_true(beat(f, &node).item.ok);
    }
    struct claimed_job job = claim_one(f, &node);

    assert_true(settle(f, &node, &job.lease, VERDICT_ACCEPTED).item.ok);
    assert_int_equal(view(f, id).verdict, VERDICT_ACCEPTED);
}

static void a_job_that_breaks_every_node_ends_at_last(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    (void)submit(f, 1);
    int tries = 0;

    for (bool failed = false; !failed; tries++) {
        struct claimed_job job = claim_one(f, &node);
        failed = report_failure(f, &node, &job.lease, FAULT_NODE).failed;
        advance(f, 300000);
        assert_true(beat(f, &node).item.ok);
    }

    assert_int_equal(tries, JOB_FREE_LEASES_MAX + f->settings.attempts_max);
}

static void a_broken_problem_is_tried_once_more(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    struct submission_id id = submit(f, 1);
    struct claimed_job job = claim_one(f, &node);
    assert_false(report_failure(f, &node, &job.lease, FAULT_PROBLEM).failed);
    advance(f, 5000);
    job = claim_one(f, &node);

    assert_true(report_failure(f, &node, &job.lease, FAULT_PROBLEM).failed);

    assert_non_null(strstr(view(f, id).judgement.message.ptr, "checker or data"));
}

static void a_job_that_broke_two_nodes_stops(void **state) {
    struct fixture *f = *state;
    struct test_node a = make_node(f, "a", 1, NULL);
    struct test_node b = make_node(f, "b", 1, NULL);
    (void)submit(f, 1);
    struct claimed_job job = claim_one(f, &a);
    assert_false(report_failure(f, &a, &job.lease, FAULT_JOB).failed);
    advance(f, 5000);
    job = claim_one(f, &b);

    assert_true(report_failure(f, &b, &job.lease, FAULT_JOB).failed);
}

static void only_the_lease_holder_reports_a_failure(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    struct test_node other = make_node(f, "n2", 1, NULL);
    (void)submit(f, 1);
    struct claimed_job job = claim_one(f, &node);
    struct lease_ref unknown = {.job = {99}, .epoch = 1};

    assert_string_equal(report_failure(f, &other, &job.lease, FAULT_NODE).item.err.code,
                        "lease_superseded");
    assert_string_equal(report_failure(f, &node, &unknown, FAULT_NODE).item.err.code, "no_job");
    assert_string_equal(report_failure(f, &node, &job.lease, FAULT_NONE).item.err.code,
                        "bad_field");
    clock_manual_advance(&f->clock, f->settings.lease_ms);
    assert_string_equal(report_failure(f, &node, &job.lease, FAULT_NODE).item.err.code,
                        "lease_expired");

    assert_int_equal(query(f, "SELECT count(*) FROM node_event WHERE event = 'failure.refused'"),
                     2);
    assert_int_equal(query(f, "SELECT count(*) FROM job_lease"), 1);
}

static void a_release_counts_no_attempt(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    (void)submit(f, 1);

    for (int i = 0; i < 5; i++) {
        struct claimed_job job = claim_one(f, &node);
        assert_int_equal(release(f, &node, &job.lease), 1);
        assert_int_equal(query(f, "SELECT attempts FROM job"), 0);
    }

    assert_int_equal(query(f, "SELECT count(*) FROM job_ready"), 1);
    assert_int_equal(query(f, "SELECT lease_epoch FROM job"), 5);
}

static void a_lease_that_is_not_the_nodes_is_not_released(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    struct test_node other = make_node(f, "n2", 1, NULL);
    (void)submit(f, 1);
    struct claimed_job job = claim_one(f, &node);
    struct lease_ref unknown = {.job = {99}, .epoch = 1};

    assert_int_equal(release(f, &other, &job.lease), 0);
    assert_int_equal(release(f, &node, &unknown), 0);

    assert_int_equal(query(f, "SELECT count(*) FROM job_lease"), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        APP_TEST(a_node_that_cannot_judge_hands_the_job_to_another_try),
        APP_TEST(attempts_that_fail_run_out),
        APP_TEST(a_node_that_fails_again_and_again_uses_up_no_attempt),
        APP_TEST(a_job_that_breaks_every_node_ends_at_last),
        APP_TEST(a_broken_problem_is_tried_once_more),
        APP_TEST(a_job_that_broke_two_nodes_stops),
        APP_TEST(only_the_lease_holder_reports_a_failure),
        APP_TEST(a_release_counts_no_attempt),
        APP_TEST(a_lease_that_is_not_the_nodes_is_not_released),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
