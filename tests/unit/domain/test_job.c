/* The job's states and what becomes of a lease that ended without a result. */
#include "domain/job.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct job running_job(void) {
    return (struct job){
        .id = {7}, .state = JOB_RUNNING, .attempts = 1, .lease_epoch = 1, .lease_token = 5};
}

static void each_event_leads_where_the_diagram_says(void **state) {
    (void)state;
    static const struct {
        enum job_state from;
        enum job_event event;
        enum job_state to; /* JOB_NONE: refused */
    } rows[] = {
        {JOB_QUEUED, JOB_CLAIM, JOB_RUNNING},   {JOB_QUEUED, JOB_CANCEL, JOB_CANCELLED},
        {JOB_QUEUED, JOB_SETTLE, JOB_NONE},     {JOB_QUEUED, JOB_EXPIRE, JOB_NONE},
        {JOB_QUEUED, JOB_RELEASE, JOB_NONE},    {JOB_QUEUED, JOB_GIVE_UP, JOB_NONE},
        {JOB_RUNNING, JOB_CLAIM, JOB_NONE},     {JOB_RUNNING, JOB_SETTLE, JOB_COMPLETED},
        {JOB_RUNNING, JOB_EXPIRE, JOB_QUEUED},  {JOB_RUNNING, JOB_RELEASE, JOB_QUEUED},
        {JOB_RUNNING, JOB_GIVE_UP, JOB_FAILED}, {JOB_RUNNING, JOB_CANCEL, JOB_CANCELLED},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct job job = {.state = rows[i].from, .attempts = 1, .lease_epoch = 2};
        struct err err = {0};

        bool done = job_apply(&job, rows[i].event, &err);

        assert_int_equal(done, rows[i].to != JOB_NONE);
        assert_int_equal(job.state, done ? rows[i].to : rows[i].from);
        assert_int_equal(err.kind, done ? ERR_NONE : ERR_CONFLICT);
    }
}

static void no_event_leads_out_of_a_final_state(void **state) {
    (void)state;
    static const enum job_state final[] = {JOB_COMPLETED, JOB_FAILED, JOB_CANCELLED};
    for (size_t i = 0; i < 3; i++) {
        for (int event = 1; event < JOB_EVENT_COUNT; event++) {
            struct job job = {.state = final[i], .attempts = 1, .lease_epoch = 1};
            struct err err = {0};

            assert_false(job_apply(&job, (enum job_event)event, &err));

            assert_string_equal(err.code, "job_closed");
            assert_int_equal(job.state, final[i]);
        }
    }
}

static void an_attempt_counts_from_the_claim_unless_released(void **state) {
    (void)state;
    struct err err = {0};
    struct job job = {.state = JOB_QUEUED, .lease_epoch = 4};

    assert_true(job_apply(&job, JOB_CLAIM, &err));
    assert_int_equal(job.attempts, 1);
    assert_true(job_apply(&job, JOB_EXPIRE, &err));
    assert_int_equal(job.attempts, 1);
    assert_true(job_apply(&job, JOB_CLAIM, &err));
    assert_int_equal(job.attempts, 2);
    assert_true(job_apply(&job, JOB_RELEASE, &err));

    assert_int_equal(job.attempts, 1);
    job_check(&job);
}

static void a_claimed_job_is_no_longer_delayed(void **state) {
    (void)state;
    struct err err = {0};
    struct job job = {.state = JOB_QUEUED, .due_ms = 99};

    assert_true(job_apply(&job, JOB_CLAIM, &err));

    assert_int_equal(job.due_ms, 0);
}

static struct retry_facts facts_of(enum lease_end end, int32_t attempts, int64_t leases) {
    return (struct retry_facts){
        .end = end, .attempts = attempts, .attempts_max = 10, .leases = leases};
}

static void an_ended_lease_is_tried_again_as_its_end_deserves(void **state) {
    (void)state;
    static const struct {
        enum lease_end end;
        int32_t attempts;
        bool other_node_failed;
        enum job_event event;
        int64_t delay_ms;
    } rows[] = {
        {END_EXPIRED, 1, false, JOB_EXPIRE, 0},
        {END_EXPIRED, 2, false, JOB_EXPIRE, 5000},
        {END_EXPIRED, 3, false, JOB_EXPIRE, 10000},
        {END_EXPIRED, 4, false, JOB_EXPIRE, 20000},
        {END_EXPIRED, 9, false, JOB_EXPIRE, 300000},
        {END_EXPIRED, 10, false, JOB_GIVE_UP, 0},
        {END_STOPPED, 2, false, JOB_EXPIRE, 5000},
        {END_SESSION, 1, false, JOB_EXPIRE, 0},
        {END_SESSION, 10, false, JOB_GIVE_UP, 0},
        {END_DISABLED, 10, false, JOB_RELEASE, 0},
        {END_RELEASED, 1, false, JOB_RELEASE, 0},
        {END_RELEASED, 10, false, JOB_RELEASE, 0},
        {END_OUTAGE, 1, false, JOB_RELEASE, 0},
        {END_OUTAGE, 10, true, JOB_RELEASE, 0},
        {END_FAULT_PROBLEM, 1, false, JOB_EXPIRE, 5000},
        {END_FAULT_PROBLEM, 2, false, JOB_GIVE_UP, 0},
        {END_FAULT_JOB, 1, false, JOB_EXPIRE, 5000},
        {END_FAULT_JOB, 2, false, JOB_EXPIRE, 10000},
        {END_FAULT_JOB, 2, true, JOB_GIVE_UP, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct retry_facts facts = facts_of(rows[i].end, rows[i].attempts, rows[i].attempts);
        facts.other_node_failed = rows[i].other_node_failed;

        struct retry retry = job_retry(&facts);

        assert_int_equal(retry.event, rows[i].event);
        assert_int_equal(retry.delay_ms, rows[i].delay_ms);
    }
}

static void a_fault_of_the_node_costs_no_attempt_until_there_were_many(void **state) {
    (void)state;
    static const struct {
        int32_t attempts;
        int64_t leases;
        enum job_event event;
        int64_t delay_ms;
    } rows[] = {
        {1, 1, JOB_RELEASE, 0}, /* another may take it at once */
        {1, 2, JOB_RELEASE, 5000},
        {1, 3, JOB_RELEASE, 10000},
        {10, 12, JOB_RELEASE, 300000},
        {1, JOB_FREE_LEASES_MAX, JOB_RELEASE, 300000},
        {1, JOB_FREE_LEASES_MAX + 1, JOB_EXPIRE, 300000},
        {10, JOB_FREE_LEASES_MAX + 10, JOB_GIVE_UP, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct retry_facts facts = facts_of(END_FAULT_NODE, rows[i].attempts, rows[i].leases);
        facts.other_node_failed = true;

        struct retry retry = job_retry(&facts);

        assert_int_equal(retry.event, rows[i].event);
        assert_int_equal(retry.delay_ms, rows[i].delay_ms);
    }
}

static void the_node_is_blamed_for_what_it_did_not_finish(void **state) {
    (void)state;
    static const enum lease_end blamed[] = {END_EXPIRED, END_STOPPED, END_SESSION, END_FAULT_NODE,
                                            END_FAULT_JOB};
    static const enum lease_end innocent[] = {END_OUTAGE, END_DISABLED, END_RELEASED,
                                              END_FAULT_PROBLEM};
    for (size_t i = 0; i < sizeof blamed / sizeof blamed[0]; i++) {
        assert_true(lease_end_blames_node(blamed[i]));
    }
    for (size_t i = 0; i < sizeof innocent / sizeof innocent[0]; i++) {
        assert_false(lease_end_blames_node(innocent[i]));
    }
}

static void every_end_has_a_code_and_words_for_the_user(void **state) {
    (void)state;
    for (int end = 1; end < END_COUNT; end++) {
        assert_non_null(lease_end_code((enum lease_end)end));
        assert_non_null(lease_end_text((enum lease_end)end));
    }
}

static void only_queued_and_running_jobs_are_open(void **state) {
    (void)state;
    struct job job = running_job();

    assert_true(job_is_open(&job));
    job.state = JOB_QUEUED;
    assert_true(job_is_open(&job));
    job.state = JOB_FAILED;
    assert_false(job_is_open(&job));
}

static void exams_and_contests_go_before_practice(void **state) {
    (void)state;
    for (int origin = 1; origin < ORIGIN_COUNT; origin++) {
        bool timed = origin == ORIGIN_EXAM || origin == ORIGIN_CONTEST;

        enum job_priority priority = job_priority_of((enum submission_origin)origin);

        assert_int_equal(priority, timed ? PRIORITY_EXAM : PRIORITY_PRACTICE);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_event_leads_where_the_diagram_says),
        cmocka_unit_test(no_event_leads_out_of_a_final_state),
        cmocka_unit_test(an_attempt_counts_from_the_claim_unless_released),
        cmocka_unit_test(a_claimed_job_is_no_longer_delayed),
        cmocka_unit_test(an_ended_lease_is_tried_again_as_its_end_deserves),
        cmocka_unit_test(a_fault_of_the_node_costs_no_attempt_until_there_were_many),
        cmocka_unit_test(the_node_is_blamed_for_what_it_did_not_finish),
        cmocka_unit_test(every_end_has_a_code_and_words_for_the_user),
        cmocka_unit_test(exams_and_contests_go_before_practice),
        cmocka_unit_test(only_queued_and_running_jobs_are_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
