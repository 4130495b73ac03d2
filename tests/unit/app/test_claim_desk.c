/* Claims that found nothing wait, and are woken, timed out, hung up, or answered at the end. */
#include "app/claim_desk_internal.h"

#include "app/app_fixture.h"

struct parked {
    struct claim_request request;
    bool done;
};

static void park(struct fixture *f, const struct test_node *node, int64_t wait_ms,
                 struct parked *parked) {
    *parked = (struct parked){.request = {.item = {.done = note_done, .context = &parked->done},
                                          .actor = node->actor,
                                          .session_epoch = node->epoch,
                                          .claim_id = ++f->claims,
                                          .free_slots = 4,
                                          .wait_ms = wait_ms,
                                          .arena = f->arena}};
    dispatch_claim(f->app, &parked->request);
    drain(f);
}

static void a_new_job_wakes_a_waiting_claim(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 4, NULL);
    struct parked parked;
    park(f, &node, 15000, &parked);
    assert_false(parked.done);

    struct submission_id id = submit(f, 1);
    drain(f);

    assert_true(parked.done);
    assert_int_equal(parked.request.job_count, 1);
    assert_int_equal(parked.request.jobs[0].submission.value, id.value);
}

/* Another writer's commit comes between the look and the desk: its wake-up finds nobody there. */
static void a_job_that_comes_while_the_claim_is_on_its_way_to_the_desk_wakes_it(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 4, NULL);
    struct parked parked;
    park(f, &node, 15000, &parked);
    struct queue_id queue = parked.request.queue;
    uint64_t seen = parked.request.wakes_seen;
    claims_wake(f->app, queue, 1); /* takes it out, to look again */
    drain(f);
    assert_int_equal(parked.request.wakes_seen, seen + 1);
    assert_false(parked.done);

    (void)submit(f, 1);
    drain(f);
    assert_true(parked.done);
    parked.done = false;
    (void)submit(f, 2); /* and nobody was at the desk */
    parked.request.wakes_seen = seen;
    parked.request.claim_id = ++f->claims;
    parked.request.job_count = 0;
    claims_park(f->app, &parked.request);
    drain(f);

    assert_true(parked.done);
    assert_int_equal(parked.request.job_count, 1);
}

static void one_job_wakes_one_waiting_claim(void **state) {
    struct fixture *f = *state;
    struct test_node a = make_node(f, "a", 4, NULL);
    struct test_node b = make_node(f, "b", 4, NULL);
    struct parked first;
    struct parked second;
    park(f, &a, 15000, &first);
    park(f, &b, 15000, &second);

    (void)submit(f, 1);
    drain(f);
    assert_true(first.done);
    assert_false(second.done);

    (void)submit(f, 1);
    drain(f);
    assert_true(second.done);
    assert_int_equal(second.request.job_count, 1);
}

static void a_node_that_drains_takes_no_wake_up_from_another(void **state) {
    struct fixture *f = *state;
    struct test_node draining = make_node(f, "a", 4, NULL);
    struct test_node able = make_node(f, "b", 4, NULL);
    struct parked first;
    struct parked second;
    exec(f, "UPDATE node SET config = 3 WHERE name = 'a'"); /* draining */
    park(f, &draining, 15000, &first);
    park(f, &able, 15000, &second);

    (void)submit(f, 1);
    drain(f);

    assert_false(first.done);
    assert_true(second.done);
    assert_int_equal(second.request.job_count, 1);
    dispatch_claim_cancel(f->app, &first.request);
}

static void a_node_whose_machine_is_full_takes_no_wake_up_from_another(void **state) {
    struct fixture *f = *state;
    make_group(f, 1, 1);
    struct test_node busy = make_node(f, "a", 1, "g1");
    struct test_node full = make_node(f, "b", 1, "g1");
    struct test_node free_node = make_node(f, "c", 1, NULL);
    (void)submit(f, 1);
    (void)claim_one(f, &busy);
    struct parked first;
    struct parked second;
    park(f, &full, 15000, &first);
    park(f, &free_node, 15000, &second);

    (void)submit(f, 1);
    drain(f);

    assert_false(first.done);
    assert_true(second.done);
    dispatch_claim_cancel(f->app, &first.request);
}

static void a_node_that_is_enabled_looks_at_once(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "a", 4, NULL);
    struct parked parked;
    exec(f, "UPDATE node SET config = 3"); /* draining */
    (void)submit(f, 1);
    park(f, &node, 15000, &parked);
    assert_false(parked.done);

    exec(f, "UPDATE node SET config = 2");
    claims_look(f->app, parked.request.queue);
    drain(f); /* without any time passing */

    assert_true(parked.done);
    assert_int_equal(parked.request.job_count, 1);
}

static void a_claim_waits_no_longer_than_it_said(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 4, NULL);
    struct parked parked;
    park(f, &node, 5000, &parked);

    advance(f, 4999);
    assert_false(parked.done);
    advance(f, 1);

    assert_true(parked.done);
    assert_true(parked.request.item.ok);
    assert_int_equal(parked.request.job_count, 0);
}

static void a_waiting_time_without_end_is_cut(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 4, NULL);
    struct parked parked;
    park(f, &node, INT64_MAX / 2, &parked);

    advance(f, CLAIM_WAIT_MS_MAX);

    assert_true(parked.done);
}

static void who_hangs_up_is_answered_and_gets_no_job(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 4, NULL);
    struct parked parked;
    park(f, &node, 15000, &parked);

    dispatch_claim_cancel(f->app, &parked.request);
    assert_true(parked.done);
    (void)submit(f, 1);
    drain(f);

    assert_int_equal(parked.request.job_count, 0);
    assert_int_equal(query(f, "SELECT count(*) FROM job_lease"), 0);
}

static void who_hangs_up_before_the_claim_runs_gets_no_job_either(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 4, NULL);
    (void)submit(f, 1);
    struct parked queued = {.request = {.item = {.done = note_done, .context = &queued.done},
                                        .actor = node.actor,
                                        .session_epoch = node.epoch,
                                        .claim_id = 5,
                                        .free_slots = 4,
                                        .wait_ms = 15000,
                                        .arena = f->arena}};
    dispatch_claim(f->app, &queued.request);

    dispatch_claim_cancel(f->app, &queued.request);
    drain(f);

    assert_true(queued.done);
    assert_int_equal(query(f, "SELECT count(*) FROM job_lease"), 0);
}

static void after_lost_hints_all_queues_are_looked_at_at_once(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 4, NULL);
    const struct wake_message look = {.topic = WAKE_LOOK, .count = 1};
    (void)submit(f, 1);
    exec(f, "CREATE TABLE hidden AS SELECT * FROM job_ready; DELETE FROM job_ready");
    struct parked parked;
    park(f, &node, 15000, &parked);
    exec(f, "INSERT INTO job_ready SELECT * FROM hidden; DROP TABLE hidden");
    drain(f);
    assert_false(parked.done);

    wake_tell_here(f->app->wake, &look); /* as after Redis came back */
    drain(f);

    assert_true(parked.done);
    assert_int_equal(parked.request.job_count, 1);
}

static void a_lost_wake_up_is_made_up_for(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 4, NULL);
    struct submission_id id = submit(f, 1);
    exec(f, "CREATE TABLE hidden AS SELECT * FROM job_ready; DELETE FROM job_ready");
    struct parked parked;
    park(f, &node, 15000, &parked);
    exec(f, "INSERT INTO job_ready SELECT * FROM hidden; DROP TABLE hidden"); /* nobody tells */
    assert_false(parked.done);

    advance(f, 1000);

    assert_true(parked.done);
    assert_int_equal(parked.request.jobs[0].submission.value, id.value);
}

static void waiting_claims_are_answered_when_the_app_closes(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 4, NULL);
    struct parked parked;
    park(f, &node, 15000, &parked);

    app_close(take(f->app));

    assert_true(parked.done);
    assert_int_equal(parked.request.job_count, 0);
    f->in_memory = true;
    open_app(f);
}

static void a_job_that_comes_back_wakes_too(void **state) {
    struct fixture *f = *state;
    struct test_node a = make_node(f, "a", 1, NULL);
    struct test_node b = make_node(f, "b", 1, NULL);
    (void)submit(f, 1);
    struct claimed_job job = claim_one(f, &a);
    struct parked parked;
    park(f, &b, 15000, &parked);

    assert_int_equal(release(f, &a, &job.lease), 1);
    drain(f);

    assert_true(parked.done);
    assert_int_equal(parked.request.job_count, 1);
}

static void a_freed_slot_of_the_machine_wakes_the_other_pools_node(void **state) {
    struct fixture *f = *state;
    make_group(f, 1, 1);
    struct test_node busy = make_node(f, "a", 1, "g1");
    struct test_node waiting = make_node(f, "b", 1, "g1");
    struct submission_id first = submit(f, 1);
    struct submission_id second = submit(f, 2);
    struct claimed_job job = claim_one(f, &busy);
    assert_int_equal(job.submission.value, first.value);
    struct parked parked;
    park(f, &waiting, 15000, &parked);
    assert_false(parked.done);

    assert_true(settle(f, &busy, &job.lease, VERDICT_ACCEPTED).item.ok);
    drain(f); /* without any time passing */

    assert_true(parked.done);
    assert_int_equal(parked.request.jobs[0].submission.value, second.value);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        APP_TEST(a_new_job_wakes_a_waiting_claim),
        APP_TEST(a_job_that_comes_while_the_claim_is_on_its_way_to_the_desk_wakes_it),
        APP_TEST(one_job_wakes_one_waiting_claim),
        APP_TEST(a_node_that_drains_takes_no_wake_up_from_another),
        APP_TEST(a_node_whose_machine_is_full_takes_no_wake_up_from_another),
        APP_TEST(a_node_that_is_enabled_looks_at_once),
        APP_TEST(a_claim_waits_no_longer_than_it_said),
        APP_TEST(a_waiting_time_without_end_is_cut),
        APP_TEST(who_hangs_up_is_answered_and_gets_no_job),
        APP_TEST(who_hangs_up_before_the_claim_runs_gets_no_job_either),
        APP_TEST(after_lost_hints_all_queues_are_looked_at_at_once),
        APP_TEST(a_lost_wake_up_is_made_up_for),
        APP_TEST(waiting_claims_are_answered_when_the_app_closes),
        APP_TEST(a_job_that_comes_back_wakes_too),
        APP_TEST(a_freed_slot_of_the_machine_wakes_the_other_pools_node),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
