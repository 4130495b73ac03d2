/* What follows from a verdict is recomputed once it is there, whatever is killed in between. */
#include "app/app_crash.h"
#include "app/app_fixture.h"
#include "store/db_fault.h"
#include "store/submission_store.h"

static void judge_one(struct fixture *f, const struct test_node *node, enum verdict verdict) {
    (void)submit(f, 1);
    struct claimed_job job = claim_one(f, node);
    assert_true(settle(f, node, &job.lease, verdict).item.ok);
}

static bool fail_on_user_problem(void *context, enum db_point point, const char *sql,
                                 struct err *err) {
    (void)context;
    bool hit = point == DB_POINT_STEP && strstr(sql, "user_problem") != NULL;
    return !hit || err_set(err, ERR_SYSTEM, "database_failed", "planted");
}

static void an_event_that_failed_is_tried_again(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    db_set_fault(f->app->db, fail_on_user_problem, NULL);
    judge_one(f, &node, VERDICT_ACCEPTED);
    drain(f);
    assert_int_equal(query(f, "SELECT count(*) FROM settlement_event"), 1);

    db_set_fault(f->app->db, NULL, NULL);
    advance(f, 5000);

    assert_int_equal(query(f, "SELECT count(*) FROM settlement_event"), 0);
    assert_int_equal(query(f, "SELECT best_verdict FROM user_problem"), VERDICT_ACCEPTED);
}

static void an_event_left_by_a_crash_is_worked_off_at_the_start(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    db_set_fault(f->app->db, fail_on_user_problem, NULL);
    judge_one(f, &node, VERDICT_ACCEPTED);
    drain(f);
    db_set_fault(f->app->db, NULL, NULL);

    struct fixture *after = crash(f);
    drain(after);

    assert_int_equal(query(after, "SELECT count(*) FROM settlement_event"), 0);
    assert_int_equal(query(after, "SELECT count(*) FROM user_problem"), 1);
    check_invariants(after);
    app_close(after->app);
    free(after);
    advance(f, 5000);
}

struct other_server {
    struct fixture *f;
    int waits; /* how often it could not begin to recompute meanwhile */
    int begins;
};

static bool begin_elsewhere(void *context, enum db_point point, const char *sql, struct err *err) {
    struct other_server *other = context;
    own(db) db = NULL;
    struct err waited = {0};
    struct db_options options = {
        .path = other->f->path, .mysql = test_db(), .clock = &other->f->clock.clock};
    if (point != DB_POINT_STEP || strstr(sql, "user_problem") == NULL) {
        return true;
    }
    if (!db_open(&options, &db, err) ||
        !db_script(db, STR("SET SESSION innodb_lock_wait_timeout = 1"), err) ||
        !db_begin(db, err)) {
        return false;
    }
    bool locked = db_lock(db, LOCK_DERIVED, LOCK_EXCLUSIVE, BEST_RESULTS_LOCK, &waited);
    *(locked ? &other->begins : &other->waits) += 1;
    return true;
}

static void one_server_at_a_time_recomputes(void **state) {
    struct fixture *f = *state;
    struct other_server other = {.f = f};
    if (!test_db_is_mysql()) {
        skip(); /* one process owns the file */
    }
    struct test_node node = make_node(f, "n1", 1, NULL);
    db_set_fault(f->app->db, begin_elsewhere, &other);
    judge_one(f, &node, VERDICT_ACCEPTED);
    drain(f);
    db_set_fault(f->app->db, NULL, NULL);

    assert_true(other.waits > 0);
    assert_int_equal(other.begins, 0);
    assert_int_equal(query(f, "SELECT best_verdict FROM user_problem"), VERDICT_ACCEPTED);
}

static void an_event_applied_twice_changes_nothing(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    judge_one(f, &node, VERDICT_ACCEPTED);
    drain(f);
    exec(f, "INSERT INTO settlement_event VALUES (1, 1, 1, 1, 0, 0)");

    advance(f, 5000);

    assert_int_equal(query(f, "SELECT count(*) FROM settlement_event"), 0);
    assert_int_equal(query(f, "SELECT best_submission_id FROM user_problem"), 1);
}

static void more_events_than_one_batch_are_all_worked_off(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 64, NULL);
    db_set_fault(f->app->db, fail_on_user_problem, NULL);
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < 50; i++) {
            (void)submit(f, 1 + i % 2);
        }
        struct claim_request request = claim(f, &node, 50);
        for (int i = 0; i < request.job_count; i++) {
            assert_true(settle(f, &node, &request.jobs[i].lease, VERDICT_WRONG_ANSWER).item.ok);
        }
    }
    assert_int_equal(query(f, "SELECT count(*) FROM settlement_event"), 250);
    db_set_fault(f->app->db, NULL, NULL);

    advance(f, 5000);

    assert_int_equal(query(f, "SELECT count(*) FROM settlement_event"), 0);
    assert_int_equal(query(f, "SELECT count(*) FROM user_problem"), 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        APP_TEST(an_event_that_failed_is_tried_again),
        APP_TEST_ON_DISK(an_event_left_by_a_crash_is_worked_off_at_the_start),
        APP_TEST(one_server_at_a_time_recomputes),
        APP_TEST(an_event_applied_twice_changes_nothing),
        APP_TEST(more_events_than_one_batch_are_all_worked_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
