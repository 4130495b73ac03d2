/* What the benchmark begins with; queue_fill itself ends by checking the invariants. */
#include "bench/queue_fill.h"

#include "queue_fixture.h"

static void waiting_and_finished_jobs_are_there(void **state) {
    (void)state;
    struct queue_fixture f = {0};

    make_world(
        &f, &(struct queue_plan){
                .clients = 2, .nodes = 2, .groups = 1, .cases = 3, .backlog = 70, .history = 50});

    assert_int_equal(query(&f, "SELECT count(*) FROM job_ready"), 71);
    assert_int_equal(query(&f, "SELECT count(*) FROM job WHERE state = 3"), 51);
    assert_int_equal(query(&f, "SELECT count(*) FROM submission_source"), 122);
    assert_true(query(&f, "SELECT count(*) FROM user_problem") > 1);
    queue_world_done(&f.world);
}

static void an_empty_plan_fills_nothing(void **state) {
    (void)state;
    struct queue_fixture f = {0};

    make_world(&f, &(struct queue_plan){.clients = 1, .nodes = 1});

    assert_int_equal(query(&f, "SELECT count(*) FROM job"), 0);
    assert_int_equal(query(&f, "SELECT count(*) FROM host_group"), 0);
    queue_world_done(&f.world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waiting_and_finished_jobs_are_there),
        cmocka_unit_test(an_empty_plan_fills_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
