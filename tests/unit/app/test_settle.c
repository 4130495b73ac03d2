/* A result becomes final, once. */
#include "app/app_fixture.h"

static void a_submission_goes_the_whole_way(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 2, NULL);
    struct submission_id id = submit(f, 1);
    assert_int_equal(view(f, id).state, SUBMISSION_PENDING);

    struct claimed_job job = claim_one(f, &node);
    assert_int_equal(job.submission.value, id.value);
    struct settle_request settled = settle(f, &node, &job.lease, VERDICT_ACCEPTED);

    assert_true(settled.item.ok);
    assert_false(settled.already);
    struct submission_view shown = view(f, id);
    assert_int_equal(shown.state, SUBMISSION_DONE);
    assert_int_equal(shown.verdict, VERDICT_ACCEPTED);
    assert_int_equal(shown.score_micro, SCORE_FULL_MICRO);
    assert_int_equal(shown.cpu_ms, 30);
    assert_int_equal(shown.judgement.case_count, CASES);
    assert_true(str_eq_c(shown.judgement.cases[1].message, "said so"));
    assert_int_equal(query(f, "SELECT count(*) FROM job_lease"), 0);
}

static void the_same_result_again_is_already_settled(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    (void)submit(f, 1);
    struct claimed_job job = claim_one(f, &node);
    assert_true(settle(f, &node, &job.lease, VERDICT_ACCEPTED).item.ok);

    struct settle_request again = settle(f, &node, &job.lease, VERDICT_ACCEPTED);

    assert_true(again.item.ok);
    assert_true(again.already);
    assert_int_equal(query(f, "SELECT effective_rev FROM submission"), 1);
}

static void another_result_of_the_same_lease_is_a_conflict(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    struct submission_id id = submit(f, 1);
    struct claimed_job job = claim_one(f, &node);
    assert_true(settle(f, &node, &job.lease, VERDICT_ACCEPTED).item.ok);

    struct settle_request other = settle(f, &node, &job.lease, VERDICT_WRONG_ANSWER);

    assert_false(other.item.ok);
    assert_string_equal(other.item.err.code, "digest_conflict");
    assert_int_equal(view(f, id).verdict, VERDICT_ACCEPTED);
    assert_int_equal(query(f, "SELECT count(*) FROM node_event WHERE event = 'result.refused'"), 1);
}

static void an_expired_lease_cannot_settle_before_or_after_the_reaper(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    struct submission_id id = submit(f, 1);
    struct claimed_job job = claim_one(f, &node);
    clock_manual_advance(&f->clock, f->settings.lease_ms); /* not yet reaped */

    struct settle_request late = settle(f, &node, &job.lease, VERDICT_ACCEPTED);
    assert_false(late.item.ok);
    assert_string_equal(late.item.err.code, "lease_expired");

    drain(f);
    assert_int_equal(query(f, "SELECT count(*) FROM job_ready"), 1);
    late = settle(f, &node, &job.lease, VERDICT_ACCEPTED);
    assert_false(late.item.ok);
    assert_string_equal(late.item.err.code, "lease_expired");
    assert_int_equal(view(f, id).verdict, VERDICT_NONE);
}

static void a_late_result_of_an_old_lease_is_refused(void **state) {
    struct fixture *f = *state;
    struct test_node slow = make_node(f, "slow", 1, NULL);
    struct test_node quick = make_node(f, "quick", 1, NULL);
    struct submission_id id = submit(f, 1);
    struct claimed_job old = claim_one(f, &slow);
    advance(f, f->settings.lease_ms);
    assert_true(beat(f, &quick).item.ok);
    struct claimed_job fresh = claim_one(f, &quick);
    assert_int_equal(fresh.job.value, old.job.value);

    struct settle_request late = settle(f, &slow, &old.lease, VERDICT_WRONG_ANSWER);
    assert_false(late.item.ok);
    assert_string_equal(late.item.err.code, "lease_superseded");
    assert_true(settle(f, &quick, &fresh.lease, VERDICT_ACCEPTED).item.ok);
    late = settle(f, &slow, &old.lease, VERDICT_WRONG_ANSWER);
    assert_string_equal(late.item.err.code, "lease_superseded");

    assert_int_equal(view(f, id).verdict, VERDICT_ACCEPTED);
}

static void nobody_settles_with_what_is_not_his(void **state) {
    struct fixture *f = *state;
    struct test_node owner = make_node(f, "owner", 1, NULL);
    struct test_node other = make_node(f, "other", 1, NULL);
    (void)submit(f, 1);
    struct claimed_job job = claim_one(f, &owner);
    struct lease_ref wrong_token = job.lease;
    struct lease_ref wrong_epoch = job.lease;
    struct lease_ref unknown = job.lease;
    struct test_node old_session = owner;
    wrong_token.token ^= 1;
    wrong_epoch.epoch++;
    unknown.job.value = 12345;
    old_session.epoch--;
    const struct {
        const struct test_node *node;
        const struct lease_ref *lease;
        const char *code;
    } rows[] = {
        {&other, &job.lease, "lease_superseded"},
        {&owner, &wrong_token, "lease_superseded"},
        {&owner, &wrong_epoch, "lease_superseded"},
        {&owner, &unknown, "no_job"},
        {&old_session, &job.lease, "session_superseded"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct settle_request refused = settle(f, rows[i].node, rows[i].lease, VERDICT_ACCEPTED);

        assert_false(refused.item.ok);
        assert_string_equal(refused.item.err.code, rows[i].code);
        check_invariants(f);
    }
    assert_int_equal(query(f, "SELECT count(*) FROM node_event WHERE event = 'result.refused'"), 4);
    assert_true(settle(f, &owner, &job.lease, VERDICT_ACCEPTED).item.ok);
}

static void a_digest_that_is_not_the_bytes_is_refused(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    (void)submit(f, 1);
    struct claimed_job job = claim_one(f, &node);
    struct judgement judgement = judge(f, VERDICT_ACCEPTED);
    struct settle_request request = {.actor = node.actor,
                                     .session_epoch = node.epoch,
                                     .lease = job.lease,
                                     .result = STR("bytes"),
                                     .judgement = &judgement};

    AWAIT(f, &request, dispatch_settle(f->app, &request));

    assert_false(request.item.ok);
    assert_string_equal(request.item.err.code, "digest_conflict");
}

static void a_result_that_cannot_be_right_is_refused(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    (void)submit(f, 1);
    struct claimed_job job = claim_one(f, &node);
    struct judgement judgement = judge(f, VERDICT_ACCEPTED);
    judgement.case_count = 2;
    struct settle_request request = {.actor = node.actor,
                                     .session_epoch = node.epoch,
                                     .lease = job.lease,
                                     .result = STR("bytes"),
                                     .judgement = &judgement};
    struct digest digest = digest_of(request.result);
    memcpy(request.digest, digest.bytes, 32);

    AWAIT(f, &request, dispatch_settle(f->app, &request));

    assert_false(request.item.ok);
    assert_string_equal(request.item.err.code, "bad_field");
    assert_int_equal(query(f, "SELECT count(*) FROM job_lease"), 1);
}

static void one_batch_with_the_same_result_twice_settles_once(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    (void)submit(f, 1);
    struct claimed_job job = claim_one(f, &node);
    struct judgement judgement = judge(f, VERDICT_ACCEPTED);
    struct settle_request requests[3];
    bool done[3] = {false};
    for (int i = 0; i < 3; i++) {
        requests[i] = (struct settle_request){
            .item = {.done = note_done, .context = &done[i]},
            .actor = node.actor,
            .session_epoch = node.epoch,
            .lease = job.lease,
            .result = i < 2 ? STR("bytes") : STR("other bytes"),
            .judgement = &judgement,
        };
        struct digest digest = digest_of(requests[i].result);
        memcpy(requests[i].digest, digest.bytes, 32);
        dispatch_settle(f->app, &requests[i]);
    }

    drain(f);

    assert_true(done[0] && done[1] && done[2]);
    assert_true(requests[0].item.ok && !requests[0].already);
    assert_true(requests[1].item.ok && requests[1].already);
    assert_string_equal(requests[2].item.err.code, "digest_conflict");
}

static void what_a_user_has_reached_follows_from_the_verdicts(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    static const enum verdict verdicts[] = {VERDICT_WRONG_ANSWER, VERDICT_ACCEPTED,
                                            VERDICT_RUNTIME_ERROR};
    for (int i = 0; i < 3; i++) {
        (void)submit(f, 1);
        struct claimed_job job = claim_one(f, &node);
        assert_true(settle(f, &node, &job.lease, verdicts[i]).item.ok);
    }

    drain(f);

    assert_int_equal(query(f, "SELECT count(*) FROM settlement_event"), 0);
    assert_int_equal(query(f, "SELECT best_verdict FROM user_problem WHERE user_id = 1"),
                     VERDICT_ACCEPTED);
    assert_int_equal(query(f, "SELECT best_submission_id FROM user_problem"), 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        APP_TEST(a_submission_goes_the_whole_way),
        APP_TEST(the_same_result_again_is_already_settled),
        APP_TEST(another_result_of_the_same_lease_is_a_conflict),
        APP_TEST(an_expired_lease_cannot_settle_before_or_after_the_reaper),
        APP_TEST(a_late_result_of_an_old_lease_is_refused),
        APP_TEST(nobody_settles_with_what_is_not_his),
        APP_TEST(a_digest_that_is_not_the_bytes_is_refused),
        APP_TEST(a_result_that_cannot_be_right_is_refused),
        APP_TEST(one_batch_with_the_same_result_twice_settles_once),
        APP_TEST(what_a_user_has_reached_follows_from_the_verdicts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
