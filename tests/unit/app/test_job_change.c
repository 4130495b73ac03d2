/* What operators and users do to jobs. After each test the invariants hold for the whole database.
 */
#include "app/app_fixture.h"
#include "app/job.h"
#include "store/db_fault.h"

/* An administrator whom the database knows. */
static struct actor operator_of(struct fixture *f) {
    exec(f, "INSERT INTO `user` VALUES (900, 'op', 'op', 'Op', 3, '', 0, 1, 0, 0)");
    return administrator;
}

static void change(struct fixture *f, const struct actor *actor, enum job_action action,
                   struct submission_id id) {
    must(f, job_change_one(f->app, actor, action, id, STR("because"), &f->err));
    drain(f);
    check_invariants(f);
}

static void refused(struct fixture *f, const struct actor *actor, enum job_action action,
                    struct submission_id id, const char *code) {
    f->err = (struct err){0};
    assert_false(job_change_one(f->app, actor, action, id, (struct str){0}, &f->err));
    assert_string_equal(f->err.code, code);
    drain(f);
}

static void fail_job(struct fixture *f, const struct test_node *node) {
    struct claimed_job job = claim_one(f, node);
    exec(f, "UPDATE job SET attempts = 3, lease_epoch = 3 WHERE state = 2; UPDATE job_lease SET "
            "lease_epoch = 3");
    job.lease.epoch = 3;
    assert_true(report_failure(f, node, &job.lease, FAULT_JOB).failed);
    drain(f);
}

/* ---- cancel ---- */

static void its_owner_withdraws_what_waits(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    struct submission_id id = submit(f, 1);
    struct actor owner = user_actor(1);

    change(f, &owner, ACTION_CANCEL, id);

    assert_int_equal(view(f, id).verdict, VERDICT_CANCELLED);
    assert_int_equal(view(f, id).state, SUBMISSION_DONE);
    assert_int_equal(query(f, "SELECT count(*) FROM job_ready"), 0);
    assert_int_equal(claim(f, &node, 1).job_count, 0);
    assert_int_equal(query(f, "SELECT count(*) FROM user_problem"), 0);
    assert_int_equal(query(f, "SELECT count(*) FROM audit_log WHERE action = 'job.cancel' AND "
                              "actor_id = 1 AND detail LIKE 'because%'"),
                     1);
    refused(f, &owner, ACTION_CANCEL, id, "job_closed");
}

static void another_user_finds_nothing_to_withdraw(void **state) {
    struct fixture *f = *state;
    struct submission_id id = submit(f, 1);
    struct actor other = user_actor(2);
    struct actor nobody = {0};

    refused(f, &other, ACTION_CANCEL, id, "no_submission");
    refused(f, &other, ACTION_CANCEL, (struct submission_id){777}, "no_submission");
    refused(f, &nobody, ACTION_CANCEL, id, "no_session");

    assert_int_equal(query(f, "SELECT count(*) FROM job_ready"), 1);
}

static void what_operators_may_do_users_may_not(void **state) {
    struct fixture *f = *state;
    struct submission_id id = submit(f, 1);
    struct actor owner = user_actor(1);
    struct actor stale = {.kind = ACTOR_USER, .role = ROLE_ADMIN, .user = {1}}; /* was one once */
    static const enum job_action staff[] = {ACTION_DELETE, ACTION_REQUEUE, ACTION_HOLD,
                                            ACTION_RELEASE};
    for (size_t i = 0; i < sizeof staff / sizeof staff[0]; i++) {
        refused(f, &owner, staff[i], id, "not_allowed");
        refused(f, &stale, staff[i], id, "not_allowed");
    }
}

static void a_cancelled_lease_keeps_its_slot_until_the_node_has_stopped(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    struct submission_id first = submit(f, 1);
    struct actor owner = user_actor(1);
    struct claimed_job job = claim_one(f, &node);
    (void)submit(f, 2);

    change(f, &owner, ACTION_CANCEL, first);

    assert_int_equal(view(f, first).verdict, VERDICT_CANCELLED);
    assert_int_equal(claim(f, &node, 1).job_count, 0); /* the slot is in use */
    assert_int_equal(renew(f, &node, &job.lease).answer, RENEW_STOP);
    assert_int_equal(release(f, &node, &job.lease), 1);
    check_invariants(f);
    assert_int_equal(claim(f, &node, 1).job_count, 1);
}

static void a_late_result_of_a_cancelled_job_counts_for_nothing(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    struct submission_id id = submit(f, 1);
    struct actor owner = user_actor(1);
    struct claimed_job job = claim_one(f, &node);
    change(f, &owner, ACTION_CANCEL, id);

    struct settle_request late = settle(f, &node, &job.lease, VERDICT_ACCEPTED);

    assert_false(late.item.ok);
    assert_string_equal(late.item.err.code, "job_superseded");
    assert_int_equal(view(f, id).verdict, VERDICT_CANCELLED);
    assert_int_equal(query(f, "SELECT count(*) FROM job_lease"), 0); /* it has stopped */
}

static void a_late_failure_frees_the_slot_too(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    struct submission_id id = submit(f, 1);
    struct actor owner = user_actor(1);
    struct claimed_job job = claim_one(f, &node);
    change(f, &owner, ACTION_CANCEL, id);

    assert_false(report_failure(f, &node, &job.lease, FAULT_NODE).item.ok);

    assert_int_equal(query(f, "SELECT count(*) FROM job_lease"), 0);
    assert_int_equal(query(f, "SELECT state FROM job"), JOB_CANCELLED);
}

static void the_lease_of_a_cancelled_job_runs_out(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    struct submission_id id = submit(f, 1);
    struct actor owner = user_actor(1);
    (void)claim_one(f, &node);
    change(f, &owner, ACTION_CANCEL, id);

    advance(f, f->settings.lease_ms + f->settings.reap_ms);

    assert_int_equal(query(f, "SELECT count(*) FROM job_lease"), 0);
    assert_int_equal(query(f, "SELECT state FROM job"), JOB_CANCELLED);
}

static void what_was_judged_is_not_withdrawn_by_its_owner(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    struct submission_id id = submit(f, 1);
    struct actor owner = user_actor(1);
    struct claimed_job job = claim_one(f, &node);
    assert_true(settle(f, &node, &job.lease, VERDICT_ACCEPTED).item.ok);

    refused(f, &owner, ACTION_CANCEL, id, "job_closed");

    assert_int_equal(view(f, id).verdict, VERDICT_ACCEPTED);
}

static void a_deleted_submission_is_gone_for_everybody(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    struct actor op = operator_of(f);
    struct submission_id judged = submit(f, 1);
    struct claimed_job job = claim_one(f, &node);
    assert_true(settle(f, &node, &job.lease, VERDICT_ACCEPTED).item.ok);
    drain(f);
    assert_int_equal(query(f, "SELECT count(*) FROM user_problem"), 1);
    struct submission_id waiting = submit(f, 1);
    struct submission_view shown = {0};
    struct submission_filter all = {.all_users = true};
    struct submission_page page = {0};

    change(f, &op, ACTION_DELETE, judged);
    change(f, &op, ACTION_DELETE, waiting);

    assert_false(submission_get(f->app, &op, judged, f->arena, &shown, &f->err));
    assert_string_equal(f->err.code, "no_submission");
    must(f, submission_list(f->app, &op, &all, f->arena, &page, &f->err));
    assert_int_equal(page.count, 0);
    assert_int_equal(query(f, "SELECT count(*) FROM user_problem"), 0);
    assert_int_equal(query(f, "SELECT count(*) FROM job_ready"), 0);
    refused(f, &op, ACTION_DELETE, judged, "no_submission");
}

/* ---- requeue ---- */

static void a_failed_job_is_judged_again_as_a_new_generation(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    struct actor op = operator_of(f);
    struct submission_id id = submit(f, 1);
    fail_job(f, &node);
    assert_int_equal(view(f, id).verdict, VERDICT_SYSTEM_ERROR);

    change(f, &op, ACTION_REQUEUE, id);

    assert_int_equal(view(f, id).state, SUBMISSION_PENDING);
    assert_int_equal(view(f, id).verdict, VERDICT_NONE);
    assert_int_equal(view(f, id).generation, 2);
    struct claimed_job job = claim_one(f, &node);
    assert_int_equal(job.generation, 2);
    assert_int_equal(query(f, "SELECT count(DISTINCT manifest_id) FROM job_body"), 1);
    assert_true(settle(f, &node, &job.lease, VERDICT_ACCEPTED).item.ok);
    drain(f);
    assert_int_equal(view(f, id).verdict, VERDICT_ACCEPTED);
    assert_int_equal(query(f, "SELECT best_verdict FROM user_problem"), VERDICT_ACCEPTED);
    assert_int_equal(query(f, "SELECT effective_rev FROM submission"), 2);
    refused(f, &op, ACTION_REQUEUE, id, "job_not_failed");
}

static void without_its_snapshot_it_is_not_put_back(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    struct actor op = operator_of(f);
    struct submission_id id = submit(f, 1);
    fail_job(f, &node);
    exec(f, "CREATE TABLE kept AS SELECT * FROM job_body; DELETE FROM job_body");

    refused(f, &op, ACTION_REQUEUE, id, "job_no_snapshot");

    assert_int_equal(query(f, "SELECT count(*) FROM job"), 1);
    exec(f, "INSERT INTO job_body SELECT * FROM kept");
}

/* ---- hold ---- */

static void a_held_job_says_why_and_waits_until_it_is_released(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    struct actor op = operator_of(f);
    struct submission_id id = submit(f, 1);

    change(f, &op, ACTION_HOLD, id);

    assert_string_equal(view(f, id).reason.code, "held");
    assert_true(str_eq_c(view(f, id).reason.text, "held back by an operator: because"));
    assert_true(str_eq_c(view(f, id).reason.detail, "because"));
    advance(f, 3600000);
    assert_true(beat(f, &node).item.ok);
    assert_int_equal(claim(f, &node, 1).job_count, 0);
    refused(f, &op, ACTION_HOLD, id, "job_held");
    change(f, &op, ACTION_RELEASE, id);
    refused(f, &op, ACTION_RELEASE, id, "job_not_held");
    assert_int_equal(claim(f, &node, 1).job_count, 1);
    refused(f, &op, ACTION_HOLD, id, "job_running");
    assert_int_equal(query(f, "SELECT count(*) FROM job_hold"), 0);
}

static void a_job_that_backs_off_can_be_held_and_a_held_one_cancelled(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    struct actor op = operator_of(f);
    struct submission_id id = submit(f, 1);
    struct claimed_job job = claim_one(f, &node);
    assert_false(report_failure(f, &node, &job.lease, FAULT_JOB).failed);
    assert_string_equal(view(f, id).reason.code, "backoff");

    change(f, &op, ACTION_HOLD, id);
    assert_string_equal(view(f, id).reason.code, "held");
    change(f, &op, ACTION_CANCEL, id);

    assert_int_equal(view(f, id).verdict, VERDICT_CANCELLED);
    assert_int_equal(query(f, "SELECT count(*) FROM job_delayed"), 0);
    assert_int_equal(query(f, "SELECT count(*) FROM job_hold"), 0);
}

/* ---- selections ---- */

static struct job_selection_result change_all(struct fixture *f, const struct actor *actor,
                                              enum job_action action,
                                              const struct selection *selection) {
    struct job_selection_change wanted = {.action = action, .selection = selection};
    struct job_selection_result result = {0};
    must(f, job_change_selection(f->app, actor, &wanted, f->arena, &result, &f->err));
    drain(f);
    check_invariants(f);
    return result;
}

static void a_selection_is_changed_and_what_is_left_out_is_listed(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    struct actor op = operator_of(f);
    struct submission_id running = submit(f, 1);
    (void)claim_one(f, &node);
    for (int i = 0; i < 250; i++) { /* more than one transaction */
        (void)submit(f, 1 + i % 2);
    }
    struct selection mine = {.user = {1}};

    struct job_selection_result held = change_all(f, &op, ACTION_HOLD, &mine);

    assert_int_equal(held.changed, 125);
    assert_int_equal(held.skipped, 1);
    assert_int_equal(held.named[0].submission.value, running.value);
    assert_string_equal(held.named[0].code, "job_running");
    assert_int_equal(held.next, 0);
    assert_int_equal(query(f, "SELECT count(*) FROM job_ready"), 125);
    struct selection only_held = {.held = true};
    assert_int_equal(change_all(f, &op, ACTION_RELEASE, &only_held).changed, 125);
    assert_int_equal(query(f, "SELECT count(*) FROM job_ready"), 250);
    struct job_selection_change wanted = {.action = ACTION_HOLD, .selection = &mine};
    struct job_selection_result result = {0};
    struct actor owner = user_actor(1);
    assert_false(job_change_selection(f->app, &owner, &wanted, f->arena, &result, &f->err));
}

/* ---- move ---- */

static struct test_node node_of_spec(struct fixture *f, const char *name, const char *spec) {
    struct node_register_request request = {.name = str_from(name),
                                            .pool = STR("cpp"),
                                            .runtime_spec = str_from(spec),
                                            .slots = 4,
                                            .enable = true};
    struct node_registered registered = {0};
    must(f, judger_register(f->app, &the_system, &request, f->arena, &registered, &f->err));
    struct test_node node = join_node(f, registered.join_code);
    struct session_request session = open_session(f, &node.actor, true);
    must(f, session.item.ok);
    node.epoch = session.session_epoch;
    return node;
}

static struct job_selection_result move_to(struct fixture *f, const struct actor *actor,
                                           struct submission_id id, const char *spec) {
    int64_t ids[] = {id.value};
    struct selection one = {.ids = ids, .id_count = 1};
    struct job_selection_change wanted = {.action = ACTION_MOVE,
                                          .selection = &one,
                                          .runtime_spec = str_from(spec),
                                          .reason = STR("r1 is broken")};
    struct job_selection_result result = {0};
    must(f, job_change_selection(f->app, actor, &wanted, f->arena, &result, &f->err));
    drain(f);
    check_invariants(f);
    return result;
}

static void a_waiting_job_is_judged_by_another_spec(void **state) {
    struct fixture *f = *state;
    struct actor op = operator_of(f);
    struct test_node old = make_node(f, "n1", 4, NULL);
    struct test_node fresh = node_of_spec(f, "n9", "cpp-r9");
    struct submission_id first = submit(f, 1);
    struct submission_id second = submit(f, 1);

    assert_int_equal(move_to(f, &op, second, "cpp-r9").changed, 1);

    assert_int_equal(claim_one(f, &old).submission.value, first.value);
    assert_int_equal(claim(f, &old, 3).job_count, 0);
    struct claimed_job job = claim_one(f, &fresh);
    assert_int_equal(job.submission.value, second.value);
    assert_int_equal(job.generation, 2);
    assert_true(settle(f, &fresh, &job.lease, VERDICT_ACCEPTED).item.ok);
    drain(f);
    check_invariants(f);
    assert_int_equal(view(f, second).verdict, VERDICT_ACCEPTED);
    assert_int_equal(query(f, "SELECT count(DISTINCT manifest_id) FROM job_body"), 1);
    assert_int_equal(query(f, "SELECT count(*) FROM audit_log WHERE action = 'job.move' AND "
                              "detail LIKE 'r1 is broken; to cpp-r9; submissions:%'"),
                     1);
}

/* What stands in the way, each with its word, and nothing changes. */
static void only_what_waits_elsewhere_is_moved(void **state) {
    struct fixture *f = *state;
    struct actor op = operator_of(f);
    struct test_node node = make_node(f, "n1", 1, NULL);
    (void)node_of_spec(f, "n9", "cpp-r9");
    struct submission_id judged = submit(f, 1);
    struct claimed_job job = claim_one(f, &node);
    assert_true(settle(f, &node, &job.lease, VERDICT_ACCEPTED).item.ok);
    struct submission_id running = submit(f, 1);
    (void)claim_one(f, &node);
    struct submission_id held = submit(f, 1);
    struct submission_id waiting = submit(f, 1);
    change(f, &op, ACTION_HOLD, held);
    const struct {
        struct submission_id id;
        const char *spec, *code;
    } rows[] = {
        {judged, "cpp-r9", "job_closed"},  {running, "cpp-r9", "job_running"},
        {held, "cpp-r9", "job_held"},      {waiting, "cpp-r8", "no_queue"},
        {waiting, "default", "job_there"},
    };
    int64_t jobs = query(f, "SELECT count(*) FROM job");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct job_selection_result result = move_to(f, &op, rows[i].id, rows[i].spec);

        assert_int_equal(result.changed, 0);
        assert_int_equal(result.named_count, 1);
        assert_string_equal(result.named[0].code, rows[i].code);
    }
    assert_int_equal(query(f, "SELECT count(*) FROM job"), jobs);
    assert_int_equal(query(f, "SELECT count(*) FROM audit_log WHERE action = 'job.move'"), 0);
}

static void each_part_of_a_selection_counts(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    struct actor op = operator_of(f);
    struct submission_id first = submit(f, 1);
    struct claimed_job job = claim_one(f, &node);
    assert_true(settle(f, &node, &job.lease, VERDICT_ACCEPTED).item.ok);
    (void)submit(f, 1);
    fail_job(f, &node);
    clock_manual_advance(&f->clock, 1000);
    (void)submit(f, 2);
    int64_t ids[] = {first.value, 123456};
    const struct {
        struct selection selection;
        int64_t count;
    } rows[] = {
        {{.from_ms = 0}, 3},
        {{.problem = {1}}, 3},
        {{.problem = {2}}, 0},
        {{.user = {1}}, 2},
        {{.user = {1}, .problem = {2}}, 0},
        {{.language = {"cpp", 3}}, 3},
        {{.language = {"c", 1}}, 0},
        {{.verdict = VERDICT_ACCEPTED}, 1},
        {{.fault = FAULT_JOB}, 1},
        {{.fault = FAULT_PROBLEM}, 0},
        {{.job_state = JOB_QUEUED}, 1},
        {{.job_state = JOB_FAILED}, 1},
        {{.held = true}, 0},
        {{.origin = ORIGIN_PRACTICE}, 3},
        {{.origin_id = 5}, 0},
        {{.from_ms = START_MS + 1000}, 1},
        {{.to_ms = START_MS + 1000}, 2},
        {{.ids = ids, .id_count = 2}, 1},
        {{.ids = ids, .id_count = 2, .user = {2}}, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int64_t count = -1;
        struct job_filter filter = {.selection = rows[i].selection};
        struct job_page page = {0};
        must(f, job_count(f->app, &op, &rows[i].selection, 100, &count, &f->err));
        must(f, job_list(f->app, &op, &filter, f->arena, &page, &f->err));
        if (count != rows[i].count || page.count != rows[i].count) {
            fail_msg("row %zu: %lld and %d", i, (long long)count, page.count);
        }
    }
}

/* ---- a crash between any two statements ---- */

struct plan {
    int fail_at;
    int seen;
};

static bool fail_once(void *context, enum db_point point, const char *sql, struct err *err) {
    struct plan *plan = context;
    (void)sql;
    bool unknown = point == DB_POINT_COMMIT || point == DB_POINT_COMMITTED;
    return ++plan->seen != plan->fail_at ||
           err_set(err, ERR_SYSTEM, unknown ? "commit_unknown" : "database_failed", "planted");
}

static void a_failure_anywhere_changes_all_or_nothing(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 2, NULL);
    struct actor op = operator_of(f);
    static const enum job_action actions[] = {ACTION_HOLD, ACTION_RELEASE, ACTION_CANCEL};
    (void)submit(f, 1);
    (void)claim_one(f, &node);
    for (size_t a = 0; a < sizeof actions / sizeof actions[0]; a++) {
        struct submission_id id = a == 2 ? (struct submission_id){1} : submit(f, 2);
        if (actions[a] == ACTION_RELEASE) {
            change(f, &op, ACTION_HOLD, id);
        }
        bool done = false;
        for (int at = 1; at < 100 && !done; at++) {
            struct plan plan = {.fail_at = at};
            struct err err = {0};
            db_set_fault(f->app->db, fail_once, &plan);
            done = job_change_one(f->app, &op, actions[a], id, (struct str){0}, &err);
            db_set_fault(f->app->db, NULL, NULL);
            drain(f);
            check_invariants(f);
        }
        assert_true(done);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        APP_TEST(its_owner_withdraws_what_waits),
        APP_TEST(another_user_finds_nothing_to_withdraw),
        APP_TEST(what_operators_may_do_users_may_not),
        APP_TEST(a_cancelled_lease_keeps_its_slot_until_the_node_has_stopped),
        APP_TEST(a_late_result_of_a_cancelled_job_counts_for_nothing),
        APP_TEST(a_late_failure_frees_the_slot_too),
        APP_TEST(the_lease_of_a_cancelled_job_runs_out),
        APP_TEST(what_was_judged_is_not_withdrawn_by_its_owner),
        APP_TEST(a_deleted_submission_is_gone_for_everybody),
        APP_TEST(a_failed_job_is_judged_again_as_a_new_generation),
        APP_TEST(without_its_snapshot_it_is_not_put_back),
        APP_TEST(a_held_job_says_why_and_waits_until_it_is_released),
        APP_TEST(a_job_that_backs_off_can_be_held_and_a_held_one_cancelled),
        APP_TEST(a_selection_is_changed_and_what_is_left_out_is_listed),
        APP_TEST(a_waiting_job_is_judged_by_another_spec),
        APP_TEST(only_what_waits_elsewhere_is_moved),
        APP_TEST(each_part_of_a_selection_counts),
        APP_TEST(a_failure_anywhere_changes_all_or_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
