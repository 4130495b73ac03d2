/* What time does to jobs. */
#include "app/app_fixture.h"
#include "app/reap_internal.h"
#include "store/db_fault.h"

static void an_expired_lease_gives_its_job_back(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    struct submission_id id = submit(f, 1);
    struct claimed_job first = claim_one(f, &node);

    advance(f, f->settings.lease_ms - 1);
    assert_int_equal(query(f, "SELECT count(*) FROM job_lease"), 1);
    advance(f, f->settings.reap_ms);

    assert_int_equal(query(f, "SELECT count(*) FROM job_lease"), 0);
    assert_int_equal(query(f, "SELECT count(*) FROM job_ready"), 1);
    assert_true(beat(f, &node).item.ok);
    struct claimed_job second = claim_one(f, &node);
    assert_int_equal(second.job.value, first.job.value);
    assert_int_equal(second.lease.epoch, first.lease.epoch + 1);
    assert_true(second.lease.token != first.lease.token);
    assert_true(settle(f, &node, &second.lease, VERDICT_ACCEPTED).item.ok);
    assert_int_equal(view(f, id).verdict, VERDICT_ACCEPTED);
}

static void expire_once(struct fixture *f, const struct test_node *node) {
    assert_true(beat(f, node).item.ok);
    (void)claim_one(f, node);
    advance(f, f->settings.lease_ms + f->settings.reap_ms);
}

static void attempts_run_out_where_everybody_can_see_it(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    struct submission_id id = submit(f, 1);

    expire_once(f, &node); /* straight back */
    assert_int_equal(query(f, "SELECT count(*) FROM job_ready"), 1);
    expire_once(f, &node); /* backs off */
    assert_int_equal(query(f, "SELECT count(*) FROM job_delayed"), 1);
    assert_string_equal(view(f, id).reason.code, "backoff");
    assert_true(view(f, id).reason.until_ms > 0);
    advance(f, 5000);
    assert_int_equal(query(f, "SELECT count(*) FROM job_delayed"), 0);
    expire_once(f, &node);

    struct submission_view shown = view(f, id);
    assert_int_equal(shown.state, SUBMISSION_DONE);
    assert_int_equal(shown.verdict, VERDICT_SYSTEM_ERROR);
    assert_non_null(strstr(shown.judgement.message.ptr, "not because of your program"));
    assert_non_null(strstr(shown.judgement.message.ptr, "stopped answering"));
    assert_int_equal(query(f, "SELECT attempts FROM job"), 3);
}

static void renewals_keep_a_lease_alive(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    (void)submit(f, 1);
    struct claimed_job job = claim_one(f, &node);

    for (int i = 0; i < 20; i++) {
        advance(f, f->settings.renew_ms);
        assert_int_equal(renew(f, &node, &job.lease).answer, RENEW_GO);
    }

    assert_true(settle(f, &node, &job.lease, VERDICT_ACCEPTED).item.ok);
}

static void a_job_past_its_end_is_taken_though_it_is_renewed(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    make_manifest(f, 100000);
    make_problem(f, 9);
    struct submit_request request = {.actor = user_actor(1),
                                     .problem = {9},
                                     .language = STR("cpp"),
                                     .source = STR("int main() { for (;;) {} }")};
    AWAIT(f, &request, submission_submit(f->app, &request));
    assert_true(request.item.ok);
    struct claimed_job job = claim_one(f, &node);
    assert_int_equal(job.job_total_ms, 100000);
    enum renew_answer last = RENEW_GO;

    for (int i = 0; i < 12 && last == RENEW_GO; i++) {
        clock_manual_advance(&f->clock, 10000);
        last = renew(f, &node, &job.lease).answer;
        drain(f);
    }

    assert_int_not_equal(last, RENEW_GO);
    assert_int_equal(query(f, "SELECT count(*) FROM job_lease"), 0);
    assert_int_equal(query(f, "SELECT count(*) FROM job WHERE fault_code = 'job_too_long'"), 1);
}

static void a_flood_of_expired_leases_is_worked_off(void **state) {
    struct fixture *f = *state;
    struct test_node nodes[8];
    char name[8];
    for (int i = 0; i < 8; i++) {
        (void)snprintf(name, sizeof name, "n%d", i);
        nodes[i] = make_node(f, name, 60, NULL);
    }
    for (int i = 0; i < 450; i++) {
        (void)submit(f, 1 + i % 2);
    }
    for (int i = 0; i < 8; i++) {
        (void)claim(f, &nodes[i], 60);
    }
    assert_int_equal(query(f, "SELECT count(*) FROM job_lease"), 450);

    advance(f, f->settings.lease_ms + f->settings.reap_ms);

    assert_int_equal(query(f, "SELECT count(*) FROM job_lease"), 0);
    assert_int_equal(query(f, "SELECT count(*) FROM job_ready"), 450);
}

static void a_held_job_is_not_promoted(void **state) {
    struct fixture *f = *state;
    struct submission_id id = submit(f, 1);
    exec(f,
         "DELETE FROM job_ready; UPDATE job SET due_ms = 9007199254740991; INSERT INTO "
         "job_delayed SELECT 9007199254740991, id, 2 FROM job; INSERT INTO job_hold SELECT id, 1, "
         "'', 0, 0 FROM job");

    advance(f, 100000);

    assert_int_equal(query(f, "SELECT count(*) FROM job_delayed"), 1);
    assert_string_equal(view(f, id).reason.code, "held");
}

/* Another server renews between the look at what has expired and the lock. */
static bool renew_first(void *context, enum db_point point, const char *sql, struct err *err) {
    struct fixture *f = context;
    (void)sql;
    if (point != DB_POINT_BEGIN) {
        return true;
    }
    own(db) other = NULL;
    struct db_options options = {.path = f->path, .mysql = test_db(), .clock = &f->clock.clock};
    return db_open(&options, &other, err) && db_begin(other, err) &&
           db_script(other, STR("UPDATE job_lease SET lease_until_ms = lease_until_ms + 500000"),
                     err) &&
           db_commit(other, err);
}

static void a_lease_that_was_renewed_meanwhile_is_left_alone(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    (void)submit(f, 1);
    struct claimed_job job = claim_one(f, &node);
    clock_manual_advance(&f->clock, f->settings.lease_ms + 1);

    db_set_fault(f->app->db, renew_first, f);
    (void)reap_pass(f->app);
    db_set_fault(f->app->db, NULL, NULL);

    assert_int_equal(query(f, "SELECT count(*) FROM job_lease"), 1);
    assert_int_equal(renew(f, &node, &job.lease).answer, RENEW_GO);
}

static bool refuse_all(void *context, enum db_point point, const char *sql, struct err *err) {
    (void)context;
    (void)point;
    (void)sql;
    return err_set(err, ERR_BUSY, "database_busy", "away");
}

static void database_is_away(struct fixture *f, int64_t ms) {
    db_set_fault(f->app->db, refuse_all, f);
    advance(f, ms);
    db_set_fault(f->app->db, NULL, NULL);
}

/* Nobody could renew: neither the node nor the job is to blame, however often it happens. */
static void an_outage_uses_up_no_attempt(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    struct submission_id id = submit(f, 1);
    struct claimed_job job = {0};
    advance(f, f->settings.reap_ms); /* the first look at the clock */
    for (int i = 0; i < 2 * f->settings.attempts_max; i++) {
        assert_true(beat(f, &node).item.ok);
        job = claim_one(f, &node);

        database_is_away(f, (1 + f->settings.attempts_max) * f->settings.lease_ms);
        advance(f, f->settings.reap_ms);

        assert_int_equal(query(f, "SELECT count(*) FROM job_ready"), 1);
        assert_int_equal(query(f, "SELECT attempts FROM job"), 0);
        assert_int_equal(query(f, "SELECT count(*) FROM job WHERE fault_code = 'outage'"), 1);
    }
    assert_true(beat(f, &node).item.ok);
    job = claim_one(f, &node);

    assert_true(settle(f, &node, &job.lease, VERDICT_ACCEPTED).item.ok);
    assert_int_equal(view(f, id).verdict, VERDICT_ACCEPTED);
}

/* One that ran out before the outage, or long after it. */
static void a_lease_that_an_outage_did_not_end_costs_its_attempt(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    (void)submit(f, 1);
    advance(f, f->settings.reap_ms);
    database_is_away(f, 5 * f->settings.lease_ms);
    advance(f, f->settings.reap_ms);
    assert_true(beat(f, &node).item.ok);
    (void)claim_one(f, &node);

    advance(f, f->settings.lease_ms + f->settings.reap_ms);

    assert_int_equal(query(f, "SELECT attempts FROM job"), 1);
    assert_int_equal(query(f, "SELECT count(*) FROM job WHERE fault_code = 'lease_expired'"), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        APP_TEST(an_expired_lease_gives_its_job_back),
        APP_TEST(attempts_run_out_where_everybody_can_see_it),
        APP_TEST(renewals_keep_a_lease_alive),
        APP_TEST(a_job_past_its_end_is_taken_though_it_is_renewed),
        APP_TEST(a_flood_of_expired_leases_is_worked_off),
        APP_TEST_ON_DISK(a_lease_that_was_renewed_meanwhile_is_left_alone),
        APP_TEST(a_held_job_is_not_promoted),
        APP_TEST(an_outage_uses_up_no_attempt),
        APP_TEST(a_lease_that_an_outage_did_not_end_costs_its_attempt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
