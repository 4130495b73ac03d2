/* Why a job waits, from what the database says. */
#include "app/app_fixture.h"
#include "app/waiting_internal.h"
#include "store/job_store.h"

static struct waiting_reason reason(struct fixture *f, int64_t job_id, bool with_place) {
    struct job job = {0};
    bool found = false;
    struct waiting_reason answer = {0};
    must(f, job_store_get(f->app->db, (struct job_id){job_id}, &job, &found, &f->err));
    assert_true(found);
    struct waiting_query wanted = {
        .job = &job, .pool = STR("cpp"), .with_place = with_place, .now_ms = f->clock.utc_now_ms};
    must(f, waiting_reason_of(f->app, f->app->db, &wanted, f->arena, &answer, &f->err));
    return answer;
}

static void places_count_what_is_before(void **state) {
    struct fixture *f = *state;
    (void)make_node(f, "n1", 1, NULL);
    for (int i = 0; i < 3; i++) {
        (void)submit(f, 1);
    }

    assert_int_equal(reason(f, 1, true).place, 1);
    assert_int_equal(reason(f, 3, true).place, 3);
    assert_int_equal(reason(f, 3, false).place, 0);
    assert_true(str_eq_c(reason(f, 3, true).text, "number 3 in the queue"));
}

static void better_priorities_count_as_before(void **state) {
    struct fixture *f = *state;
    (void)make_node(f, "n1", 1, NULL);
    (void)submit(f, 1);
    (void)submit(f, 2);
    exec(f, "UPDATE job SET priority = 0 WHERE id = 2; UPDATE job_ready SET priority = 0 WHERE "
            "job_id = 2");

    assert_int_equal(reason(f, 1, true).place, 2);
    assert_int_equal(reason(f, 2, true).place, 1);
}

static void at_a_known_pace_the_wait_is_estimated(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 2, NULL);
    (void)submit(f, 1);
    struct claimed_job job = claim_one(f, &node);
    advance(f, 3000);
    assert_true(settle(f, &node, &job.lease, VERDICT_ACCEPTED).item.ok);
    for (int i = 0; i < 5; i++) {
        (void)submit(f, 1);
    }

    assert_int_equal(reason(f, 2, true).estimate_ms, 3000); /* two slots: the first two at once */
    assert_int_equal(reason(f, 6, true).estimate_ms, 9000);
    assert_true(str_eq_c(reason(f, 6, true).text, "number 5 in the queue, about 9 s"));
}

static void a_back_off_says_until_when_and_why(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    (void)submit(f, 1);
    for (int i = 0; i < 2; i++) { /* after the first time it goes straight back */
        struct claimed_job job = claim_one(f, &node);
        assert_true(report_failure(f, &node, &job.lease, FAULT_NODE).item.ok);
    }

    struct waiting_reason answer = reason(f, 1, true);

    assert_string_equal(answer.code, "backoff");
    assert_int_equal(answer.until_ms, START_MS + 5000);
    assert_true(str_eq_c(answer.text, "tried again in 5 s: the judge node could not judge it"));
}

static void a_node_with_another_runtime_does_not_help(void **state) {
    struct fixture *f = *state;
    struct node_register_request request = {.name = STR("n1"),
                                            .pool = STR("cpp"),
                                            .runtime_spec = STR("cpp-r4"),
                                            .slots = 1,
                                            .enable = true};
    struct node_registered registered = {0};
    must(f, judger_register(f->app, &the_system, &request, f->arena, &registered, &f->err));
    struct test_node node = join_node(f, registered.join_code);
    node.epoch = open_session(f, &node.actor, true).session_epoch;
    (void)submit(f, 1);

    assert_string_equal(reason(f, 1, true).code, "no_runtime");
    assert_int_equal(claim(f, &node, 1).job_count, 0);
}

static void every_fault_has_words_for_the_user(void **state) {
    (void)state;
    assert_true(
        str_eq_c(fault_text(FAULT_NODE, STR("lease_expired")), "the judge node stopped answering"));
    assert_true(fault_text(FAULT_PROBLEM, STR("checker_crashed")).len > 0);
    assert_false(str_eq(fault_text(FAULT_PROBLEM, STR("x")), fault_text(FAULT_NODE, STR("x"))));
    assert_false(str_eq(fault_text(FAULT_JOB, STR("x")), fault_text(FAULT_NODE, STR("x"))));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        APP_TEST(places_count_what_is_before),
        APP_TEST(better_priorities_count_as_before),
        APP_TEST(at_a_known_pace_the_wait_is_estimated),
        APP_TEST(a_back_off_says_until_when_and_why),
        APP_TEST(a_node_with_another_runtime_does_not_help),
        APP_TEST(every_fault_has_words_for_the_user),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
