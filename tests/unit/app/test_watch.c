/* Whoever watches a submission learns of each change, until he has closed. */
#include "app/app_fixture.h"

static void count_news(void *context) {
    ++*(int *)context;
}

static void every_step_of_its_life_is_told(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    struct submission_id id = submit(f, 1);
    struct submission_id other = submit(f, 2);
    struct submission_watch *watch = NULL;
    struct submission_watch *other_watch = NULL;
    int news = 0;
    int other_news = 0;
    must(f, submission_watch_open(f->app, id, count_news, &news, &watch, &f->err));
    must(f, submission_watch_open(f->app, other, count_news, &other_news, &other_watch, &f->err));

    struct claimed_job job = claim_one(f, &node);
    assert_int_equal(news, 1);
    struct progress_item item = {
        .lease = job.lease, .sequence = 1, .stage = JUDGE_STAGE_COMPILING, .case_index = -1};
    must(f, dispatch_progress(f->app, &node.actor, node.epoch, &item, 1, &f->err));
    assert_int_equal(news, 2);
    must(f, dispatch_progress(f->app, &node.actor, node.epoch, &item, 1, &f->err)); /* old */
    assert_int_equal(news, 2);
    assert_true(settle(f, &node, &job.lease, VERDICT_ACCEPTED).item.ok);
    assert_int_equal(news, 3);

    assert_int_equal(other_news, 0);
    submission_watch_close(watch);
    submission_watch_close(other_watch);
}

static void a_closed_watch_is_told_nothing(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    struct submission_id id = submit(f, 1);
    struct submission_watch *watch = NULL;
    struct submission_watch *second = NULL;
    int news = 0;
    int second_news = 0;
    must(f, submission_watch_open(f->app, id, count_news, &news, &watch, &f->err));
    must(f, submission_watch_open(f->app, id, count_news, &second_news, &second, &f->err));

    submission_watch_close(watch);
    submission_watch_close(NULL);
    (void)claim_one(f, &node);

    assert_int_equal(news, 0);
    assert_int_equal(second_news, 1);
    submission_watch_close(second);
}

static void a_requeue_and_a_failure_are_told(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    struct submission_id id = submit(f, 1);
    struct submission_watch *watch = NULL;
    int news = 0;
    must(f, submission_watch_open(f->app, id, count_news, &news, &watch, &f->err));

    (void)claim_one(f, &node);
    advance(f, f->settings.lease_ms + f->settings.reap_ms);

    submission_watch_close(watch);
    /* Servers that share a database look there too, and so may tell of the same step again. */
    assert_in_range(news, 2, test_db_is_mysql() ? 4 : 2);
}

static void after_lost_hints_everybody_is_told(void **state) {
    struct fixture *f = *state;
    struct submission_watch *watches[2] = {0};
    int news[2] = {0};
    for (int i = 0; i < 2; i++) {
        must(f, submission_watch_open(f->app, (struct submission_id){i + 1}, count_news, &news[i],
                                      &watches[i], &f->err));
    }

    wake_tell(f->app->wake, WAKE_LOOK, 0, 1);

    for (int i = 0; i < 2; i++) {
        assert_int_equal(news[i], 1);
        submission_watch_close(watches[i]);
    }
}

static void there_is_a_most_of_watches(void **state) {
    struct fixture *f = *state;
    static struct submission_watch *watches[SUBMISSION_WAITERS_MAX];
    struct submission_watch *one_more = NULL;
    int news = 0;
    for (int i = 0; i < SUBMISSION_WAITERS_MAX; i++) {
        must(f, submission_watch_open(f->app, (struct submission_id){i + 1}, count_news, &news,
                                      &watches[i], &f->err));
    }

    assert_false(submission_watch_open(f->app, (struct submission_id){1}, count_news, &news,
                                       &one_more, &f->err));
    assert_int_equal(f->err.kind, ERR_LIMITED);
    submission_watch_close(watches[0]);
    must(f, submission_watch_open(f->app, (struct submission_id){1}, count_news, &news, &watches[0],
                                  &f->err));

    for (int i = 0; i < SUBMISSION_WAITERS_MAX; i++) {
        submission_watch_close(watches[i]);
    }
}

static void a_place_that_moves_is_told_to_who_was_shown_it(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 4, NULL);
    struct submission_id last = {0};
    struct submission_watch *watch = NULL;
    int news = 0;
    for (int i = 0; i < 3; i++) {
        last = submit(f, 1);
    }
    must(f, submission_watch_open(f->app, last, count_news, &news, &watch, &f->err));
    assert_int_equal(view(f, last).reason.place, 3);
    advance(f, 4000);
    /* Nothing moved; servers that share a database look there, and tell what they find at first. */
    const int before = news;
    assert_in_range(before, 0, test_db_is_mysql() ? 1 : 0);

    (void)claim_one(f, &node);
    advance(f, 2000);

    assert_int_equal(news, before + 1);
    assert_int_equal(view(f, last).reason.place, 2);
    advance(f, 4000);
    assert_int_equal(news, before + 1); /* told once */
    submission_watch_close(watch);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        APP_TEST(every_step_of_its_life_is_told),
        APP_TEST(a_closed_watch_is_told_nothing),
        APP_TEST(a_requeue_and_a_failure_are_told),
        APP_TEST(after_lost_hints_everybody_is_told),
        APP_TEST(there_is_a_most_of_watches),
        APP_TEST(a_place_that_moves_is_told_to_who_was_shown_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
