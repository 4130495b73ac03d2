/* A problem whose own checker or data is broken: after three submissions its jobs are held, and let
 * go with the version that mends it. */
#include "app/app_fixture.h"
#include "app/job.h"
#include "app/manifest_hold_internal.h"
#include "app/problem.h"

/* The job that a node gets next ends by a fault of the problem, twice. */
static bool break_next(struct fixture *f, const struct test_node *node) {
    bool failed = false;
    for (int i = 0; i < 2 && !failed; i++) {
        assert_true(beat(f, node).item.ok);
        struct claimed_job job = claim_one(f, node);
        failed = report_failure(f, node, &job.lease, FAULT_PROBLEM).failed;
        drain(f);
        clock_manual_advance(&f->clock, 6000); /* the back-off */
        drain(f);
    }
    check_invariants(f);
    return failed;
}

static void break_manifest(struct fixture *f, const struct test_node *node) {
    for (int i = 0; i < MANIFEST_FAULTS_MAX; i++) {
        struct submission_id id = submit(f, 1 + i % 2);
        assert_true(break_next(f, node));
        assert_int_equal(view(f, id).verdict, VERDICT_SYSTEM_ERROR);
    }
}

static void mend(struct fixture *f) {
    char hex[65] = {0};
    char sql[200];
    make_manifest(f, 700000);
    hex_encode(f->manifest_id, 32, hex);
    (void)snprintf(sql, sizeof sql, "UPDATE problem SET manifest_id = x'%s' WHERE id = 1", hex);
    exec(f, sql);
    must(f, db_begin(f->app->db, &f->err));
    must(f, manifest_hold_mended(f->app->db, (struct problem_id){1}, f->arena, &f->err));
    must(f, db_commit(f->app->db, &f->err));
    advance(f, 2000);
    check_invariants(f);
}

static void after_three_submissions_the_others_wait(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    break_manifest(f, &node);
    struct submission_id waits = submit(f, 1);
    assert_int_equal(query(f, "SELECT count(*) FROM manifest_hold"), 1);

    advance(f, 2000);

    assert_true(beat(f, &node).item.ok);
    assert_int_equal(claim(f, &node, 1).job_count, 0);
    assert_string_equal(view(f, waits).reason.code, "problem");
    check_invariants(f);
}

static struct problem_view problem_seen_by(struct fixture *f, const struct actor *actor) {
    struct problem_view problem = {0};
    must(f, problem_get(f->app, actor, (struct problem_id){1}, f->arena, &problem, &f->err));
    return problem;
}

/* Who can mend it sees what failed, everybody else that it is known. */
static void the_page_of_the_problem_says_so_until_it_is_mended(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    struct actor user = user_actor(1);
    assert_int_equal(problem_seen_by(f, &administrator).held_ms, 0);
    break_manifest(f, &node);

    struct problem_view mender = problem_seen_by(f, &administrator);
    struct problem_view reader = problem_seen_by(f, &user);

    assert_true(mender.held_ms >= START_MS);
    assert_true(str_eq_c(mender.held_code, "sandbox_failed"));
    assert_true(str_eq_c(mender.held_detail, "no cgroup"));
    assert_true(reader.held_ms == mender.held_ms);
    assert_int_equal(reader.held_code.len + reader.held_detail.len, 0);
    mend(f);
    assert_int_equal(problem_seen_by(f, &user).held_ms, 0);
}

static void what_a_node_has_already_is_held_when_it_fails(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 2, NULL);
    struct submission_id early = submit(f, 1);
    struct claimed_job running = claim_one(f, &node);
    break_manifest(f, &node);
    assert_true(renew(f, &node, &running.lease).answer == RENEW_GO);
    exec(f, "UPDATE job SET attempts = 2, lease_epoch = 2 WHERE state = 2; UPDATE job_lease SET "
            "lease_epoch = 2");
    running.lease.epoch = 2;

    struct failure_request end = report_failure(f, &node, &running.lease, FAULT_PROBLEM);

    assert_true(end.item.ok);
    assert_false(end.failed);
    assert_string_equal(view(f, early).reason.code, "problem");
    check_invariants(f);
}

static void a_mended_version_judges_what_waited(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    break_manifest(f, &node);
    struct submission_id waits = submit(f, 1);
    advance(f, 2000);
    assert_string_equal(view(f, waits).reason.code, "problem");

    mend(f);

    assert_int_equal(query(f, "SELECT count(*) FROM manifest_hold"), 0);
    assert_int_equal(query(f, "SELECT count(*) FROM manifest_fault"), 0);
    assert_true(beat(f, &node).item.ok);
    struct claimed_job job = claim_one(f, &node);
    char hex[65] = {0};
    hex_encode(f->manifest_id, 32, hex);
    assert_string_equal(job.manifest_id, hex);
    assert_true(settle(f, &node, &job.lease, VERDICT_ACCEPTED).item.ok);
    assert_int_equal(view(f, waits).verdict, VERDICT_ACCEPTED);
}

static void one_submission_that_fails_often_holds_nothing(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    struct submission_id id = submit(f, 1);
    for (int i = 0; i < 4; i++) {
        assert_true(break_next(f, &node));
        must(f, job_change_one(f->app, &the_system, ACTION_REQUEUE, id, (struct str){0}, &f->err));
    }

    assert_int_equal(query(f, "SELECT count(*) FROM manifest_hold"), 0);
    assert_int_equal(query(f, "SELECT count(*) FROM manifest_fault"), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        APP_TEST(after_three_submissions_the_others_wait),
        APP_TEST(the_page_of_the_problem_says_so_until_it_is_mended),
        APP_TEST(what_a_node_has_already_is_held_when_it_fails),
        APP_TEST(a_mended_version_judges_what_waited),
        APP_TEST(one_submission_that_fails_often_holds_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
