/* Clients in a closed loop, for a moment. */
#include "bench/queue_load.h"

#include "queue_fixture.h"

static void every_stage_is_counted_and_nothing_is_left_over(void **state) {
    (void)state;
    struct queue_fixture f = {0};
    struct queue_load_result result = {0};
    make_world(&f, &(struct queue_plan){.clients = 5, .nodes = 2, .groups = 2, .cases = 2});
    struct queue_load_plan plan = {.world = &f.world, .clients = 5, .threads = 2, .run_ms = 200};

    assert_true(queue_load_run(&plan, &result, &f.err));

    assert_true(result.lifecycles > 0);
    assert_true(result.settled >= result.lifecycles);
    for (int i = 0; i < QUEUE_STAGES; i++) {
        assert_true(result.stage_ns[i].count > 0);
    }
    assert_int_equal(query(&f, "SELECT count(*) FROM job WHERE state = 3"), result.settled);
    assert_true(query(&f, "SELECT count(*) FROM job WHERE state <> 3") <= 5);
    queue_load_result_done(&result);
    queue_world_done(&f.world);
}

static void an_error_that_reaches_a_client_ends_it(void **state) {
    (void)state;
    struct queue_fixture f = {0};
    struct queue_load_result result = {0};
    make_world(&f, &(struct queue_plan){.clients = 2, .nodes = 1, .cases = 1});
    struct queue_load_plan plan = {.world = &f.world, .clients = 2, .threads = 1, .run_ms = 60000};
    f.world.judgement.score_micro = 1; /* no node sends that */

    assert_false(queue_load_run(&plan, &result, &f.err));

    assert_string_equal(f.err.code, "bad_field");
    queue_world_done(&f.world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_stage_is_counted_and_nothing_is_left_over),
        cmocka_unit_test(an_error_that_reaches_a_client_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
