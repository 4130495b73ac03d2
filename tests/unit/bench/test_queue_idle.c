/* What a server sends by itself does not grow with those who wait. */
#include "bench/queue_idle.h"

#include "queue_fixture.h"

static void waiting_nodes_and_viewers_cost_nothing(void **state) {
    (void)state;
    struct queue_fixture f = {0};
    int64_t few = -1;
    make_world(&f, &(struct queue_plan){.clients = 30, .nodes = 30, .groups = 2});

    assert_true(queue_idle_run(&f.world, 50, 1000, &few, &f.err));

    assert_in_range(few, 0, 30); /* not one a node or viewer */
    queue_world_done(&f.world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waiting_nodes_and_viewers_cost_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
