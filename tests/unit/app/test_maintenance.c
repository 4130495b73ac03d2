/* Tasks run when they are due, and not before. */
#include "app/app_fixture.h"
#include "app/parts_internal.h"
#include "store/rows.h"

static void a_task_waits_for_its_period(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    (void)submit(f, 1);
    (void)claim_one(f, &node);
    drain(f);
    clock_manual_advance(&f->clock, f->settings.lease_ms);
    drain(f); /* reaps */
    assert_int_equal(query(f, "SELECT count(*) FROM job_lease"), 0);
    assert_true(beat(f, &node).item.ok);
    (void)claim_one(f, &node);
    exec(f, "UPDATE job_lease SET lease_until_ms = 0");

    clock_manual_advance(&f->clock, f->settings.reap_ms - 1);
    drain(f);
    assert_int_equal(query(f, "SELECT count(*) FROM job_lease"), 1);
    clock_manual_advance(&f->clock, 1);
    drain(f);

    assert_int_equal(query(f, "SELECT count(*) FROM job_lease"), 0);
}

static void nothing_to_do_is_said(void **state) {
    struct fixture *f = *state;
    drain(f);

    assert_false(maintenance_step(f->app));
    assert_false(app_step(f->app));
}

static void an_idle_app_asks_little_of_the_database(void **state) {
    struct fixture *f = *state;
    if (test_db_is_mysql()) { /* counts statements: bench queue's idle cost says it there */
        skip();
    }
    drain(f);
    int64_t before = query(f, "SELECT total_changes()");

    advance(f, 1000);

    assert_in_range(query(f, "SELECT total_changes()") - before, 0, 2);
}

/* ---- what idling costs: statements of the writer a second, whatever the number of nodes ---- */

#define IDLE_NODES 40
#define IDLE_SECONDS 60

struct idle_node {
    struct test_node node;
    struct heartbeat_request beat;
    struct claim_request claim;
};

static void ignore_done(struct write_item *item) {
    (void)item;
}

static void ask_again(struct fixture *f, struct idle_node *idle) {
    idle->claim = (struct claim_request){.item = {.done = ignore_done},
                                         .actor = idle->node.actor,
                                         .session_epoch = idle->node.epoch,
                                         .claim_id = ++f->claims,
                                         .free_slots = 1,
                                         .wait_ms = 15000,
                                         .arena = f->arena};
    dispatch_claim(f->app, &idle->claim);
}

static void beat_again(struct fixture *f, struct idle_node *idle) {
    idle->beat = (struct heartbeat_request){.item = {.done = ignore_done},
                                            .actor = idle->node.actor,
                                            .session_epoch = idle->node.epoch};
    dispatch_heartbeat(f->app, &idle->beat);
}

/* Beats every ten seconds, claims every fifteen; what falls into one second comes together. */
static int64_t idle_statements(struct fixture *f, struct idle_node *nodes, int count) {
    int64_t before = db_counts(f->app->db).statements;
    for (int second = 0; second < IDLE_SECONDS; second++) {
        for (int i = 0; i < count; i++) {
            if ((second + i) % 10 == 0) {
                beat_again(f, &nodes[i]);
            }
            if ((second + i) % 15 == 0) {
                ask_again(f, &nodes[i]);
            }
        }
        advance(f, 1000);
    }
    return db_counts(f->app->db).statements - before;
}

static void idling_costs_the_same_with_few_and_with_many_nodes(void **state) {
    struct fixture *f = *state;
    struct idle_node *nodes = arena_array(f->arena, IDLE_NODES, sizeof nodes[0]);
    for (int i = 0; i < IDLE_NODES; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "n%d", i);
        nodes[i].node = make_node(f, name, 1, NULL);
    }
    drain(f);

    int64_t few = idle_statements(f, nodes, 2);
    advance(f, 20000);
    int64_t many = idle_statements(f, nodes, IDLE_NODES);
    print_message("statements a second: %lld.%02lld with 2 nodes, %lld.%02lld with %d\n",
                  (long long)(few / IDLE_SECONDS), (long long)(few * 100 / IDLE_SECONDS % 100),
                  (long long)(many / IDLE_SECONDS), (long long)(many * 100 / IDLE_SECONDS % 100),
                  IDLE_NODES);

    assert_in_range(many / IDLE_SECONDS, 0, 20);
    advance(f, 20000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        APP_TEST(a_task_waits_for_its_period),
        APP_TEST(nothing_to_do_is_said),
        APP_TEST(an_idle_app_asks_little_of_the_database),
        APP_TEST(idling_costs_the_same_with_few_and_with_many_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
