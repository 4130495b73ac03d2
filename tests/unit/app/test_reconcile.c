/* Whether all is in one piece, what is found when it is not, and what a repair mends. */
#include "app/app_fixture.h"
#include "app/job.h"
#include "app/reconcile.h"

static struct reconcile_report look(struct fixture *f, bool settled, bool repair) {
    struct reconcile_request request = {.settled = settled, .repair = repair};
    struct reconcile_report report = {0};
    must(f, reconcile(f->app, &the_system, &request, f->arena, &report, &f->err));
    drain(f);
    return report;
}

static const struct reconcile_finding *found(const struct reconcile_report *report,
                                             const char *rule) {
    for (int i = 0; i < report->finding_count; i++) {
        if (str_eq_c(report->findings[i].rule, rule)) {
            return &report->findings[i];
        }
    }
    return NULL;
}

static int64_t count_of(const struct reconcile_report *report, const char *rule) {
    const struct reconcile_finding *finding = found(report, rule);
    return finding != NULL ? finding->count : 0;
}

static void a_sound_database_is_clean_and_counted(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    struct submission_id id = submit(f, 1);
    (void)submit(f, 1);
    struct claimed_job job = claim_one(f, &node);
    assert_true(settle(f, &node, &job.lease, VERDICT_ACCEPTED).item.ok);
    drain(f);
    must(f, job_change_one(f->app, &the_system, ACTION_HOLD, (struct submission_id){id.value + 1},
                           STR("later"), &f->err));

    struct reconcile_report report = look(f, false, false);

    assert_int_equal(report.finding_count, 0);
    assert_int_equal(report.submissions, 2);
    assert_int_equal(report.judged, 1);
    assert_int_equal(report.waiting, 1);
    assert_int_equal(report.held, 1);
    struct reconcile_report strict = look(f, true, false);
    assert_int_equal(strict.finding_count, 1);
    assert_int_equal(count_of(&strict, "X5"), 1);
}

static void what_is_lost_is_found_and_put_back(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    (void)submit(f, 1);
    exec(f, "DELETE FROM job_ready");

    struct reconcile_report report = look(f, false, false);
    assert_int_equal(report.finding_count, 1);
    const struct reconcile_finding *lost = found(&report, "I01");
    if (lost == NULL) {
        fail_msg("not found");
        return;
    }
    assert_int_equal(lost->count, 1);
    assert_int_equal(lost->ids[0], 1);
    assert_true(lost->repairable && str_eq_c(lost->object, "job"));
    struct reconcile_report after = look(f, false, true);

    assert_int_equal(after.finding_count, 0);
    assert_int_equal(after.repaired, 1);
    assert_int_equal(claim(f, &node, 1).job_count, 1);
    assert_int_equal(query(f, "SELECT count(*) FROM audit_log WHERE action = 'reconcile.repair'"),
                     1);
}

static void a_job_that_runs_nowhere_waits_again(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    (void)submit(f, 1);
    (void)claim_one(f, &node);
    exec(f, "DELETE FROM job_lease");

    assert_int_equal(look(f, false, true).finding_count, 0);

    assert_int_equal(claim_one(f, &node).lease.epoch, 2);
}

static void leftovers_of_closed_jobs_go(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    struct submission_id id = submit(f, 1);
    (void)claim_one(f, &node);
    must(f, job_change_one(f->app, &the_system, ACTION_CANCEL, id, (struct str){0}, &f->err));
    drain(f);
    exec(f, "INSERT INTO job_ready SELECT queue_id, priority, order_key, id FROM job; UPDATE "
            "job_lease SET revoked = 0");
    struct reconcile_report report = look(f, false, false);
    assert_non_null(found(&report, "I03"));
    assert_non_null(found(&report, "I04"));

    assert_int_equal(look(f, false, true).finding_count, 0);

    assert_int_equal(query(f, "SELECT count(*) FROM job_ready"), 0);
    assert_int_equal(query(f, "SELECT revoked FROM job_lease"), 1);
}

static void what_is_derived_is_derived_again(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    (void)submit(f, 1);
    struct claimed_job job = claim_one(f, &node);
    assert_true(settle(f, &node, &job.lease, VERDICT_ACCEPTED).item.ok);
    drain(f);
    exec(f, "UPDATE user_problem SET best_score_micro = 1");
    struct reconcile_report report = look(f, false, false);
    assert_non_null(found(&report, "I22"));
    assert_int_equal(look(f, false, true).finding_count, 0);
    exec(f, "DELETE FROM user_problem");
    report = look(f, false, false);
    assert_non_null(found(&report, "I23"));

    assert_int_equal(look(f, false, true).finding_count, 0);
}

static void what_waits_for_too_long_is_found(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    (void)submit(f, 1);
    (void)claim_one(f, &node);
    exec(f, "INSERT INTO settlement_event VALUES (1, 1, 0, 1, 5, 0); UPDATE job_lease SET "
            "lease_until_ms = 5");

    struct reconcile_report report = look(f, true, false);

    assert_int_equal(count_of(&report, "X1"), 1);
    assert_int_equal(count_of(&report, "X2"), 1);
    assert_int_equal(count_of(&report, "X6"), 1);
}

static void files_that_are_missing_or_unknown_are_found(void **state) {
    struct fixture *f = *state;
    exec(f, "INSERT INTO blob_file VALUES (" ZEROS ", 1, 1)"); /* and no such file */
    struct reconcile_report report = look(f, false, false);
    assert_int_equal(count_of(&report, "X3"), 1);
    assert_null(found(&report, "X4")); /* the fixture's files are young */

    clock_manual_advance(&f->clock, INT64_C(20) * 365 * 24 * 3600 * 1000);
    report = look(f, false, false);

    assert_true(count_of(&report, "X4") > 0);
}

static void only_administrators_may_look(void **state) {
    struct fixture *f = *state;
    struct actor user = user_actor(1);
    struct reconcile_request request = {0};
    struct reconcile_report report = {0};

    assert_false(reconcile(f->app, &user, &request, f->arena, &report, &f->err));
    assert_string_equal(f->err.code, "not_allowed");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        APP_TEST(a_sound_database_is_clean_and_counted),
        APP_TEST(what_is_lost_is_found_and_put_back),
        APP_TEST(a_job_that_runs_nowhere_waits_again),
        APP_TEST(leftovers_of_closed_jobs_go),
        APP_TEST(what_is_derived_is_derived_again),
        APP_TEST(what_waits_for_too_long_is_found),
        APP_TEST(files_that_are_missing_or_unknown_are_found),
        APP_TEST(only_administrators_may_look),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
