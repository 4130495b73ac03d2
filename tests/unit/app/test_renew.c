/* Renewals and heartbeats. */
#include "app/app_fixture.h"

static void count_done(struct write_item *item) {
    ++*(int *)item->context;
}

static void a_renewal_moves_the_end(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    (void)submit(f, 1);
    struct claimed_job job = claim_one(f, &node);
    clock_manual_advance(&f->clock, 20000);

    struct renew_item item = renew(f, &node, &job.lease);

    assert_int_equal(item.answer, RENEW_GO);
    assert_int_equal(item.remaining_ms, f->settings.lease_ms);
}

static void each_lease_of_a_request_is_answered_by_itself(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 4, NULL);
    struct test_node other = make_node(f, "n2", 4, NULL);
    (void)submit(f, 1);
    (void)submit(f, 2);
    struct claimed_job mine = claim_one(f, &node);
    struct claimed_job foreign = claim_one(f, &other);
    struct renew_item items[4] = {
        {.lease = mine.lease},
        {.lease = foreign.lease},
        {.lease = {.job = {999}, .epoch = 1, .token = 1}},
        {.lease = mine.lease},
    };
    items[3].lease.token++;
    struct renew_request request = {
        .actor = node.actor, .session_epoch = node.epoch, .items = items, .count = 4};

    AWAIT(f, &request, dispatch_renew(f->app, &request));

    assert_true(request.item.ok);
    assert_int_equal(items[0].answer, RENEW_GO);
    assert_int_equal(items[1].answer, RENEW_CONFLICT);
    assert_int_equal(items[2].answer, RENEW_CONFLICT);
    assert_int_equal(items[3].answer, RENEW_CONFLICT);
}

static void a_revoked_or_cancelled_job_is_told_to_stop(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    (void)submit(f, 1);
    struct claimed_job job = claim_one(f, &node);
    exec(f, "UPDATE job_lease SET revoked = 1");

    assert_int_equal(renew(f, &node, &job.lease).answer, RENEW_STOP);

    exec(f, "UPDATE job_lease SET revoked = 0");
    assert_int_equal(renew(f, &node, &job.lease).answer, RENEW_GO);
}

static void an_expired_lease_is_not_revived(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    (void)submit(f, 1);
    struct claimed_job job = claim_one(f, &node);
    clock_manual_advance(&f->clock, f->settings.lease_ms);

    assert_int_equal(renew(f, &node, &job.lease).answer, RENEW_CONFLICT);
    drain(f);
    assert_int_equal(renew(f, &node, &job.lease).answer, RENEW_CONFLICT);
}

static void an_old_session_renews_nothing(void **state) {
    struct fixture *f = *state;
    struct test_node old = make_node(f, "n1", 1, NULL);
    (void)submit(f, 1);
    struct claimed_job job = claim_one(f, &old);
    struct test_node fresh = old;
    fresh.epoch = open_session(f, &old.actor, true).session_epoch;
    struct renew_item item = {.lease = job.lease};
    struct renew_request request = {
        .actor = old.actor, .session_epoch = old.epoch, .items = &item, .count = 1};

    AWAIT(f, &request, dispatch_renew(f->app, &request));

    assert_string_equal(request.item.err.code, "session_superseded");
    assert_int_equal(renew(f, &fresh, &job.lease).answer, RENEW_CONFLICT);
}

static void a_heartbeat_says_what_the_node_shall_be(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 3, NULL);

    struct heartbeat_request request = beat(f, &node);
    assert_true(request.item.ok);
    assert_int_equal(request.config, NODE_ENABLED);
    assert_int_equal(request.slots, 3);

    exec(f, "UPDATE node SET config = 3");
    assert_int_equal(beat(f, &node).config, NODE_DRAINING);
    struct test_node old = node;
    old.epoch--;
    assert_string_equal(beat(f, &old).item.err.code, "session_superseded");
    assert_int_equal(query(f, "SELECT received_ms FROM node_beat"), START_MS);
}

/* Two of one node among them, one of a node that has a newer session. */
static void heartbeats_that_come_together_are_each_answered(void **state) {
    struct fixture *f = *state;
    struct test_node one = make_node(f, "n1", 2, NULL);
    struct test_node two = make_node(f, "n2", 3, NULL);
    struct heartbeat_request beats[] = {
        {.actor = two.actor, .session_epoch = two.epoch, .busy_slots = 1},
        {.actor = one.actor, .session_epoch = one.epoch, .busy_slots = 1},
        {.actor = one.actor, .session_epoch = one.epoch, .busy_slots = 2},
        {.actor = two.actor, .session_epoch = two.epoch - 1, .busy_slots = 9},
    };
    int done = 0;
    clock_manual_advance(&f->clock, 5000);
    for (int i = 0; i < 4; i++) {
        beats[i].item.done = count_done;
        beats[i].item.context = &done;
        dispatch_heartbeat(f->app, &beats[i]);
    }
    drain(f);

    assert_int_equal(done, 4);
    assert_true(beats[0].item.ok && beats[1].item.ok && beats[2].item.ok);
    assert_int_equal(beats[0].slots, 3);
    assert_string_equal(beats[3].item.err.code, "session_superseded");
    assert_int_equal(
        query_of(f, "SELECT busy_slots FROM node_beat WHERE node_id = ?", one.actor.node.value), 2);
    assert_int_equal(
        query_of(f, "SELECT busy_slots FROM node_beat WHERE node_id = ?", two.actor.node.value), 1);
    assert_int_equal(query(f, "SELECT count(*) FROM node_beat WHERE received_ms = 1700000005000"),
                     2);
}

static void too_many_leases_at_once_are_refused(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    struct renew_request request = {
        .actor = node.actor, .session_epoch = node.epoch, .count = RENEW_JOBS_MAX + 1};

    AWAIT(f, &request, dispatch_renew(f->app, &request));

    assert_string_equal(request.item.err.code, "bad_field");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        APP_TEST(a_renewal_moves_the_end),
        APP_TEST(each_lease_of_a_request_is_answered_by_itself),
        APP_TEST(a_revoked_or_cancelled_job_is_told_to_stop),
        APP_TEST(an_expired_lease_is_not_revived),
        APP_TEST(an_old_session_renews_nothing),
        APP_TEST(a_heartbeat_says_what_the_node_shall_be),
        APP_TEST(heartbeats_that_come_together_are_each_answered),
        APP_TEST(too_many_leases_at_once_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
