/* The keeper: renewals, heartbeats and reports, each in its rhythm, and what their answers do. */
#include "node_world.h"

struct running {
    struct node node;
    pthread_t thread;
};

/* A keeper; the test plays the slot. */
static void start(struct world *world, struct running *running) {
    *running = (struct running){
        .node = {.options = &world->options,
                 .board = board_create(1, world->options.clock),
                 .session = {.session_epoch = 5, .renew_ms = 60, .heartbeat_ms = 60}}};
    mutex_init(&running->node.lock);
    running->thread = thread_start("keeper", keeper_main, &running->node);
}

static void stop(struct running *running) {
    atomic_store(&running->node.keeper_ends, true);
    thread_join(running->thread);
    board_free(running->node.board);
    mutex_done(&running->node.lock);
}

static void take_job(struct world *world, struct running *running, int64_t remaining_ms) {
    struct machine_job job = {.lease = {{1}, 1, 77}, .lease_remaining_ms = remaining_ms};
    assert_true(board_assign(running->node.board, &job, clock_mono_ms(world->options.clock)));
    assert_true(board_take(running->node.board, 0, &job));
}

static void wait_for_stop(struct running *running, enum board_stop wanted) {
    for (int i = 0; i < 1000 && board_ask(running->node.board, 0) == BOARD_GO; i++) {
        clock_sleep_ms(&clock_real, 5);
    }
    assert_int_equal(board_ask(running->node.board, 0), wanted);
}

static void it_beats_and_takes_the_servers_slots(void **state) {
    struct world *world = *state;
    struct running running;
    server.slots = 3;

    start(world, &running);
    world_wait(&server.heartbeats, 3);

    assert_int_equal(server.busy_slots, 0);
    assert_int_equal(atomic_load(&running.node.server_slots), 3);
    assert_int_equal(server.renewals, 0); /* nothing to renew */
    stop(&running);
}

static void leases_are_renewed_before_they_end(void **state) {
    struct world *world = *state;
    struct running running;
    start(world, &running);
    take_job(world, &running, 400);

    world_wait(&server.renewals, 3);
    clock_sleep_ms(&clock_real, 400); /* the first lease has ended by now */

    assert_int_equal(board_ask(running.node.board, 0), BOARD_GO);
    assert_int_equal(server.busy_slots, 1);
    board_finish(running.node.board, 0);
    stop(&running);
}

static void the_servers_stop_stops_the_slot(void **state) {
    struct world *world = *state;
    struct running running;
    server.renewal = MACHINE_STOP;
    start(world, &running);

    take_job(world, &running, 60000);

    wait_for_stop(&running, BOARD_STOP_SERVER);
    board_finish(running.node.board, 0);
    stop(&running);
}

static void a_lease_that_the_server_does_not_mention_is_lost(void **state) {
    struct world *world = *state;
    struct running running;
    server.renewal = MACHINE_CONFLICT;
    start(world, &running);

    take_job(world, &running, 60000);

    wait_for_stop(&running, BOARD_STOP_LOST);
    board_finish(running.node.board, 0);
    stop(&running);
}

static void a_server_that_is_away_costs_nothing_until_the_lease_ends(void **state) {
    struct world *world = *state;
    struct running running;
    server.refusal = fake_err(ERR_BUSY, "unreachable");
    start(world, &running);
    take_job(world, &running, 600);

    world_wait(&server.renewals, 4); /* tried again soon, not only at the next turn */
    assert_int_equal(board_ask(running.node.board, 0), BOARD_GO);

    wait_for_stop(&running, BOARD_STOP_LOST);
    assert_int_equal(running.node.fatal.kind, ERR_NONE);
    board_finish(running.node.board, 0);
    stop(&running);
}

static void progress_is_reported_with_growing_numbers(void **state) {
    struct world *world = *state;
    struct running running;
    struct case_result result = {.name = STR("sample/1"), .verdict = VERDICT_ACCEPTED};
    start(world, &running);
    take_job(world, &running, 60000);

    (void)board_progress(running.node.board, 0, JUDGE_STAGE_COMPILING, -1, 2, NULL);
    world_wait(&server.reports, 1);
    (void)board_progress(running.node.board, 0, JUDGE_STAGE_JUDGING, 1, 2, &result);
    world_wait(&server.reports, 2);

    assert_int_equal(server.last_sequence, 2);
    assert_int_equal(server.reported_cases, 1);
    clock_sleep_ms(&clock_real, 300);
    assert_int_equal(server.reports, 2); /* nothing new, nothing said */
    board_finish(running.node.board, 0);
    stop(&running);
}

static void many_changes_are_few_reports(void **state) {
    struct world *world = *state;
    struct running running;
    start(world, &running);
    take_job(world, &running, 60000);
    int64_t from_ms = clock_mono_ms(&clock_real);

    for (int i = 0; i < 60; i++) {
        struct case_result result = {.index = i, .verdict = VERDICT_ACCEPTED};
        (void)board_progress(running.node.board, 0, JUDGE_STAGE_JUDGING, i, 60, &result);
        clock_sleep_ms(&clock_real, 10);
    }
    world_wait(&server.reported_cases, 60); /* each case once */

    int64_t took_ms = clock_mono_ms(&clock_real) - from_ms;
    assert_true(server.reports <= 2 + took_ms / 250);
    board_finish(running.node.board, 0);
    stop(&running);
}

static void a_superseded_session_ends_the_node(void **state) {
    struct world *world = *state;
    struct running running;
    start(world, &running);
    take_job(world, &running, 60000);

    mutex_lock(&server.lock);
    server.refusal = fake_err(ERR_CONFLICT, "session_superseded");
    mutex_unlock(&server.lock);
    wait_for_stop(&running, BOARD_STOP_LOST);

    assert_true(atomic_load(&running.node.leaving));
    board_finish(running.node.board, 0);
    stop(&running);
    assert_string_equal(running.node.fatal.code, "session_superseded");
}

int main(void) {
    log_setup(LOG_ERROR, LOG_FORMAT_JSON, 2, "test");
    const struct CMUnitTest tests[] = {
        NODE_TEST(it_beats_and_takes_the_servers_slots),
        NODE_TEST(leases_are_renewed_before_they_end),
        NODE_TEST(the_servers_stop_stops_the_slot),
        NODE_TEST(a_lease_that_the_server_does_not_mention_is_lost),
        NODE_TEST(a_server_that_is_away_costs_nothing_until_the_lease_ends),
        NODE_TEST(progress_is_reported_with_growing_numbers),
        NODE_TEST(many_changes_are_few_reports),
        NODE_TEST(a_superseded_session_ends_the_node),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
