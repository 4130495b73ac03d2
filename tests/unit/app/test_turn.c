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
    int64_t before = queues_virtual_key(f->app, queue->id, PRIORITY_PRACTICE);
    assert_true(before > 0);
    advance(f, 5000);

    app_close(take(f->app));
    open_app(f);

    queue = queues_of_pool(f->app, STR("cpp"));
    assert_int_equal(queues_virtual_key(f->app, queue->id, PRIORITY_PRACTICE), before);
}

/* ---- many users ---- */

#define CROWD 40

/* The user whose job is handed out next. */
static int64_t next_user(struct fixture *f, const struct test_node *node) {
    struct claimed_job job = claim_one(f, node);
    int64_t user = query_of(f, "SELECT user_id FROM submission WHERE id = ?", job.submission.value);
    assert_true(settle(f, node, &job.lease, VERDICT_ACCEPTED).item.ok);
    return user;
}

static void make_crowd(struct fixture *f) {
    for (int user = 100; user < 100 + CROWD; user++) {
        (void)make_user(f, user);
    }
}

/* Users 100.. hand in one each; all are served before the third job of user 1, who has 200. */
static void expect_crowd_before_the_hog(struct fixture *f, const struct test_node *node,
                                        enum submission_origin origin) {
    int of_hog = 0;
    for (int user = 100; user < 100 + CROWD; user++) {
        (void)submit_from(f, user, origin);
    }
    for (int served = 0; served < CROWD;) {
        bool hog = next_user(f, node) == 1;
        of_hog += hog ? 1 : 0;
        served += hog ? 0 : 1;
        assert_in_range(of_hog, 0, 2);
    }
}

static void a_crowd_does_not_wait_for_one_users_two_hundred(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 64, NULL);
    make_crowd(f);
    for (int i = 0; i < 200; i++) {
        (void)submit(f, 1);
    }
    for (int i = 0; i < 20; i++) {
        assert_int_equal(next_user(f, &node), 1);
    }

    expect_crowd_before_the_hog(f, &node, ORIGIN_PRACTICE);
}

static void turns_are_kept_over_a_restart(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 64, NULL);
    make_crowd(f);
    for (int i = 0; i < 200; i++) {
        (void)submit(f, 1);
    }
    for (int i = 0; i < 20; i++) {
        assert_int_equal(next_user(f, &node), 1);
    }

    app_close(take(f->app)); /* what was claimed in the last seconds is not in the database */
    open_app(f);

    expect_crowd_before_the_hog(f, &node, ORIGIN_PRACTICE);
    for (int i = 0; i < 10; i++) { /* and nobody who comes back is put before himself */
        (void)submit(f, 1);
    }
    int64_t previous = 0;
    for (int i = 0; i < 100; i++) {
        struct claimed_job job = claim_one(f, &node);
        assert_true(job.submission.value > previous);
        previous = job.submission.value;
        assert_true(settle(f, &node, &job.lease, VERDICT_ACCEPTED).item.ok);
    }
}

/* What an exam hands out says nothing about who has had a turn in practice. */
static void an_exam_does_not_move_the_turns_of_practice(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 64, NULL);
    make_crowd(f);
    for (int i = 0; i < 60; i++) {
        (void)submit_from(f, 1, ORIGIN_PRACTICE);
        (void)submit_from(f, 1, ORIGIN_EXAM);
    }
    while (query(f, "SELECT count(*) FROM job_ready WHERE priority = 0") > 0) {
        assert_int_equal(next_user(f, &node), 1);
    }

    expect_crowd_before_the_hog(f, &node, ORIGIN_PRACTICE);
}

/* ---- priorities ---- */

static void make_bulk(struct fixture *f, struct submission_id submission) {
    char sql[200];
    (void)snprintf(sql, sizeof sql, "UPDATE job SET priority = 2 WHERE subject_id = %lld",
                   (long long)submission.value);
    exec(f, sql);
    (void)snprintf(sql, sizeof sql,
                   "UPDATE job_ready SET priority = 2 WHERE job_id = (SELECT id FROM job WHERE "
                   "subject_id = %lld)",
                   (long long)submission.value);
    exec(f, sql);
}

static void no_priority_starves_below_an_endless_exam(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 64, NULL);
    int handed_out[PRIORITY_COUNT] = {0};
    for (int i = 0; i < 30; i++) {
        (void)submit_from(f, 2, ORIGIN_PRACTICE);
        make_bulk(f, submit_from(f, 1, ORIGIN_PRACTICE));
    }

    for (int i = 0; i < 160; i++) {
        (void)submit_from(f, 1 + i % 2, ORIGIN_EXAM); /* there is always more of it */
        (void)submit_from(f, 1 + i % 2, ORIGIN_CONTEST);
        struct claimed_job job = claim_one(f, &node);
        handed_out[query_of(f, "SELECT priority FROM job WHERE id = ?", job.job.value)]++;
        assert_true(settle(f, &node, &job.lease, VERDICT_ACCEPTED).item.ok);
    }

    assert_int_equal(handed_out[PRIORITY_EXAM], 140);
    assert_int_equal(handed_out[PRIORITY_PRACTICE], 10);
    assert_int_equal(handed_out[PRIORITY_REJUDGE], 10);
}

/* Claims that find nothing, and claims of other queues, use up nobody's turn. */
static void an_idle_queue_keeps_its_place_in_the_order(void **state) {
    struct fixture *f = *state;
    struct queue_id id = queues_of_pool(f->app, STR("cpp"))->id;
    struct test_node node = make_node(f, "n1", 64, NULL);
    enum job_priority before[PRIORITY_COUNT];
    enum job_priority after[PRIORITY_COUNT];
    for (int i = 0; i < 7; i++) {
        (void)submit(f, 1);
        (void)claim_one(f, &node);
    }
    queues_order(f->app, id, before);
    assert_int_not_equal(before[0], PRIORITY_EXAM);

    for (int i = 0; i < 5; i++) {
        assert_int_equal(claim(f, &node, 1).job_count, 0);
    }

    queues_order(f->app, id, after);
    assert_memory_equal(before, after, sizeof before);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        APP_TEST(one_users_many_do_not_hold_up_anothers_first),
        APP_TEST(two_busy_users_alternate),
        APP_TEST(nobody_is_punished_for_what_he_did_long_ago),
        APP_TEST(a_crowd_does_not_wait_for_one_users_two_hundred),
        APP_TEST_ON_DISK(turns_are_kept_over_a_restart),
        APP_TEST(an_exam_does_not_move_the_turns_of_practice),
        APP_TEST(no_priority_starves_below_an_endless_exam),
        APP_TEST(an_idle_queue_keeps_its_place_in_the_order),
        APP_TEST_ON_DISK(the_queues_time_survives_a_restart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
