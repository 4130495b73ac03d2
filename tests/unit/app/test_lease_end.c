/* A lease that ends without a result leaves its job in exactly one place. */
#include "app/app_fixture.h"
#include "app/lease_end_internal.h"
#include "app/news_internal.h"

/* Ends the only lease as told, in a transaction of its own. */
static bool end_lease(struct fixture *f, enum lease_end end) {
    const struct job_id id = {1};
    struct held_jobs held = {0};
    struct db *db = f->app->db;
    struct ending ending = {.end = end, .fault = FAULT_NODE, .detail = STR("why")};
    bool failed = false;
    news_reset(f->app);
    must(f, db_begin(db, &f->err));
    must(f, hold_jobs(db, (struct job_list){&id, 1}, HOLD_SUBMISSIONS, f->arena, &held, &f->err));
    must(f, db_now(db, &ending.now_ms, &f->err));
    must(f, lease_end(f->app, db, &held.rows[0], &ending, &failed, &f->err));
    assert_false(held.rows[0].has_lease);
    must(f, db_commit(db, &f->err));
    news_tell(f->app, NULL, 0);
    return failed;
}

static void each_end_leads_to_its_place(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    (void)submit(f, 1);

    (void)claim_one(f, &node);
    assert_false(end_lease(f, END_RELEASED));
    assert_int_equal(query(f, "SELECT count(*) FROM job_ready"), 1);
    check_invariants(f);
    (void)claim_one(f, &node);
    assert_false(end_lease(f, END_EXPIRED));
    assert_int_equal(query(f, "SELECT count(*) FROM job_ready"), 1);
    check_invariants(f);
    (void)claim_one(f, &node);
    assert_false(end_lease(f, END_FAULT_NODE));
    assert_int_equal(query(f, "SELECT count(*) FROM job_delayed"), 1);
    check_invariants(f);
    assert_int_equal(query(f, "SELECT fault_node_id FROM job"), node.actor.node.value);
    assert_int_equal(query(f, "SELECT count(*) FROM job WHERE fault_code = 'fault_node' AND "
                              "fault_detail = 'why'"),
                     1);
}

static void the_last_attempt_ends_in_a_verdict(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    (void)submit(f, 1);
    (void)claim_one(f, &node);
    exec(f, "UPDATE job SET attempts = 3, lease_epoch = 3; UPDATE job_lease SET lease_epoch = 3");

    assert_true(end_lease(f, END_EXPIRED));

    assert_int_equal(query(f, "SELECT verdict FROM submission"), VERDICT_SYSTEM_ERROR);
    assert_int_equal(query(f, "SELECT count(*) FROM settlement_event"), 1);
    exec(f, "DELETE FROM settlement_event; INSERT INTO user_problem VALUES (1, 1, 10, 0, 1)");
}

static void a_closed_job_only_loses_its_lease(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    (void)submit(f, 1);
    (void)claim_one(f, &node);
    exec(f, "UPDATE job SET state = 5; UPDATE job_lease SET revoked = 1; UPDATE submission SET "
            "verdict = 11, effective_job_id = 1, effective_rev = 1, judged_ms = 1; INSERT INTO "
            "user_problem VALUES (1, 1, 11, 0, 1)");

    assert_false(end_lease(f, END_EXPIRED));

    assert_int_equal(query(f, "SELECT state FROM job"), JOB_CANCELLED);
    assert_int_equal(query(f, "SELECT count(*) FROM job_ready"), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        APP_TEST(each_end_leads_to_its_place),
        APP_TEST(the_last_attempt_ends_in_a_verdict),
        APP_TEST(a_closed_job_only_loses_its_lease),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
