/* What all nodes and queues look like together. */
#include "app/app_fixture.h"
#include "app/summary_internal.h"

static struct pool_summary pool(struct fixture *f, const char *name) {
    struct pool_summary *pools = NULL;
    int count = 0;
    int64_t as_of_ms = 0;
    must(f, judger_summary(f->app, f->arena, &pools, &count, &as_of_ms, &f->err));
    for (int i = 0; i < count; i++) {
        if (str_eq_c(pools[i].pool, name)) {
            return pools[i];
        }
    }
    fail_msg("no pool %s", name);
    return (struct pool_summary){0};
}

static void a_pool_says_what_it_has_and_what_waits(void **state) {
    struct fixture *f = *state;
    assert_false(pool(f, "cpp").ready);
    struct test_node node = make_node(f, "n1", 3, NULL);
    for (int i = 0; i < 4; i++) {
        (void)submit(f, 1);
    }
    (void)claim(f, &node, 1);
    clock_manual_advance(&f->clock, 1000); /* the answer is kept for a second */

    struct pool_summary cpp = pool(f, "cpp");

    assert_true(cpp.ready);
    assert_int_equal(cpp.nodes, 1);
    assert_int_equal(cpp.slots, 3);
    assert_int_equal(cpp.busy_slots, 1);
    assert_int_equal(cpp.waiting, 3);
    assert_false(pool(f, "python").ready);
}

static void a_language_is_available_while_a_node_can_run_it(void **state) {
    struct fixture *f = *state;
    assert_false(judger_language_available(f->app, STR("cpp")));
    (void)make_node(f, "n1", 3, NULL);

    assert_true(judger_language_available(f->app, STR("cpp")));
    assert_false(judger_language_available(f->app, STR("c")));
    clock_manual_advance(&f->clock, f->settings.offline_ms + 1);
    assert_false(judger_language_available(f->app, STR("cpp")));
}

static void statistics_count_by_verdict(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 3, NULL);
    struct system_stats stats = {0};
    (void)submit(f, 1);
    struct claimed_job job = claim_one(f, &node);
    assert_true(settle(f, &node, &job.lease, VERDICT_WRONG_ANSWER).item.ok);
    (void)submit(f, 1);
    (void)submit(f, 1);
    (void)claim_one(f, &node);
    summary_forget(f->app);

    must(f, system_stats_get(f->app, &stats, &f->err));

    assert_int_equal(stats.submissions, 3);
    assert_int_equal(stats.by_verdict[VERDICT_WRONG_ANSWER], 1);
    assert_int_equal(stats.by_verdict[VERDICT_NONE], 2);
    assert_int_equal(stats.active_workers, 1);
    assert_int_equal(stats.max_workers, 3);
    assert_int_equal(stats.busy_rejects, 0);
    must(f, system_ping(f->app, &f->err));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        APP_TEST(a_pool_says_what_it_has_and_what_waits),
        APP_TEST(a_language_is_available_while_a_node_can_run_it),
        APP_TEST(statistics_count_by_verdict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
