/* A node's whole life against a server that is a table of functions. */
#include "node_world.h"

struct running {
    struct world *world;
    pthread_t thread;
    bool ok;
    struct err err;
};

static void *run_node(void *argument) {
    struct running *running = argument;
    running->ok = node_run(&running->world->options, &running->err);
    return NULL;
}

static void start(struct world *world, struct running *running) {
    *running = (struct running){.world = world};
    running->thread = thread_start("node", run_node, running);
}

static void tell_to_stop(struct world *world) {
    assert_int_equal(write(world->stop_pipe[1], "x", 1), 1);
}

static void stop(struct running *running) {
    tell_to_stop(running->world);
    thread_join(running->thread);
}

static void it_proves_itself_then_claims_and_judges(void **state) {
    struct world *world = *state;
    struct running running;
    world_job(world, 1, "cat");

    start(world, &running);
    world_wait(&server.result_calls, 1);
    world_wait(&server.claims, 2); /* and it asks for more */
    stop(&running);

    assert_true(running.ok);
    assert_int_equal(server.sessions, 1);
    assert_int_equal(server.session.slots, 1);
    assert_int_equal(server.session.language_count, 1);
    assert_true(server.session.self_test_passed);
    assert_int_equal(server.claim_slots[0], 1);
    assert_int_equal(world_judgement(world, 0).verdict, VERDICT_ACCEPTED);
    assert_int_equal(fake.open_slots, 0);
}

static void a_lost_answer_to_a_claim_is_asked_for_again_by_its_id(void **state) {
    struct world *world = *state;
    struct running running;
    world_job(world, 1, "cat");
    server.deny_claims = 2;

    start(world, &running);
    world_wait(&server.result_calls, 1);
    world_wait(&server.claims, 4);
    stop(&running);

    assert_true(running.ok);
    assert_true(server.claim_ids[0] != 0);
    assert_true(server.claim_ids[0] == server.claim_ids[1]);
    assert_true(server.claim_ids[1] == server.claim_ids[2]);
    assert_true(server.claim_ids[2] != server.claim_ids[3]); /* answered: a new one */
}

static void what_it_has_no_slot_for_is_handed_back(void **state) {
    struct world *world = *state;
    struct running running;
    world_job(world, 1, "cat");
    server.jobs[1] = server.jobs[0];
    server.jobs[1].lease.job.value = 2;
    server.job_count = 2;
    server.give_all = true;
    server.endless = INT32_MAX; /* the first one keeps the slot busy */

    start(world, &running);
    world_wait(&server.releases, 1);
    mutex_lock(&server.lock);
    int early = server.released_leases;
    mutex_unlock(&server.lock);
    stop(&running);

    assert_true(running.ok);
    assert_int_equal(early, 1);
    assert_int_equal(server.released_leases, 2); /* and that one at the stop */
}

static void a_stop_hands_back_what_does_not_end_in_time(void **state) {
    struct world *world = *state;
    struct running running;
    world_job(world, 1, "cat");
    server.endless = INT32_MAX;
    start(world, &running);
    world_wait(&server.given, 1);

    stop(&running);

    assert_true(running.ok);
    assert_int_equal(server.releases, 1);
    assert_int_equal(server.result_calls + server.failure_calls, 0);
}

static void a_claim_that_was_broken_off_is_looked_after(void **state) {
    struct world *world = *state;
    struct running running;
    world_job(world, 1, "cat");
    server.stop_fd = world->stop_pipe[1];

    start(world, &running);
    thread_join(running.thread);

    assert_true(running.ok);
    assert_int_equal(server.claims, 2);
    assert_true(server.claim_ids[0] == server.claim_ids[1]);
    assert_int_equal(server.released_leases, 1);
    assert_int_equal(server.result_calls, 0);
}

static void a_stop_lets_a_short_job_end(void **state) {
    struct world *world = *state;
    struct running running;
    world_job(world, 1, "cat");
    world->options.drain_ms = 5000;
    start(world, &running);
    world_wait(&server.given, 1);

    stop(&running);

    assert_true(running.ok);
    assert_int_equal(server.result_calls, 1);
    assert_int_equal(server.releases, 0);
}

static void the_servers_limit_of_slots_holds(void **state) {
    struct world *world = *state;
    struct running running;
    server.slots = 0; /* an administrator has taken them all */
    start(world, &running);
    world_wait(&server.heartbeats, 2);
    mutex_lock(&server.lock);
    int claims = server.claims;
    mutex_unlock(&server.lock);

    clock_sleep_ms(&clock_real, 100);
    mutex_lock(&server.lock);
    int later = server.claims;
    mutex_unlock(&server.lock);
    stop(&running);

    assert_true(later <= claims + 1); /* one may have been under way */
    assert_true(running.ok);
}

static void a_superseded_session_ends_it_with_the_reason(void **state) {
    struct world *world = *state;
    struct running running;
    start(world, &running);
    world_wait(&server.claims, 1);
    mutex_lock(&server.lock);
    server.refusal = fake_err(ERR_CONFLICT, "session_superseded");
    mutex_unlock(&server.lock);

    thread_join(running.thread);

    assert_false(running.ok);
    assert_string_equal(running.err.code, "session_superseded");
}

static void an_unknown_credential_ends_it_at_once(void **state) {
    struct world *world = *state;
    struct running running;
    server.deny_sessions = 1;
    server.denial = fake_err(ERR_UNAUTHENTICATED, "bad_credential");

    start(world, &running);
    thread_join(running.thread);

    assert_false(running.ok);
    assert_string_equal(running.err.code, "bad_credential");
    assert_int_equal(server.sessions, 1);
}

static void a_server_that_is_away_at_the_start_is_waited_for(void **state) {
    struct world *world = *state;
    struct running running;
    server.deny_sessions = 2;

    start(world, &running);
    world_wait(&server.claims, 1);
    stop(&running);

    assert_true(running.ok);
    assert_int_equal(server.sessions, 3);
}

static void a_stop_before_the_session_is_a_good_end(void **state) {
    struct world *world = *state;
    struct running running;
    server.deny_sessions = INT32_MAX;
    start(world, &running);
    world_wait(&server.sessions, 1);

    stop(&running);

    assert_true(running.ok);
    assert_int_equal(server.claims, 0);
}

static void the_servers_check_is_run_and_answered(void **state) {
    struct world *world = *state;
    struct running running;
    world_file(world, "languages/toy/selftest.txt", "obey");
    server.check = 9;

    start(world, &running);
    world_wait(&server.check_results, 1);
    world_wait(&server.heartbeats, 2); /* which ask for the same one again */
    stop(&running);

    assert_true(running.ok);
    assert_true(server.check_passed);
    assert_int_equal(server.check_programs, 7);
    assert_int_equal(server.check_results, 1);
}

static void to_a_server_of_the_version_before_it_proves_itself_first(void **state) {
    struct world *world = *state;
    struct running running;
    world_file(world, "languages/toy/selftest.txt", "obey memory");
    server.old_server = 1;

    start(world, &running);
    world_wait(&server.claims, 1);
    stop(&running);

    assert_int_equal(server.sessions, 2);
    assert_int_equal(server.session.protocol, 1);
    assert_false(server.session.self_test_passed);
    assert_int_equal(server.check_results, 0);
}

static void a_node_that_fails_in_a_row_takes_itself_out(void **state) {
    struct world *world = *state;
    struct node node = {.options = &world->options, .session = {.protocol = 2}};
    struct err why = fake_err(ERR_SYSTEM, "sandbox_failed");
    for (int i = 0; i < NODE_FAILURES_MAX - 1; i++) {
        node_note_failure(&node, &world->links[2], &why);
    }
    node_note_result(&node); /* not in a row */
    for (int i = 0; i < NODE_FAILURES_MAX - 1; i++) {
        node_note_failure(&node, &world->links[2], &why);
    }
    assert_int_equal(server.outs, 0);

    node_note_failure(&node, &world->links[2], &why);
    node_note_failure(&node, &world->links[2], &why);

    assert_int_equal(server.outs, 1);
    assert_true(atomic_load(&node.is_out));
    assert_non_null(strstr(server.out_reason, "as the test wants"));
    node = (struct node){.options = &world->options, .session = {.protocol = 1}};
    for (int i = 0; i < 2 * NODE_FAILURES_MAX; i++) {
        node_note_failure(&node, &world->links[2], &why);
    }
    assert_int_equal(server.outs, 1); /* an older server has no word for it */
}

int main(void) {
    log_setup(LOG_ERROR, LOG_FORMAT_JSON, 2, "test");
    const struct CMUnitTest tests[] = {
        NODE_TEST(it_proves_itself_then_claims_and_judges),
        NODE_TEST(a_lost_answer_to_a_claim_is_asked_for_again_by_its_id),
        NODE_TEST(what_it_has_no_slot_for_is_handed_back),
        NODE_TEST(a_stop_hands_back_what_does_not_end_in_time),
        NODE_TEST(a_claim_that_was_broken_off_is_looked_after),
        NODE_TEST(a_stop_lets_a_short_job_end),
        NODE_TEST(the_servers_limit_of_slots_holds),
        NODE_TEST(a_superseded_session_ends_it_with_the_reason),
        NODE_TEST(an_unknown_credential_ends_it_at_once),
        NODE_TEST(a_server_that_is_away_at_the_start_is_waited_for),
        NODE_TEST(a_stop_before_the_session_is_a_good_end),
        NODE_TEST(the_servers_check_is_run_and_answered),
        NODE_TEST(to_a_server_of_the_version_before_it_proves_itself_first),
        NODE_TEST(a_node_that_fails_in_a_row_takes_itself_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
