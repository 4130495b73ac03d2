/* Two runs joined by pipes; that they talk is tested in the real box (tests/judge/test_kinds.c). */
#include "fake_problem.h"
#include "judge/pair.h"

static void each_reads_what_the_other_writes_within_bounds(void **state) {
    (void)state;
    struct pair pair = {.context = NULL};
    const struct box_stream *program = pair.specs[PAIR_PROGRAM].streams;
    const struct box_stream *interactor = pair.specs[PAIR_INTERACTOR].streams;

    pair_join(&pair, 1000, 2000);

    for (int i = 0; i < 2; i++) {
        assert_int_equal(program[i].kind, BOX_STREAM_PIPE);
        assert_int_equal(interactor[i].kind, BOX_STREAM_PIPE);
    }
    assert_int_equal(program[0].pipe, interactor[1].pipe);
    assert_int_equal(program[1].pipe, interactor[0].pipe);
    assert_int_not_equal(program[0].pipe, program[1].pipe);
    assert_int_equal(program[1].bytes_max, 1000);
    assert_int_equal(interactor[1].bytes_max, 2000);
}

static void a_box_that_starts_nothing_is_the_nodes_fault(void **state) {
    struct fake_world *world = *state;
    struct pair pair = {.context = NULL};
    struct box_result results[PAIR_COUNT];
    struct err err = {0};
    box_result_init(&results[PAIR_PROGRAM]);
    box_result_init(&results[PAIR_INTERACTOR]);
    fake.open_slots = 1;
    fake.fail_start = true;

    assert_false(pair_run(&world->work, &pair, results, &err));

    assert_int_equal(err.fault, FAULT_NODE);
    assert_int_equal(fake.kills, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FAKE_TEST(each_reads_what_the_other_writes_within_bounds),
        FAKE_TEST(a_box_that_starts_nothing_is_the_nodes_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
