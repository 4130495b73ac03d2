/* The database's clock jumps; leases and delays move along, and nobody loses or keeps what he
 * should not. */
#include "app/app_fixture.h"

static void jump(struct fixture *f, int64_t ms) {
    f->clock.utc_now_ms += ms;
}

static void a_jump_forwards_takes_no_lease_away(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    (void)submit(f, 1);
    struct claimed_job job = claim_one(f, &node);
    advance(f, 10000);

    jump(f, 3600000);
    advance(f, f->settings.reap_ms);

    assert_int_equal(query(f, "SELECT count(*) FROM job_lease"), 1);
    assert_int_equal(renew(f, &node, &job.lease).answer, RENEW_GO);
    assert_true(settle(f, &node, &job.lease, VERDICT_ACCEPTED).item.ok);
}

static void a_lease_that_is_not_renewed_ends_all_the_same(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    (void)submit(f, 1);
    (void)claim_one(f, &node);
    advance(f, 10000);
    jump(f, 3600000);
    advance(f, f->settings.reap_ms);

    advance(f, f->settings.lease_ms - 10000);

    assert_int_equal(query(f, "SELECT count(*) FROM job_lease"), 0);
    assert_int_equal(query(f, "SELECT count(*) FROM job_ready"), 1);
}

static void a_jump_backwards_keeps_no_dead_lease(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    (void)submit(f, 1);
    (void)claim_one(f, &node);
    advance(f, 10000);

    jump(f, -3600000);
    advance(f, f->settings.reap_ms);
    assert_int_equal(query(f, "SELECT count(*) FROM job_lease"), 1);
    advance(f, f->settings.lease_ms);

    assert_int_equal(query(f, "SELECT count(*) FROM job_lease"), 0);
}

static void delays_move_along_but_what_is_held_stays(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    (void)submit(f, 1);
    struct claimed_job job = claim_one(f, &node);
    assert_true(report_failure(f, &node, &job.lease, FAULT_PROBLEM).item.ok);
    (void)submit(f, 2);
    exec(f,
         "DELETE FROM job_ready; UPDATE job SET due_ms = 9007199254740991 WHERE id = 2; INSERT "
         "INTO job_delayed VALUES (9007199254740991, 2, 2); INSERT INTO job_hold VALUES (2, 1, '', "
         "0, 0)");
    advance(f, 1000);

    jump(f, -3600000);
    advance(f, 2000);
    assert_int_equal(query(f, "SELECT count(*) FROM job_delayed"), 2);
    advance(f, 4000);

    assert_int_equal(query(f, "SELECT count(*) FROM job_ready WHERE job_id = 1"), 1);
    assert_int_equal(query(f, "SELECT count(*) FROM job_delayed WHERE job_id = 2"), 1);
}

static void a_clock_set_back_while_stopped_is_noticed_at_the_start(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    (void)submit(f, 1);
    (void)claim_one(f, &node);
    advance(f, f->settings.reap_ms);
    app_close(take(f->app));
    jump(f, -7200000);

    open_app(f);
    drain(f);
    assert_int_equal(query(f, "SELECT count(*) FROM job_lease"), 1);
    advance(f, f->settings.lease_ms + f->settings.reap_ms);

    assert_int_equal(query(f, "SELECT count(*) FROM job_lease"), 0);
}

static void time_that_passed_while_stopped_is_no_jump(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    (void)submit(f, 1);
    (void)claim_one(f, &node);
    advance(f, f->settings.reap_ms);
    app_close(take(f->app));
    jump(f, 7200000);

    open_app(f);
    drain(f);

    assert_int_equal(query(f, "SELECT count(*) FROM job_lease"), 0);
    assert_int_equal(query(f, "SELECT count(*) FROM job_ready"), 1);
}

static void small_corrections_are_left_alone(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    (void)submit(f, 1);
    (void)claim_one(f, &node);
    advance(f, 10000);
    int64_t before = query(f, "SELECT lease_until_ms FROM job_lease");

    jump(f, 3000);
    advance(f, f->settings.reap_ms);
    jump(f, -3000);
    advance(f, f->settings.reap_ms);

    assert_int_equal(query(f, "SELECT lease_until_ms FROM job_lease"), before);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        APP_TEST(a_jump_forwards_takes_no_lease_away),
        APP_TEST(a_lease_that_is_not_renewed_ends_all_the_same),
        APP_TEST(a_jump_backwards_keeps_no_dead_lease),
        APP_TEST(delays_move_along_but_what_is_held_stays),
        APP_TEST_ON_DISK(a_clock_set_back_while_stopped_is_noticed_at_the_start),
        APP_TEST_ON_DISK(time_that_passed_while_stopped_is_no_jump),
        APP_TEST(small_corrections_are_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
