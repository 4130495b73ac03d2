/* What anybody may know, and the probes of load balancers. */
#include "node_fixture.h"

static void the_summary_counts_nodes_and_waiting_jobs_by_pool(void **state) {
    struct fixture *f = *state;
    struct person admin = new_person(f, "eve", ROLE_ADMIN);
    (void)new_node(f, &admin, "n1");
    (void)submitted(f, &admin, new_problem(f, "sum"));
    fixture_later(f, 1100); /* cached for a second */

    struct reply reply = get(f, NULL, "/api/v1/system/judgers/summary");

    expect(reply, 200);
    assert_int_equal(reply_str(&reply, "asOf").len, 24);
    assert_true(reply_is(&reply, "freshness", "LIVE"));
    assert_int_equal(reply_i64(&reply, "readyPools"), 1);
    assert_true(reply_i64(&reply, "totalPools") >= 1);
    bool seen = false;
    for (size_t i = 0; i < jr_count(reply_at(&reply, "pools")); i++) {
        const char *at = arena_printf(f->arena, "pools.%zu", i);
        if (!reply_is(&reply, arena_printf(f->arena, "%s.pool", at), "cpp")) {
            continue;
        }
        seen = true;
        assert_true(reply_bool(&reply, arena_printf(f->arena, "%s.ready", at)));
        assert_int_equal(reply_i64(&reply, arena_printf(f->arena, "%s.nodes", at)), 1);
        assert_int_equal(reply_i64(&reply, arena_printf(f->arena, "%s.slots", at)), 2);
        assert_int_equal(reply_i64(&reply, arena_printf(f->arena, "%s.busySlots", at)), 0);
        assert_int_equal(reply_i64(&reply, arena_printf(f->arena, "%s.waiting", at)), 1);
    }
    assert_true(seen);
}

static void health_is_degraded_without_a_node_and_ok_with_one(void **state) {
    struct fixture *f = *state;
    struct person admin = new_person(f, "eve", ROLE_ADMIN);

    struct reply without = get(f, NULL, "/api/system/health");
    (void)new_node(f, &admin, "n1");
    fixture_later(f, 1100);
    struct reply with = get(f, NULL, "/api/system/health");

    expect(without, 200);
    assert_true(reply_is(&without, "status", "degraded"));
    assert_true(reply_is(&without, "repository", "ok"));
    assert_true(reply_is(&without, "sandbox", "none"));
    assert_int_equal(reply_i64(&without, "worker_concurrency"), 0);
    expect(with, 200);
    assert_true(reply_is(&with, "status", "ok"));
    assert_true(reply_is(&with, "sandbox", "box"));
    assert_true(reply_is(&with, "judger_mode", "pool"));
    assert_int_equal(reply_i64(&with, "worker_concurrency"), 2);
    assert_true(reply_is(&with, "version", ASSIZE_VERSION));
    assert_int_equal(reply_str(&with, "timestamp").len, 24);
}

static void stats_count_verdicts_by_their_public_names(void **state) {
    struct fixture *f = *state;
    struct person admin = new_person(f, "eve", ROLE_ADMIN);
    struct fake_node node = new_node(f, &admin, "n1");
    int64_t problem = new_problem(f, "sum");
    (void)submitted(f, &admin, problem);
    struct fake_lease lease = node_claimed(f, &node, 1);
    node_settled(f, &node, &lease, VERDICT_ACCEPTED);
    (void)submitted(f, &admin, problem);
    fixture_later(f, 1100);

    struct reply reply = get(f, NULL, "/api/system/stats");

    expect(reply, 200);
    assert_int_equal(reply_i64(&reply, "total_submissions"), 2);
    assert_int_equal(reply_i64(&reply, "max_workers"), 2);
    assert_int_equal(reply_i64(&reply, "busy_rejects"), 0);
    assert_int_equal(reply_i64(&reply, "status_counts.Accepted"), 1);
    assert_int_equal(reply_i64(&reply, "status_counts.Wrong_Answer"), 0);
}

static void the_probes_answer_in_plain_text(void **state) {
    struct fixture *f = *state;

    struct reply alive = get(f, NULL, "/healthz");
    struct reply ready = get(f, NULL, "/readyz");

    expect(alive, 200);
    assert_true(str_eq(alive.body, STR("alive\n")));
    expect(ready, 200);
    assert_true(str_eq(ready.body, STR("ready\n")));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SERVER_TEST(the_summary_counts_nodes_and_waiting_jobs_by_pool),
        SERVER_TEST(health_is_degraded_without_a_node_and_ok_with_one),
        SERVER_TEST(stats_count_verdicts_by_their_public_names),
        SERVER_TEST(the_probes_answer_in_plain_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
