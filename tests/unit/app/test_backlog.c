/* How much waits, and what follows for who comes next. */
#include "app/app_fixture.h"
#include "app/backlog_internal.h"
#include "app/queues_internal.h"
#include "store/job_store.h"

static int64_t place_of(struct fixture *f, int64_t id) {
    struct job job = {0};
    bool found = false;
    int64_t place = -1;
    must(f, job_store_get(f->app->db, (struct job_id){id}, &job, &found, &f->err));
    assert_true(found);
    must(f, backlog_place(f->app, f->app->db, &job, &place, &f->err));
    return place;
}

static void one_scan_serves_everybody_for_a_second(void **state) {
    struct fixture *f = *state;
    for (int i = 0; i < 3; i++) {
        (void)submit(f, 1);
    }
    assert_int_equal(place_of(f, 3), 3);
    exec(f, "CREATE TABLE away AS SELECT * FROM job_ready; DELETE FROM job_ready");

    for (int64_t job = 1; job <= 3; job++) { /* nobody looks into the table again */
        assert_int_equal(place_of(f, job), job);
    }

    exec(f, "INSERT INTO job_ready SELECT * FROM away WHERE job_id > 1");
    clock_manual_advance(&f->clock, 1000);
    assert_int_equal(place_of(f, 3), 2);
    exec(f, "INSERT INTO job_ready SELECT * FROM away WHERE job_id = 1; DROP TABLE away");
}

static void a_newer_job_is_looked_for_a_little_later(void **state) {
    struct fixture *f = *state;
    (void)submit(f, 1);
    assert_int_equal(place_of(f, 1), 1);

    (void)submit(f, 1);

    assert_int_equal(place_of(f, 2), 0); /* not known yet */
    clock_manual_advance(&f->clock, 250);
    assert_int_equal(place_of(f, 2), 2);
}

static void places_are_counted_only_so_far(void **state) {
    struct fixture *f = *state;
    (void)submit(f, 1);
    exec(f, "UPDATE job_ready SET order_key = 900000; UPDATE job SET order_key = 900000");
    exec(f, "INSERT INTO job_ready WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n "
            "WHERE i < 99) SELECT (SELECT queue_id FROM job), 1, a.i * 100 + b.i + 1, "
            "1001 + a.i * 100 + b.i FROM n a, n b");

    assert_int_equal(place_of(f, 1), PLACES_MAX + 1);

    exec(f, "DELETE FROM job_ready WHERE job_id = 1001");
    clock_manual_advance(&f->clock, 10000);
    assert_int_equal(place_of(f, 1), PLACES_MAX);
    exec(f, "DELETE FROM job_ready WHERE job_id > 1000");
}

static void the_pace_follows_what_is_judged(void **state) {
    struct fixture *f = *state;
    struct queue_id queue = queues_of_pool(f->app, STR("cpp"))->id;
    assert_int_equal(backlog_estimate_ms(f->app, queue, 5, 2), 0); /* nothing seen */

    backlog_pace(f->app, queue, 1000);
    assert_int_equal(backlog_estimate_ms(f->app, queue, 5, 2), 3000);
    assert_int_equal(backlog_estimate_ms(f->app, queue, 5, 0), 0); /* nobody judges */

    for (int i = 0; i < 100; i++) {
        backlog_pace(f->app, queue, 5000);
    }
    assert_in_range(backlog_estimate_ms(f->app, queue, 1, 1), 4900, 5000);
}

/* ---- room ---- */

static struct submit_request try_submit(struct fixture *f, enum submission_origin origin,
                                        const char *key) {
    struct submit_request request = {.actor = user_actor(1),
                                     .problem = {1},
                                     .language = STR("cpp"),
                                     .source = STR("int main() {}"),
                                     .request_id = str_from(key),
                                     .origin = origin};
    AWAIT(f, &request, submission_submit(f->app, &request));
    return request;
}

static int setup_with_room_for_three(void **state) {
    struct fixture *f = make_fixture(true, 1);
    f->app->settings.practice_waiting_max = 3;
    *state = f;
    return 0;
}

static void a_full_queue_takes_no_more_practice_and_stores_nothing(void **state) {
    struct fixture *f = *state;
    for (int i = 0; i < 3; i++) {
        assert_true(try_submit(f, ORIGIN_PRACTICE, NULL).item.ok);
    }

    struct submit_request refused = try_submit(f, ORIGIN_LESSON, NULL);

    assert_false(refused.item.ok);
    assert_int_equal(refused.item.err.kind, ERR_LIMITED);
    assert_string_equal(refused.item.err.code, "queue_full");
    assert_in_range(refused.item.err.retry_ms, 5000, 300000);
    assert_int_equal(query(f, "SELECT count(*) FROM submission"), 3);
    assert_int_equal(query(f, "SELECT count(*) FROM job"), 3);
}

static void an_exam_or_contest_is_never_turned_away(void **state) {
    struct fixture *f = *state;
    for (int i = 0; i < 3; i++) {
        assert_true(try_submit(f, ORIGIN_PRACTICE, NULL).item.ok);
    }
    for (int i = 0; i < 5; i++) {
        assert_true(try_submit(f, ORIGIN_EXAM, NULL).item.ok);
        assert_true(try_submit(f, ORIGIN_CONTEST, NULL).item.ok);
    }
    assert_false(try_submit(f, ORIGIN_PRACTICE, NULL).item.ok);
}

static void what_was_accepted_is_answered_again_however_full_it_is(void **state) {
    struct fixture *f = *state;
    struct submit_request first = try_submit(f, ORIGIN_PRACTICE, "key-1");
    (void)try_submit(f, ORIGIN_PRACTICE, NULL);
    (void)try_submit(f, ORIGIN_PRACTICE, NULL);
    assert_false(try_submit(f, ORIGIN_PRACTICE, "key-2").item.ok);

    struct submit_request again = try_submit(f, ORIGIN_PRACTICE, "key-1");

    assert_true(again.item.ok && again.repeated);
    assert_int_equal(again.submission.value, first.submission.value);
}

static void room_that_was_made_is_seen(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 4, NULL);
    for (int i = 0; i < 3; i++) {
        (void)try_submit(f, ORIGIN_PRACTICE, NULL);
    }
    assert_false(try_submit(f, ORIGIN_PRACTICE, NULL).item.ok);
    (void)claim_one(f, &node);

    clock_manual_advance(&f->clock, 1000);

    assert_true(try_submit(f, ORIGIN_PRACTICE, NULL).item.ok);
    assert_false(try_submit(f, ORIGIN_PRACTICE, NULL).item.ok);
}

static void rejudging_has_a_limit_of_its_own(void **state) {
    struct fixture *f = *state;
    struct queue_id queue = queues_of_pool(f->app, STR("cpp"))->id;
    f->app->settings.rejudge_waiting_max = 1;
    struct err err = {0};

    assert_true(backlog_admit(f->app, f->app->db, queue, PRIORITY_REJUDGE, &err));
    assert_false(backlog_admit(f->app, f->app->db, queue, PRIORITY_REJUDGE, &err));

    assert_string_equal(err.code, "queue_full");
    assert_true(backlog_admit(f->app, f->app->db, queue, PRIORITY_PRACTICE, &err));
}

int main(void) {
#define ROOM_TEST(name) cmocka_unit_test_setup_teardown(name, setup_with_room_for_three, teardown)
    const struct CMUnitTest tests[] = {
        APP_TEST(one_scan_serves_everybody_for_a_second),
        APP_TEST(a_newer_job_is_looked_for_a_little_later),
        APP_TEST(places_are_counted_only_so_far),
        APP_TEST(the_pace_follows_what_is_judged),
        ROOM_TEST(a_full_queue_takes_no_more_practice_and_stores_nothing),
        ROOM_TEST(an_exam_or_contest_is_never_turned_away),
        ROOM_TEST(what_was_accepted_is_answered_again_however_full_it_is),
        ROOM_TEST(room_that_was_made_is_seen),
        ROOM_TEST(rejudging_has_a_limit_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
