/* Pools and queues in and out of service, and what new jobs run on. */
#include "app/app_fixture.h"
#include "app/pool.h"

static struct pool_view pool(struct fixture *f, const char *name) {
    struct pool_view *pools = NULL;
    int count = 0;
    must(f, pool_list(f->app, &administrator, f->arena, &pools, &count, &f->err));
    for (int i = 0; i < count; i++) {
        if (str_eq_c(pools[i].name, name)) {
            return pools[i];
        }
    }
    fail_msg("no pool %s", name);
    return (struct pool_view){0};
}

static struct pool_view hold_pool(struct fixture *f, bool held) {
    struct pool_view now = pool(f, "cpp");
    struct pool_update_request request = {
        .name = now.name, .revision = now.revision, .held = &held};
    must(f, pool_update(f->app, &administrator, &request, f->arena, &now, &f->err));
    return now;
}

static void a_held_pool_keeps_its_jobs_and_says_so(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 2, NULL);
    struct submission_id running = submit(f, 1);
    struct claimed_job job = claim_one(f, &node);

    assert_true(hold_pool(f, true).held);

    struct submission_id waiting = submit(f, 1);
    assert_int_equal(claim(f, &node, 1).job_count, 0);
    assert_string_equal(view(f, waiting).reason.code, "held");
    assert_true(settle(f, &node, &job.lease, VERDICT_ACCEPTED).item.ok);
    assert_int_equal(view(f, running).verdict, VERDICT_ACCEPTED);
    assert_false(hold_pool(f, false).held);
    assert_int_equal(claim(f, &node, 1).job_count, 1);
}

static void a_queue_in_service_again_wakes_who_waits(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 2, NULL);
    struct pool_view now = pool(f, "cpp");
    struct queue_update_request request = {
        .id = now.queues[0].id, .revision = now.queues[0].revision, .held = true};
    must(f, queue_update(f->app, &administrator, &request, f->arena, &now, &f->err));
    assert_true(now.queues[0].held);
    (void)submit(f, 1);
    bool done = false;
    struct claim_request waiting = {.item = {.done = note_done, .context = &done},
                                    .actor = node.actor,
                                    .session_epoch = node.epoch,
                                    .claim_id = 3,
                                    .free_slots = 1,
                                    .wait_ms = 15000,
                                    .arena = f->arena};
    dispatch_claim(f->app, &waiting);
    drain(f);
    assert_false(done);

    request =
        (struct queue_update_request){.id = now.queues[0].id, .revision = now.queues[0].revision};
    must(f, queue_update(f->app, &administrator, &request, f->arena, &now, &f->err));
    drain(f);

    assert_true(done);
    assert_int_equal(waiting.job_count, 1);
    assert_int_equal(query(f, "SELECT count(*) FROM audit_log WHERE action = 'queue.update'"), 2);
}

static void new_jobs_go_where_the_pool_says(void **state) {
    struct fixture *f = *state;
    struct pool_view now = pool(f, "cpp");
    struct str spec = STR("cpp-r3");
    struct pool_update_request request = {
        .name = STR("cpp"), .revision = now.revision, .runtime_spec = &spec};
    (void)submit(f, 1);

    must(f, pool_update(f->app, &administrator, &request, f->arena, &now, &f->err));
    (void)submit(f, 1);

    assert_true(str_eq_c(now.runtime_spec, "cpp-r3"));
    assert_int_equal(now.queue_count, 2);
    assert_int_equal(now.queues[0].waiting, 1);
    assert_int_equal(now.queues[1].waiting, 0); /* made before the second submission */
    now = pool(f, "cpp");
    assert_int_equal(now.queues[1].waiting, 1);
    assert_true(now.queues[1].current);
    assert_false(now.queues[0].current);
}

static void what_is_wrong_is_refused(void **state) {
    struct fixture *f = *state;
    struct actor student = user_actor(1);
    struct pool_view now = pool(f, "cpp");
    struct str bad = STR("a\tb");
    bool held = true;
    const struct {
        struct pool_update_request request;
        const char *code;
    } rows[] = {
        {{.name = STR("cpp"), .revision = now.revision + 1, .held = &held}, "stale_revision"},
        {{.name = STR("fortran"), .revision = 1, .held = &held}, "no_pool"},
        {{.name = STR("cpp"), .revision = now.revision, .runtime_spec = &bad}, "bad_field"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_false(
            pool_update(f->app, &administrator, &rows[i].request, f->arena, &now, &f->err));
        assert_string_equal(f->err.code, rows[i].code);
    }
    struct queue_update_request queue = {.id = {999}, .revision = 1};
    assert_false(queue_update(f->app, &administrator, &queue, f->arena, &now, &f->err));
    assert_string_equal(f->err.code, "no_queue");
    queue = (struct queue_update_request){.id = pool(f, "cpp").queues[0].id, .revision = 7};
    assert_false(queue_update(f->app, &administrator, &queue, f->arena, &now, &f->err));
    assert_string_equal(f->err.code, "stale_revision");
    assert_false(pool_update(f->app, &student, &rows[0].request, f->arena, &now, &f->err));
    assert_int_equal(f->err.kind, ERR_DENIED);
    assert_false(pool(f, "cpp").held);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        APP_TEST(a_held_pool_keeps_its_jobs_and_says_so),
        APP_TEST(a_queue_in_service_again_wakes_who_waits),
        APP_TEST(new_jobs_go_where_the_pool_says),
        APP_TEST(what_is_wrong_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
