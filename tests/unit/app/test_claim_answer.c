/* A claim that is asked again is answered by what it got. */
#include "app/app_fixture.h"

static void the_same_claim_twice_in_one_batch_gets_jobs_once(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 8, NULL);
    struct claim_request requests[2];
    bool done[2] = {false};
    for (int i = 0; i < 6; i++) {
        (void)submit(f, 1);
    }
    for (int i = 0; i < 2; i++) {
        requests[i] = (struct claim_request){.item = {.done = note_done, .context = &done[i]},
                                             .actor = node.actor,
                                             .session_epoch = node.epoch,
                                             .claim_id = 50,
                                             .free_slots = 2,
                                             .arena = f->arena};
        dispatch_claim(f->app, &requests[i]);
    }

    drain(f);

    assert_true(done[0] && done[1]);
    assert_int_equal(requests[0].job_count, 0);
    assert_int_equal(requests[1].job_count, 2);
    assert_int_equal(query(f, "SELECT count(*) FROM job_lease"), 2);
}

static void the_same_claim_again_gets_the_same_leases(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 4, NULL);
    (void)submit(f, 1);
    (void)submit(f, 1);
    struct claim_request first = claim_with(f, &node, 2, 77);
    (void)submit(f, 1);
    clock_manual_advance(&f->clock, 1000);

    struct claim_request again = claim_with(f, &node, 2, 77);

    assert_int_equal(again.job_count, 2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(again.jobs[i].job.value, first.jobs[i].job.value);
        assert_true(again.jobs[i].lease.token == first.jobs[i].lease.token);
        assert_int_equal(again.jobs[i].lease_remaining_ms, f->settings.lease_ms - 1000);
    }
    assert_int_equal(query(f, "SELECT count(*) FROM job_lease"), 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        APP_TEST(the_same_claim_twice_in_one_batch_gets_jobs_once),
        APP_TEST(the_same_claim_again_gets_the_same_leases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
