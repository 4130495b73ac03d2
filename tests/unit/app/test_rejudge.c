/* Judging anew: beside what counts, looked at, applied, undone; and gone on from after a crash
 * between any two statements. After each test the invariants hold for the whole database. */
#include "app/app_fixture.h"
#include "app/rejudge.h"
#include "app/rejudge_step_internal.h"
#include "app_crash.h"
#include "store/db_fault.h"

static struct actor operator_of(struct fixture *f) {
    exec(f, "INSERT INTO `user` VALUES (900, 'op', 'op', 'Op', 3, '', 0, 1, 0, 0)");
    return administrator;
}

static struct submission_id judged(struct fixture *f, const struct test_node *node, int user,
                                   enum verdict verdict) {
    struct submission_id id = submit(f, user);
    struct claimed_job job = claim_one(f, node);
    assert_true(settle(f, node, &job.lease, verdict).item.ok);
    drain(f);
    return id;
}

static struct rejudging_id create(struct fixture *f, const struct selection *selection,
                                  uint32_t options) {
    struct rejudging_create_request request = {
        .selection = selection, .reason = STR("new tests"), .options = options};
    struct rejudging_id id = {0};
    must(f, rejudging_create(f->app, &administrator, &request, &id, &f->err));
    advance(f, 2000);
    check_invariants(f);
    return id;
}

static struct rejudging_view look(struct fixture *f, struct rejudging_id id) {
    struct rejudging_view view = {0};
    must(f, rejudging_get(f->app, &administrator, id, f->arena, &view, &f->err));
    return view;
}

static void change(struct fixture *f, struct rejudging_id id, enum rejudging_event event) {
    must(f, rejudging_change(f->app, &administrator, id, event, &f->err));
    advance(f, 2000);
    check_invariants(f);
}

/* Whatever waits is judged with that verdict. */
static int judge_all(struct fixture *f, const struct test_node *node, enum verdict verdict) {
    int count = 0;
    for (;;) {
        assert_true(beat(f, node).item.ok);
        struct claim_request request = claim(f, node, 1);
        assert_true(request.item.ok);
        if (request.job_count == 0) {
            break;
        }
        assert_true(settle(f, node, &request.jobs[0].lease, verdict).item.ok);
        count++;
    }
    advance(f, 2000);
    return count;
}

static const struct selection everything = {.from_ms = 0};

static void a_new_result_waits_beside_the_one_that_counts(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    (void)operator_of(f);
    struct submission_id id = judged(f, &node, 1, VERDICT_WRONG_ANSWER);

    struct rejudging_id rejudging = create(f, &everything, 0);
    assert_int_equal(look(f, rejudging).row.state, REJUDGING_JUDGING);
    assert_int_equal(view(f, id).state, SUBMISSION_DONE);
    assert_int_equal(judge_all(f, &node, VERDICT_ACCEPTED), 1);

    assert_int_equal(look(f, rejudging).row.state, REJUDGING_READY);
    assert_int_equal(look(f, rejudging).counts.gains, 1);
    assert_int_equal(view(f, id).verdict, VERDICT_WRONG_ANSWER);
    assert_int_equal(query(f, "SELECT best_verdict FROM user_problem"), VERDICT_WRONG_ANSWER);
    change(f, rejudging, REJUDGING_APPLY);
    assert_int_equal(look(f, rejudging).row.state, REJUDGING_APPLIED);
    assert_int_equal(view(f, id).verdict, VERDICT_ACCEPTED);
    assert_int_equal(view(f, id).cases_passed, CASES);
    assert_int_equal(query(f, "SELECT best_verdict FROM user_problem"), VERDICT_ACCEPTED);
    change(f, rejudging, REJUDGING_UNDO);
    assert_int_equal(look(f, rejudging).row.state, REJUDGING_UNDONE);
    assert_int_equal(view(f, id).verdict, VERDICT_WRONG_ANSWER);
    assert_int_equal(view(f, id).cases_passed, 1);
    assert_int_equal(view(f, id).judgement.case_count, 2);
    assert_int_equal(query(f, "SELECT best_verdict FROM user_problem"), VERDICT_WRONG_ANSWER);
    change(f, rejudging, REJUDGING_APPLY); /* and after all */
    assert_int_equal(view(f, id).verdict, VERDICT_ACCEPTED);
    assert_int_equal(query(f, "SELECT effective_rev FROM submission"), 4);
}

static void the_preview_tells_who_gains_and_who_loses(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    (void)operator_of(f);
    struct submission_id was_wrong = judged(f, &node, 1, VERDICT_WRONG_ANSWER);
    struct submission_id was_right = judged(f, &node, 2, VERDICT_ACCEPTED);
    struct item_list_page page = {0};
    struct rejudging_id rejudging = create(f, &everything, 0);
    assert_int_equal(judge_all(f, &node, VERDICT_RUNTIME_ERROR), 2);

    struct rejudging_view view = look(f, rejudging);
    assert_int_equal(view.counts.losses, 1);
    assert_int_equal(view.counts.others, 1);
    assert_int_equal(view.items, 2);
    struct item_query losses = {.rejudging = rejudging, .change = CHANGE_LOSS};
    must(f, rejudging_items(f->app, &administrator, &losses, f->arena, &page, &f->err));
    assert_int_equal(page.count, 1);
    assert_int_equal(page.items[0].item.submission.value, was_right.value);
    assert_int_equal(page.items[0].item.before.verdict, VERDICT_ACCEPTED);
    assert_int_equal(page.items[0].item.after.verdict, VERDICT_RUNTIME_ERROR);
    assert_true(str_eq_c(page.items[0].username, "u2"));
    struct item_query first = {.rejudging = rejudging, .limit = 1};
    must(f, rejudging_items(f->app, &administrator, &first, f->arena, &page, &f->err));
    assert_int_equal(page.next, was_wrong.value);
}

/* Found by the simulator: the judging that waited to be applied became the one that counts. */
static void deleting_makes_no_judging_count_that_was_not_applied(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    (void)operator_of(f);
    struct submission_id id = judged(f, &node, 1, VERDICT_WRONG_ANSWER);
    struct rejudging_id rejudging = create(f, &everything, 0);
    assert_int_equal(judge_all(f, &node, VERDICT_ACCEPTED), 1);

    must(f, job_change_one(f->app, &administrator, ACTION_DELETE, id, STR("gone"), &f->err));

    check_invariants(f);
    change(f, rejudging, REJUDGING_APPLY);
    assert_int_equal(query(f, "SELECT verdict FROM submission"), VERDICT_CANCELLED);
}

static void a_full_queue_takes_no_more_bulk_but_single_ones(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    (void)operator_of(f);
    struct submission_id first = judged(f, &node, 1, VERDICT_WRONG_ANSWER);
    struct submission_id second = judged(f, &node, 2, VERDICT_WRONG_ANSWER);
    struct selection one = {.ids = &first.value, .id_count = 1};
    struct rejudging_create_request request = {.selection = &everything};
    struct rejudging_id id = {0};
    (void)create(f, &one, 0);
    f->app->settings.rejudge_waiting_max = 1;

    assert_false(rejudging_create(f->app, &administrator, &request, &id, &f->err));

    assert_int_equal(f->err.kind, ERR_LIMITED);
    assert_string_equal(f->err.code, "queue_full");
    assert_non_null(strstr(f->err.text, "rejudgings"));
    assert_in_range(f->err.retry_ms, 5000, 300000);
    assert_int_equal(query(f, "SELECT count(*) FROM rejudging"), 1);
    f->err = (struct err){0};
    must(f, submission_rejudge(f->app, &administrator, second, STR("one"), &id, &f->err));
}

static void what_is_being_judged_is_skipped_or_superseded(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 2, NULL);
    (void)operator_of(f);
    struct submission_id id = submit(f, 1);
    struct claimed_job old = claim_one(f, &node);

    struct rejudging_id skip = create(f, &everything, 0);
    assert_int_equal(look(f, skip).counts.by_state[ITEM_SKIPPED], 1);
    assert_int_equal(query(f, "SELECT reason FROM rejudging_item"), REASON_BEING_JUDGED);
    struct rejudging_id take_over = create(f, &everything, REJUDGING_SUPERSEDE);

    assert_int_equal(look(f, take_over).counts.by_state[ITEM_JUDGING], 1);
    assert_int_equal(renew(f, &node, &old.lease).answer, RENEW_STOP);
    assert_string_equal(settle(f, &node, &old.lease, VERDICT_ACCEPTED).item.err.code,
                        "job_superseded");
    assert_int_equal(view(f, id).state, SUBMISSION_PENDING);
    assert_int_equal(judge_all(f, &node, VERDICT_WRONG_ANSWER), 1);
    assert_int_equal(view(f, id).verdict, VERDICT_WRONG_ANSWER); /* at once: nothing counted */
    assert_int_equal(look(f, take_over).counts.by_state[ITEM_DIRECT], 1);
}

static void one_submission_is_in_one_open_rejudging(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    (void)operator_of(f);
    struct submission_id id = judged(f, &node, 1, VERDICT_WRONG_ANSWER);
    struct rejudging_id first = create(f, &everything, 0);
    assert_int_equal(judge_all(f, &node, VERDICT_ACCEPTED), 1);

    struct rejudging_id second = create(f, &everything, 0);
    assert_int_equal(look(f, second).counts.by_state[ITEM_SKIPPED], 1);
    struct rejudging_id third = create(f, &everything, REJUDGING_SUPERSEDE);
    assert_int_equal(look(f, first).counts.by_state[ITEM_CANCELLED], 1);
    assert_int_equal(judge_all(f, &node, VERDICT_RUNTIME_ERROR), 1);
    change(f, first, REJUDGING_APPLY);
    assert_int_equal(view(f, id).verdict, VERDICT_WRONG_ANSWER);
    change(f, third, REJUDGING_APPLY);

    assert_int_equal(view(f, id).verdict, VERDICT_RUNTIME_ERROR);
}

static void what_counts_by_now_is_not_overwritten(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    (void)operator_of(f);
    struct submission_id id = judged(f, &node, 1, VERDICT_WRONG_ANSWER);
    struct rejudging_id first = create(f, &everything, 0);
    assert_int_equal(judge_all(f, &node, VERDICT_ACCEPTED), 1);
    change(f, first, REJUDGING_APPLY);
    struct rejudging_id second = create(f, &everything, 0);
    assert_int_equal(judge_all(f, &node, VERDICT_RUNTIME_ERROR), 1);
    change(f, second, REJUDGING_APPLY);

    change(f, first, REJUDGING_UNDO);

    assert_int_equal(view(f, id).verdict, VERDICT_RUNTIME_ERROR);
    assert_int_equal(query(f, "SELECT reason FROM rejudging_item ORDER BY rejudging_id LIMIT 1"),
                     REASON_CHANGED);
    change(f, second, REJUDGING_UNDO);
    assert_int_equal(view(f, id).verdict, VERDICT_ACCEPTED);
}

static void a_failure_of_ours_takes_no_verdict_away(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    (void)operator_of(f);
    struct submission_id id = judged(f, &node, 1, VERDICT_ACCEPTED);
    struct rejudging_id rejudging = create(f, &everything, 0);
    struct claimed_job job = claim_one(f, &node);
    exec(f, "UPDATE job SET attempts = 3, lease_epoch = 3 WHERE state = 2; UPDATE job_lease SET "
            "lease_epoch = 3");
    job.lease.epoch = 3;
    assert_true(report_failure(f, &node, &job.lease, FAULT_JOB).failed);
    advance(f, 2000);
    assert_int_equal(look(f, rejudging).counts.by_state[ITEM_FAILED], 1);
    assert_int_equal(look(f, rejudging).row.state, REJUDGING_READY);

    must(f, job_change_one(f->app, &administrator, ACTION_REQUEUE, id, (struct str){0}, &f->err));
    assert_int_equal(view(f, id).verdict, VERDICT_ACCEPTED);
    assert_int_equal(judge_all(f, &node, VERDICT_WRONG_ANSWER), 1);
    assert_int_equal(view(f, id).verdict, VERDICT_ACCEPTED);
    change(f, rejudging, REJUDGING_APPLY);

    assert_int_equal(view(f, id).verdict, VERDICT_WRONG_ANSWER);
}

static void a_cancelled_rejudging_leaves_no_jobs(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    (void)operator_of(f);
    struct submission_id kept = judged(f, &node, 1, VERDICT_ACCEPTED);
    struct submission_id only_hope = submit(f, 2);
    struct rejudging_id rejudging = create(f, &everything, REJUDGING_SUPERSEDE);
    assert_int_equal(query(f, "SELECT count(*) FROM job_ready"), 2);

    change(f, rejudging, REJUDGING_CANCEL);

    assert_int_equal(look(f, rejudging).row.state, REJUDGING_CANCELLED);
    assert_int_equal(query(f, "SELECT count(*) FROM job_ready"), 1);
    assert_int_equal(judge_all(f, &node, VERDICT_WRONG_ANSWER), 1);
    assert_int_equal(view(f, kept).verdict, VERDICT_ACCEPTED);
    assert_int_equal(view(f, only_hope).verdict, VERDICT_WRONG_ANSWER);
    assert_false(rejudging_change(f->app, &administrator, rejudging, REJUDGING_APPLY, &f->err));
    assert_string_equal(f->err.code, "rejudging_not_ready");
}

static void one_is_rejudged_and_applied_by_itself(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    (void)operator_of(f);
    struct submission_id id = judged(f, &node, 1, VERDICT_WRONG_ANSWER);
    struct rejudging_id rejudging = {0};

    must(f, submission_rejudge(f->app, &administrator, id, STR("asked"), &rejudging, &f->err));
    advance(f, 2000);
    assert_false(submission_rejudge(f->app, &administrator, id, STR("asked"), &rejudging, &f->err));
    assert_string_equal(f->err.code, "submission_being_judged");
    assert_int_equal(judge_all(f, &node, VERDICT_ACCEPTED), 1);

    assert_int_equal(view(f, id).verdict, VERDICT_ACCEPTED);
    assert_int_equal(look(f, rejudging).row.state, REJUDGING_APPLIED);
    assert_false(submission_rejudge(f->app, &administrator, (struct submission_id){77},
                                    (struct str){0}, &rejudging, &f->err));
    assert_string_equal(f->err.code, "no_submission");
}

static void the_current_manifest_is_used_or_the_old_one(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    (void)operator_of(f);
    (void)judged(f, &node, 1, VERDICT_WRONG_ANSWER);
    char hex[65] = {0};
    char sql[200];
    make_manifest(f, 700000);
    hex_encode(f->manifest_id, 32, hex);
    (void)snprintf(sql, sizeof sql, "UPDATE problem SET manifest_id = x'%s'", hex);
    exec(f, sql);

    (void)create(f, &everything, 0);
    assert_int_equal(query(f, "SELECT count(*) FROM job_body b JOIN problem p ON p.manifest_id = "
                              "b.manifest_id WHERE p.id = 1"),
                     1);
    assert_int_equal(judge_all(f, &node, VERDICT_ACCEPTED), 1);
    (void)create(f, &everything, REJUDGING_OLD_MANIFEST | REJUDGING_SUPERSEDE);

    assert_int_equal(query(f, "SELECT count(*) FROM job_body b JOIN submission s ON "
                              "s.manifest_id = b.manifest_id"),
                     2);
    assert_int_equal(query(f, "SELECT max(priority) FROM job"), PRIORITY_REJUDGE);
}

static void many_are_worked_off_in_steps(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    (void)operator_of(f);
    for (int i = 0; i < 2 * REJUDGE_STEP_MAX + 50; i++) {
        (void)submit(f, 1 + i % 2);
    }
    assert_int_equal(judge_all(f, &node, VERDICT_WRONG_ANSWER), 2 * REJUDGE_STEP_MAX + 50);
    struct rejudging_id rejudging = create(f, &everything, 0);
    (void)submit(f, 1); /* later: not meant */
    assert_int_equal(look(f, rejudging).items, 2 * REJUDGE_STEP_MAX + 50);

    assert_int_equal(judge_all(f, &node, VERDICT_ACCEPTED), 2 * REJUDGE_STEP_MAX + 51);
    change(f, rejudging, REJUDGING_APPLY);
    assert_int_equal(query(f, "SELECT count(*) FROM submission WHERE verdict <> 1"), 0);
    change(f, rejudging, REJUDGING_UNDO);

    assert_int_equal(query(f, "SELECT count(*) FROM submission WHERE verdict <> 2"), 1);
}

static void only_administrators_rejudge(void **state) {
    struct fixture *f = *state;
    struct actor user = user_actor(1);
    struct rejudging_create_request request = {.selection = &everything};
    struct rejudging_id id = {1};
    struct rejudging_view view = {0};

    assert_false(rejudging_create(f->app, &user, &request, &id, &f->err));
    assert_string_equal(f->err.code, "not_allowed");
    assert_false(rejudging_change(f->app, &user, id, REJUDGING_APPLY, &f->err));
    assert_false(rejudging_get(f->app, &user, id, f->arena, &view, &f->err));
    (void)operator_of(f);
    assert_false(
        rejudging_get(f->app, &administrator, (struct rejudging_id){9}, f->arena, &view, &f->err));
    assert_string_equal(f->err.code, "no_rejudging");
    assert_false(rejudging_change(f->app, &administrator, (struct rejudging_id){9}, REJUDGING_UNDO,
                                  &f->err));
    assert_string_equal(f->err.code, "no_rejudging");
}

/* ---- a crash between any two statements ---- */

struct plan {
    int fail_at;
    int seen;
};

static bool fail_once(void *context, enum db_point point, const char *sql, struct err *err) {
    struct plan *plan = context;
    bool unknown = point == DB_POINT_COMMIT || point == DB_POINT_COMMITTED;
    (void)sql;
    return ++plan->seen != plan->fail_at ||
           err_set(err, ERR_SYSTEM, unknown ? "commit_unknown" : "database_failed", "planted");
}

/* Fails the step at its first statement, then at its second, ..., until it passes untouched. */
static void step_through(struct fixture *f, struct rejudging_id id, enum rejudging_state until) {
    for (int at = 1; look(f, id).row.state != until; at++) {
        struct plan plan = {.fail_at = at};
        assert_true(at < 500);
        db_set_fault(f->app->db, fail_once, &plan);
        (void)rejudge_step(f->app, id);
        db_set_fault(f->app->db, NULL, NULL);
        check_invariants(f);
    }
    drain(f);
    check_invariants(f);
}

static void a_failure_at_any_statement_is_gone_on_from(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    (void)operator_of(f);
    for (int i = 0; i < 3; i++) {
        (void)judged(f, &node, 1 + i % 2, VERDICT_WRONG_ANSWER);
    }
    struct rejudging_create_request request = {.selection = &everything};
    struct rejudging_id id = {0};
    must(f, rejudging_create(f->app, &administrator, &request, &id, &f->err));
    step_through(f, id, REJUDGING_JUDGING);
    assert_int_equal(query(f, "SELECT count(*) FROM job"), 6);
    assert_int_equal(judge_all(f, &node, VERDICT_ACCEPTED), 3);

    must(f, rejudging_change(f->app, &administrator, id, REJUDGING_APPLY, &f->err));
    step_through(f, id, REJUDGING_APPLIED);
    assert_int_equal(query(f, "SELECT count(*) FROM submission WHERE verdict = 1"), 3);
    assert_int_equal(query(f, "SELECT max(effective_rev) FROM submission"), 2);
    must(f, rejudging_change(f->app, &administrator, id, REJUDGING_UNDO, &f->err));
    step_through(f, id, REJUDGING_UNDONE);

    assert_int_equal(query(f, "SELECT count(*) FROM submission WHERE verdict = 2"), 3);
    assert_int_equal(query(f, "SELECT max(effective_rev) FROM submission"), 3);
}

/* Another server goes on from what is in the files at that moment. */
static void another_server_goes_on_after_a_kill(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    (void)operator_of(f);
    for (int i = 0; i < REJUDGE_STEP_MAX + 5; i++) {
        (void)submit(f, 1);
    }
    assert_int_equal(judge_all(f, &node, VERDICT_WRONG_ANSWER), REJUDGE_STEP_MAX + 5);
    struct rejudging_create_request request = {.selection = &everything};
    struct rejudging_id id = {0};
    must(f, rejudging_create(f->app, &administrator, &request, &id, &f->err));
    assert_true(rejudge_step(f->app, id)); /* the first 200 */

    struct fixture *after = crash(f);
    advance(after, 2000);

    assert_int_equal(look(after, id).items, REJUDGE_STEP_MAX + 5);
    assert_int_equal(look(after, id).row.state, REJUDGING_JUDGING);
    check_invariants(after);
    app_close(after->app);
    free(after);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        APP_TEST(a_new_result_waits_beside_the_one_that_counts),
        APP_TEST(the_preview_tells_who_gains_and_who_loses),
        APP_TEST(deleting_makes_no_judging_count_that_was_not_applied),
        APP_TEST(a_full_queue_takes_no_more_bulk_but_single_ones),
        APP_TEST(what_is_being_judged_is_skipped_or_superseded),
        APP_TEST(one_submission_is_in_one_open_rejudging),
        APP_TEST(what_counts_by_now_is_not_overwritten),
        APP_TEST(a_failure_of_ours_takes_no_verdict_away),
        APP_TEST(a_cancelled_rejudging_leaves_no_jobs),
        APP_TEST(one_is_rejudged_and_applied_by_itself),
        APP_TEST(the_current_manifest_is_used_or_the_old_one),
        APP_TEST(many_are_worked_off_in_steps),
        APP_TEST(only_administrators_rejudge),
        APP_TEST(a_failure_at_any_statement_is_gone_on_from),
        APP_TEST_ON_DISK(another_server_goes_on_after_a_kill),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
