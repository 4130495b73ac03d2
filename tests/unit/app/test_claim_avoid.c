/* A job keeps away from a node that failed it while another could take it. */
#include "app/app_fixture.h"

static void fail_once(struct fixture *f, struct test_node *node) {
    struct claimed_job job = claim_one(f, node);
    assert_false(report_failure(f, node, &job.lease, FAULT_NODE).failed);
}

static void a_node_that_failed_it_leaves_it_to_another(void **state) {
    struct fixture *f = *state;
    struct test_node broken = make_node(f, "broken", 1, NULL);
    struct test_node good = make_node(f, "good", 1, NULL);
    struct submission_id id = submit(f, 1);
    fail_once(f, &broken);

    assert_int_equal(claim(f, &broken, 1).job_count, 0);
    struct claimed_job job = claim_one(f, &good);

    assert_true(settle(f, &good, &job.lease, VERDICT_ACCEPTED).item.ok);
    assert_int_equal(view(f, id).verdict, VERDICT_ACCEPTED);
    assert_int_equal(query(f, "SELECT attempts FROM job"), 1);
    assert_int_equal(query(f, "SELECT count(*) FROM job_avoid"), 0);
}

static void other_jobs_still_come_to_it(void **state) {
    struct fixture *f = *state;
    struct test_node broken = make_node(f, "broken", 2, NULL);
    (void)make_node(f, "good", 1, NULL);
    (void)submit(f, 1);
    fail_once(f, &broken);
    struct submission_id other = submit(f, 2);

    struct claim_request request = claim(f, &broken, 2);

    assert_int_equal(request.job_count, 1);
    assert_int_equal(request.jobs[0].submission.value, other.value);
}

static void one_that_every_node_has_failed_is_given_to_any(void **state) {
    struct fixture *f = *state;
    struct test_node a = make_node(f, "a", 1, NULL);
    struct test_node b = make_node(f, "b", 1, NULL);
    (void)submit(f, 1);
    fail_once(f, &a);
    fail_once(f, &b);
    advance(f, 5000);
    assert_true(beat(f, &a).item.ok);
    assert_true(beat(f, &b).item.ok);

    assert_int_equal(claim(f, &a, 1).job_count, 1);
}

static void one_whose_other_nodes_are_out_of_service_is_given_to_it_again(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    (void)make_node(f, "n2", 1, NULL);
    (void)submit(f, 1);
    fail_once(f, &node);

    exec(f, "UPDATE node SET config = 3 WHERE name = 'n2'"); /* draining */

    assert_int_equal(claim(f, &node, 1).job_count, 1);
}

static void it_is_not_kept_away_for_ever(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    struct test_node idle = make_node(f, "n2", 1, NULL); /* answers, but never claims */
    (void)submit(f, 1);
    fail_once(f, &node);

    advance(f, JOB_AVOID_MS - 1);
    assert_true(beat(f, &node).item.ok);
    assert_true(beat(f, &idle).item.ok);
    assert_int_equal(claim(f, &node, 1).job_count, 0);
    advance(f, 1);

    assert_int_equal(claim(f, &node, 1).job_count, 1);
}

static void a_node_that_lost_its_lease_leaves_the_job_to_another(void **state) {
    struct fixture *f = *state;
    struct test_node silent = make_node(f, "silent", 1, NULL);
    struct test_node good = make_node(f, "good", 1, NULL);
    (void)submit(f, 1);
    (void)claim_one(f, &silent);
    advance(f, f->settings.lease_ms + f->settings.reap_ms);
    assert_true(beat(f, &silent).item.ok);
    assert_true(beat(f, &good).item.ok);

    assert_int_equal(claim(f, &silent, 1).job_count, 0);
    assert_int_equal(claim(f, &good, 1).job_count, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        APP_TEST(a_node_that_failed_it_leaves_it_to_another),
        APP_TEST(other_jobs_still_come_to_it),
        APP_TEST(one_that_every_node_has_failed_is_given_to_any),
        APP_TEST(one_whose_other_nodes_are_out_of_service_is_given_to_it_again),
        APP_TEST(it_is_not_kept_away_for_ever),
        APP_TEST(a_node_that_lost_its_lease_leaves_the_job_to_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
