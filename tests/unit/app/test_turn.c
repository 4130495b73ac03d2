/* Users take turns. */
#include "app/app_fixture.h"
#include "app/queues_internal.h"

static void one_users_many_do_not_hold_up_anothers_first(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 64, NULL);
    for (int i = 0; i < 40; i++) {
        (void)submit(f, 1);
    }
    for (int i = 0; i < 5; i++) {
        (void)claim_one(f, &node);
    }

    struct submission_id first = submit(f, 2);

    struct submission_id claimed = claim_one(f, &node).submission;
    assert_int_equal(claimed.value, first.value);
}

static void two_busy_users_alternate(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 64, NULL);
    for (int i = 0; i < 10; i++) {
        (void)submit(f, 1);
    }
    for (int i = 0; i < 10; i++) {
        (void)submit(f, 2);
    }
    int of_second = 0;

    for (int i = 0; i < 10; i++) {
        of_second += claim_one(f, &node).submission.value > 10 ? 1 : 0;
    }

    assert_in_range(of_second, 4, 6);
}

static void nobody_is_punished_for_what_he_did_long_ago(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 64, NULL);
    for (int i = 0; i < 50; i++) {
        (void)submit(f, 1);
        struct claimed_job job = claim_one(f, &node);
        assert_true(settle(f, &node, &job.lease, VERDICT_ACCEPTED).item.ok);
    }
    struct submission_id old_hand = submit(f, 1);
    for (int i = 0; i < 5; i++) {
        (void)submit(f, 2);
    }

    int waited = 0;
    while (claim_one(f, &node).submission.value != old_hand.value) {
        waited++;
    }

    assert_in_range(waited, 0, 2);
}

static void the_queues_time_survives_a_restart(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 64, NULL);
    for (int i = 0; i < 10; i++) {
        (void)submit(f, 1);
        (void)claim_one(f, &node);
    }
    const struct queue_info *queue = queues_of_pool(f->app, STR("cpp"));
    int64_t before = queues_virtual_key(f->app, queue->id);
    assert_true(before > 0);
    advance(f, 5000);

    app_close(take(f->app));
    open_app(f);

    queue = queues_of_pool(f->app, STR("cpp"));
    assert_int_equal(queues_virtual_key(f->app, queue->id), before);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        APP_TEST(one_users_many_do_not_hold_up_anothers_first),
        APP_TEST(two_busy_users_alternate),
        APP_TEST(nobody_is_punished_for_what_he_did_long_ago),
        APP_TEST_ON_DISK(the_queues_time_survives_a_restart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
