/* One slot: what the server is told about a job, and what it is not. */
#include "node_world.h"

struct running {
    struct node node;
    struct slot_thread slot;
    pthread_t thread;
};

/* A slot with the first job, and no keeper beside it. */
static void start(struct world *world, struct running *running) {
    struct err err = {0};
    *running = (struct running){.node = {.options = &world->options,
                                         .board = board_create(1, world->options.clock),
                                         .session = {.session_epoch = 5}}};
    running->slot = (struct slot_thread){&running->node, 0};
    mutex_init(&running->node.lock);
    assert_true(cache_open(arena_printf(world->arena, "%s/artifacts", world->folder), 64 * MIB,
                           &running->node.cache, &err));
    fake.deadlines = server.endless;
    assert_true(
        board_assign(running->node.board, &server.jobs[0], clock_mono_ms(world->options.clock)));
    running->thread = thread_start("slot", slot_main, &running->slot);
}

static void finish(struct running *running) {
    assert_true(board_wait_idle(running->node.board, 10000));
    board_leave(running->node.board);
    thread_join(running->thread);
    board_free(running->node.board);
    cache_close(running->node.cache);
    mutex_done(&running->node.lock);
}

static void run_job(struct world *world) {
    struct running running;
    start(world, &running);
    finish(&running);
}

static void a_job_is_judged_and_its_result_sent(void **state) {
    struct world *world = *state;
    world_job(world, 1, "cat");

    run_job(world);

    assert_int_equal(server.result_calls, 1);
    struct judgement judgement = world_judgement(world, 0);
    assert_int_equal(judgement.verdict, VERDICT_ACCEPTED);
    assert_int_equal(judgement.case_count, 2);
    assert_true(str_eq_c(judgement.language_version, "Toy 1.2.3"));
    struct digest digest = digest_of(str_from(server.results[0]));
    assert_true(digest_equal(&digest, &server.result_digests[0]));
    assert_int_equal(server.failure_calls, 0);
    assert_int_equal(server.releases, 0);
}

static void a_lost_answer_gets_the_same_bytes_again(void **state) {
    struct world *world = *state;
    static const enum err_kind kinds[] = {ERR_BUSY, ERR_DEADLINE, ERR_SYSTEM, ERR_LIMITED};
    world_job(world, 1, "cat");
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        server.denial = fake_err(kinds[i], "unreachable");
        server.deny_results = 1;
        server.result_calls = 0;

        run_job(world);

        assert_int_equal(server.result_calls, 2);
        assert_string_equal(server.results[0], server.results[1]);
        assert_true(digest_equal(&server.result_digests[0], &server.result_digests[1]));
    }
    assert_int_equal(fake.compiles, 4); /* each judged once, however often it was sent */
}

static void a_result_that_is_refused_is_not_repeated(void **state) {
    struct world *world = *state;
    world_job(world, 1, "cat");
    server.refusal = fake_err(ERR_CONFLICT, "lease_superseded");

    run_job(world);

    assert_int_equal(server.result_calls, 1);
    assert_int_equal(server.failure_calls, 0);
}

static void a_rejected_submission_is_a_result_not_a_failure(void **state) {
    struct world *world = *state;
    world_job(world, 1, "error");

    run_job(world);

    assert_int_equal(world_judgement(world, 0).verdict, VERDICT_COMPILE_ERROR);
    assert_int_equal(server.failure_calls, 0);
}

static void a_broken_box_is_the_nodes_fault(void **state) {
    struct world *world = *state;
    world_job(world, 1, "cat");
    fake.fail_open = true;

    run_job(world);

    assert_int_equal(server.result_calls, 0);
    assert_int_equal(server.failure_calls, 1);
    assert_int_equal(server.failures[0].fault, FAULT_NODE);
    assert_string_equal(server.failures[0].code, "box_failed");
}

static void missing_test_data_are_the_problems_fault(void **state) {
    struct world *world = *state;
    world_job(world, 1, "cat");
    server.blobs[0].text = STR("gone");
    server.blobs[0].digest = digest_of(STR("gone"));
    server.blobs[1] = server.blobs[0];

    run_job(world);

    assert_int_equal(server.result_calls, 0);
    assert_int_equal(server.failure_calls, 1);
    assert_int_equal(server.failures[0].fault, FAULT_PROBLEM);
    assert_string_equal(server.failures[0].code, "no_artifact");
}

static void a_manifest_that_cannot_be_read_is_the_problems_fault(void **state) {
    struct world *world = *state;
    world_job(world, 1, "cat");
    struct blob_ref blob = world_blob(world, "no manifest at all");
    memcpy(server.jobs[0].manifest.bytes, blob.sha256, sizeof blob.sha256);

    run_job(world);

    assert_int_equal(server.failure_calls, 1);
    assert_int_equal(server.failures[0].fault, FAULT_PROBLEM);
}

static void a_language_that_is_not_here_is_the_nodes_fault(void **state) {
    struct world *world = *state;
    world_job(world, 1, "cat");
    server.jobs[0].language = STR("cobol");

    run_job(world);

    assert_int_equal(server.failure_calls, 1);
    assert_int_equal(server.failures[0].fault, FAULT_NODE);
    assert_string_equal(server.failures[0].code, "unknown_language");
}

static void a_server_that_is_away_is_asked_for_files_again(void **state) {
    struct world *world = *state;
    world_job(world, 1, "cat");
    server.deny_artifacts = 2;

    run_job(world);

    assert_int_equal(world_judgement(world, 0).verdict, VERDICT_ACCEPTED);
    assert_int_equal(server.failure_calls, 0);
}

static void a_lease_that_is_over_while_fetching_is_told_to_nobody(void **state) {
    struct world *world = *state;
    world_job(world, 1, "cat");
    server.deny_artifacts = 1;
    server.denial = fake_err(ERR_CONFLICT, "lease_expired");

    run_job(world);

    assert_int_equal(server.result_calls + server.failure_calls + server.releases, 0);
}

static void a_lost_lease_stops_the_run_and_nothing_is_sent(void **state) {
    struct world *world = *state;
    struct running running;
    world_job(world, 1, "cat");
    server.jobs[0].lease_remaining_ms = 150;
    server.endless = INT32_MAX;

    start(world, &running);
    finish(&running);

    assert_int_equal(server.result_calls + server.failure_calls + server.releases, 0);
    assert_true(fake.kills > 0);
}

static void what_is_stopped_is_handed_back(void **state) {
    struct world *world = *state;
    static const enum board_stop stops[] = {BOARD_STOP_LEAVING, BOARD_STOP_SERVER};
    world_job(world, 1, "cat");
    for (int i = 0; i < 2; i++) {
        struct running running;
        server.endless = INT32_MAX;
        start(world, &running);
        clock_sleep_ms(&clock_real, 30);

        board_stop_all(running.node.board, stops[i]);

        finish(&running);
        assert_int_equal(server.releases, i + 1);
        assert_int_equal(server.result_calls + server.failure_calls, 0);
    }
}

static void a_superseded_session_ends_the_node(void **state) {
    struct world *world = *state;
    struct running running;
    world_job(world, 1, "cat");
    server.refusal = fake_err(ERR_CONFLICT, "session_superseded");

    start(world, &running);
    finish(&running);

    assert_true(atomic_load(&running.node.leaving));
    assert_string_equal(running.node.fatal.code, "session_superseded");
    assert_true(atomic_load(&server.aborted[0])); /* the waiting claim is broken off */
}

int main(void) {
    log_setup(LOG_ERROR, LOG_FORMAT_JSON, 2, "test");
    const struct CMUnitTest tests[] = {
        NODE_TEST(a_job_is_judged_and_its_result_sent),
        NODE_TEST(a_lost_answer_gets_the_same_bytes_again),
        NODE_TEST(a_result_that_is_refused_is_not_repeated),
        NODE_TEST(a_rejected_submission_is_a_result_not_a_failure),
        NODE_TEST(a_broken_box_is_the_nodes_fault),
        NODE_TEST(missing_test_data_are_the_problems_fault),
        NODE_TEST(a_manifest_that_cannot_be_read_is_the_problems_fault),
        NODE_TEST(a_language_that_is_not_here_is_the_nodes_fault),
        NODE_TEST(a_server_that_is_away_is_asked_for_files_again),
        NODE_TEST(a_lease_that_is_over_while_fetching_is_told_to_nobody),
        NODE_TEST(a_lost_lease_stops_the_run_and_nothing_is_sent),
        NODE_TEST(what_is_stopped_is_handed_back),
        NODE_TEST(a_superseded_session_ends_the_node),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
