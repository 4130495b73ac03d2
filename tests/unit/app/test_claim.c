/* Ready jobs become leases, never more than there are slots. */
#include "app/app_fixture.h"

static void jobs_are_claimed_in_the_order_of_their_keys(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 8, NULL);
    struct submission_id first = submit(f, 1);
    struct submission_id second = submit(f, 2);

    struct claim_request request = claim(f, &node, 8);

    assert_int_equal(request.job_count, 2);
    assert_int_equal(request.jobs[0].submission.value, first.value);
    assert_int_equal(request.jobs[1].submission.value, second.value);
    assert_int_equal(request.jobs[0].lease_remaining_ms, f->settings.lease_ms);
    assert_int_equal(request.jobs[0].generation, 1);
    assert_int_equal(request.jobs[0].time_limit_ms, 1000);
    assert_true(str_eq_c(request.jobs[0].pool, "cpp"));
    assert_true(str_starts(request.jobs[0].trace_id, STR("trace_1_")));
}

static void a_node_never_holds_more_than_its_slots(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 3, NULL);
    for (int i = 0; i < 9; i++) {
        (void)submit(f, 1);
    }

    assert_int_equal(claim(f, &node, 2).job_count, 2);
    assert_int_equal(claim(f, &node, 9).job_count, 1);
    assert_int_equal(claim(f, &node, 9).job_count, 0);
    clock_manual_advance(&f->clock, f->settings.lease_ms); /* expired, not reaped: still used */
    assert_int_equal(claim(f, &node, 9).job_count, 0);

    assert_int_equal(query(f, "SELECT count(*) FROM job_lease"), 3);
}

static void claims_of_one_node_in_one_batch_share_its_slots(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 3, NULL);
    struct claim_request requests[4];
    bool done[4] = {false};
    for (int i = 0; i < 9; i++) {
        (void)submit(f, 1);
    }
    for (int i = 0; i < 4; i++) {
        requests[i] = (struct claim_request){.item = {.done = note_done, .context = &done[i]},
                                             .actor = node.actor,
                                             .session_epoch = node.epoch,
                                             .claim_id = (uint64_t)(50 + i),
                                             .free_slots = 2,
                                             .arena = f->arena};
        dispatch_claim(f->app, &requests[i]);
    }

    drain(f);

    int total = 0;
    for (int i = 0; i < 4; i++) {
        assert_true(done[i]);
        total += requests[i].job_count;
    }
    assert_int_equal(total, 3);
}

static void nodes_of_a_host_group_share_its_slots(void **state) {
    struct fixture *f = *state;
    make_group(f, 1, 3);
    struct test_node a = make_node(f, "a", 2, "g1");
    struct test_node b = make_node(f, "b", 2, "g1");
    struct test_node alone = make_node(f, "alone", 2, NULL);
    for (int i = 0; i < 9; i++) {
        (void)submit(f, 1);
    }

    assert_int_equal(claim(f, &a, 2).job_count, 2);
    assert_int_equal(claim(f, &b, 2).job_count, 1);
    assert_int_equal(claim(f, &a, 2).job_count, 0);
    assert_int_equal(claim(f, &alone, 2).job_count, 2);
}

static void nodes_that_claim_together_take_turns(void **state) {
    struct fixture *f = *state;
    struct test_node nodes[3] = {make_node(f, "a", 4, NULL), make_node(f, "b", 4, NULL),
                                 make_node(f, "c", 4, NULL)};
    struct claim_request requests[3];
    bool done[3] = {false};
    for (int i = 0; i < 3; i++) {
        (void)submit(f, 1);
    }
    for (int i = 0; i < 3; i++) {
        requests[i] = (struct claim_request){.item = {.done = note_done, .context = &done[i]},
                                             .actor = nodes[i].actor,
                                             .session_epoch = nodes[i].epoch,
                                             .claim_id = 9,
                                             .free_slots = 4,
                                             .arena = f->arena};
        dispatch_claim(f->app, &requests[i]);
    }

    drain(f);

    for (int i = 0; i < 3; i++) {
        assert_int_equal(requests[i].job_count, 1);
    }
}

static void a_node_that_may_not_work_gets_nothing(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 4, NULL);
    (void)submit(f, 1);

    exec(f, "UPDATE node SET config = 3"); /* draining */
    assert_int_equal(claim(f, &node, 1).job_count, 0);
    exec(f, "UPDATE node SET config = 1"); /* pending */
    assert_int_equal(claim(f, &node, 1).job_count, 0);
    exec(f, "UPDATE node SET config = 2, self_test_passed = 0");
    assert_int_equal(claim(f, &node, 1).job_count, 0);
    exec(f, "UPDATE node SET self_test_passed = 1");
    clock_manual_advance(&f->clock, f->settings.offline_ms + 1); /* no heartbeat */
    assert_int_equal(claim(f, &node, 1).job_count, 0);
    exec(f, "UPDATE node SET config = 4"); /* disabled */
    assert_string_equal(claim(f, &node, 1).item.err.code, "not_allowed");
    exec(f, "UPDATE node SET config = 2");
    assert_true(beat(f, &node).item.ok);

    assert_int_equal(claim(f, &node, 1).job_count, 1);
}

static void only_the_newest_session_claims(void **state) {
    struct fixture *f = *state;
    struct test_node old = make_node(f, "n1", 4, NULL);
    struct test_node fresh = old;
    fresh.epoch = open_session(f, &old.actor, true).session_epoch;
    (void)submit(f, 1);

    struct claim_request refused = claim(f, &old, 1);

    assert_false(refused.item.ok);
    assert_string_equal(refused.item.err.code, "session_superseded");
    assert_int_equal(claim(f, &fresh, 1).job_count, 1);
}

static void a_node_serves_its_own_queue_alone(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 4, NULL);
    struct submit_request request = {.actor = user_actor(1),
                                     .problem = {1},
                                     .language = STR("python3"),
                                     .source = STR("print(1)")};
    AWAIT(f, &request, submission_submit(f->app, &request));
    assert_true(request.item.ok);

    assert_int_equal(claim(f, &node, 1).job_count, 0);
    assert_string_equal(view(f, request.submission).reason.code, "no_node");
}

static void the_place_row_of_a_closed_job_is_dropped(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 4, NULL);
    struct submission_id cancelled = submit(f, 1);
    struct submission_id open = submit(f, 2);
    char sql[300];
    (void)snprintf(sql, sizeof sql,
                   "UPDATE job SET state = 5 WHERE subject_id = %lld; UPDATE submission SET "
                   "verdict = 11, effective_job_id = current_job_id, effective_rev = 1, judged_ms "
                   "= 1 WHERE id = %lld; INSERT INTO user_problem VALUES (1, 1, 11, 0, 1)",
                   (long long)cancelled.value, (long long)cancelled.value);
    exec(f, sql);

    struct claim_request request = claim(f, &node, 2);

    assert_int_equal(request.job_count, 1);
    assert_int_equal(request.jobs[0].submission.value, open.value);
    assert_int_equal(query(f, "SELECT count(*) FROM job_ready"), 0);
}

static void lower_priorities_get_every_eighth_batch(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 64, NULL);
    for (int i = 0; i < 20; i++) {
        (void)submit(f, 1);
    }
    exec(f, "UPDATE job SET priority = 2 WHERE id = 20; UPDATE job_ready SET priority = 2 WHERE "
            "job_id = 20");
    int until_bulk = 0;

    for (int i = 1; i <= 16 && until_bulk == 0; i++) {
        struct claimed_job job = claim_one(f, &node);
        until_bulk = job.job.value == 20 ? i : 0;
    }

    assert_in_range(until_bulk, 1, 8);
}

static void bad_requests_are_refused(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 4, NULL);
    struct test_node unknown = node;
    unknown.actor.node.value = 4711;

    assert_string_equal(claim_with(f, &node, 1, 0).item.err.code, "bad_field");
    assert_string_equal(claim(f, &node, 0).item.err.code, "bad_field");
    assert_string_equal(claim(f, &node, CLAIM_JOBS_MAX + 1).item.err.code, "bad_field");
    assert_string_equal(claim(f, &unknown, 1).item.err.code, "bad_credential");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        APP_TEST(jobs_are_claimed_in_the_order_of_their_keys),
        APP_TEST(a_node_never_holds_more_than_its_slots),
        APP_TEST(claims_of_one_node_in_one_batch_share_its_slots),
        APP_TEST(nodes_of_a_host_group_share_its_slots),
        APP_TEST(nodes_that_claim_together_take_turns),
        APP_TEST(a_node_that_may_not_work_gets_nothing),
        APP_TEST(only_the_newest_session_claims),
        APP_TEST(a_node_serves_its_own_queue_alone),
        APP_TEST(the_place_row_of_a_closed_job_is_dropped),
        APP_TEST(lower_priorities_get_every_eighth_batch),
        APP_TEST(bad_requests_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
