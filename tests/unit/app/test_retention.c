/* What grows with use goes when its time is over, and nothing else does. */
#include "app/app_fixture.h"
#include "app/retention_internal.h"
#include "store/db_fault.h"

#define DAY_MS (INT64_C(24) * 3600 * 1000)

static void make_events(struct fixture *f, int count, int64_t at_ms) {
    for (int i = 0; i < count; i++) {
        char sql[200];
        (void)snprintf(sql, sizeof sql,
                       "INSERT INTO node_event (id, node_id, at_ms, event, job_id, detail) "
                       "SELECT coalesce(max(id), 0) + 1, 1, %lld, 'e', 0, '' FROM node_event",
                       (long long)at_ms);
        exec(f, sql);
    }
}

static int64_t events(struct fixture *f) {
    return query(f, "SELECT count(*) FROM node_event");
}

static void it_runs_by_itself_and_keeps_what_is_young(void **state) {
    struct fixture *f = *state;
    make_events(f, 1200, START_MS - f->settings.keep_node_events_ms);
    make_events(f, 7, START_MS);

    advance(f, 60000);

    assert_int_equal(events(f), 7);
}

static void only_one_server_does_it(void **state) {
    struct fixture *f = *state;
    make_events(f, 3, START_MS - f->settings.keep_node_events_ms - 1);
    exec(f, "INSERT INTO maintenance_lease VALUES ('retention', 'another', 1, 1700000100000)");

    assert_false(retention_pass(f->app));
    assert_int_equal(events(f), 3);

    clock_manual_advance(&f->clock, 100000); /* the other one is gone */
    assert_true(retention_pass(f->app));
    assert_int_equal(events(f), 0);
}

struct failing {
    int statements_left;
};

static bool fail_once(void *context, enum db_point point, const char *sql, struct err *err) {
    struct failing *failing = context;
    (void)point;
    (void)sql;
    return --failing->statements_left != 0 ||
           err_set(err, ERR_SYSTEM, "database_unavailable", "planted");
}

/* Wherever it breaks, what was left is found by the next pass. */
static void a_pass_that_breaks_is_made_good_by_the_next(void **state) {
    struct fixture *f = *state;
    for (int at = 1; at < 40; at += 3) {
        struct failing failing = {.statements_left = at};
        make_events(f, 5, START_MS - f->settings.keep_node_events_ms - 1);
        db_set_fault(f->app->db, fail_once, &failing);
        (void)retention_pass(f->app);
        db_set_fault(f->app->db, NULL, NULL);

        (void)retention_pass(f->app);
        (void)retention_pass(f->app); /* one that stopped in the middle goes on, then begins anew */

        assert_int_equal(events(f), 0);
    }
}

/* The source, result and snapshot of what counts are never touched. */
static void what_counts_stays_for_ever(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 4, NULL);
    struct submission_id id = submit(f, 1);
    struct claimed_job job = claim_one(f, &node);
    assert_true(settle(f, &node, &job.lease, VERDICT_ACCEPTED).item.ok);
    struct submission_id waits = submit(f, 1);

    advance(f, 1000 * DAY_MS);
    (void)retention_pass(f->app);

    assert_int_equal(view(f, id).verdict, VERDICT_ACCEPTED);
    assert_int_equal(view(f, id).judgement.case_count, CASES);
    assert_int_equal(query(f, "SELECT count(*) FROM job_body"), 2);
    assert_int_equal(view(f, waits).state, SUBMISSION_PENDING);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        APP_TEST(it_runs_by_itself_and_keeps_what_is_young),
        APP_TEST(only_one_server_does_it),
        APP_TEST(a_pass_that_breaks_is_made_good_by_the_next),
        APP_TEST(what_counts_stays_for_ever),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
