/* Runs on behalf of one judging. */
#include "fake_problem.h"
#include "judge/work.h"

static int asked;
static int answers; /* how often to say "go on" */

static bool on_progress(void *context, const struct judge_progress *progress) {
    (void)context;
    (void)progress;
    asked++;
    return asked <= answers;
}

static bool run(struct fake_world *world, struct box_result *box, struct err *err) {
    struct program program = {.language = fake_language(world, "python3"), .entry = "main.py"};
    struct fileset files = {.count = 0};
    struct run_ask ask = {
        .program = &program,
        .files = &files,
        .args = STR("a b"),
        .limits = {.cpu_ms = 100, .wall_ms = 1300, .memory_bytes = 1 << 20, .output_bytes = 10}};
    struct box_run_spec spec = {0};
    fake.open_slots = 1;
    asked = 0;
    assert_true(work_fill_run(&world->work, &ask, &spec, err));
    return work_run(&world->work, &spec, box, err);
}

static void a_run_is_asked_about_only_while_it_lasts(void **state) {
    struct fake_world *world = *state;
    own_box_result box;
    struct err err = {0};
    box_result_init(&box);
    world->work.progress = on_progress;
    answers = 10;
    fake.deadlines = 3;

    assert_true(run(world, &box, &err));

    assert_int_equal(asked, 3);
    assert_int_equal(fake.kills, 0);
    assert_string_equal(fake.argv, "/usr/bin/python3 -s -B main.py a b");
    assert_int_equal(fake.spec.profile, BOX_PROFILE_MANAGED);
    assert_int_equal(fake.spec.limits.cpu_ms, 150);
}

static void an_unwanted_run_is_killed_and_waited_for(void **state) {
    struct fake_world *world = *state;
    own_box_result box;
    struct err err = {0};
    box_result_init(&box);
    world->work.progress = on_progress;
    answers = 1;
    fake.deadlines = 100;

    assert_false(run(world, &box, &err));

    assert_int_equal(err.kind, ERR_CANCELLED);
    assert_int_equal(asked, 2);
    assert_int_equal(fake.kills, 1);
}

static void a_finished_case_is_not_told_again_with_each_question(void **state) {
    struct fake_world *world = *state;
    own_box_result box;
    struct err err = {0};
    struct case_result finished = {.index = 0};
    box_result_init(&box);
    world->work.now.finished = &finished;

    assert_true(run(world, &box, &err));

    assert_null(world->work.now.finished);
}

static void errors_of_our_own_doing_are_the_nodes(void **state) {
    (void)state;
    struct err invalid = {.kind = ERR_INVALID};
    struct err problem = {.kind = ERR_SYSTEM, .fault = FAULT_PROBLEM};
    struct err cancelled = {.kind = ERR_CANCELLED};

    assert_false(work_node_fault(&invalid));
    assert_false(work_node_fault(&problem));
    assert_false(work_node_fault(&cancelled));

    assert_int_equal(invalid.kind, ERR_SYSTEM);
    assert_int_equal(invalid.fault, FAULT_NODE);
    assert_int_equal(problem.fault, FAULT_PROBLEM);
    assert_int_equal(cancelled.kind, ERR_CANCELLED);
    assert_int_equal(cancelled.fault, FAULT_NONE);
}

static void too_many_arguments_are_the_problems_fault(void **state) {
    struct fake_world *world = *state;
    struct program program = {.language = fake_language(world, "cpp"), .entry = ""};
    struct fileset files = {.count = 0};
    char many[2002];
    struct box_run_spec spec = {0};
    struct err err = {0};
    for (size_t i = 0; i < sizeof many; i++) {
        many[i] = i % 2 == 0 ? 'a' : ' ';
    }
    struct run_ask ask = {.program = &program, .files = &files, .args = str_of(many, sizeof many)};

    assert_false(work_fill_run(&world->work, &ask, &spec, &err));

    assert_int_equal(err.kind, ERR_SYSTEM);
    assert_int_equal(err.fault, FAULT_PROBLEM);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FAKE_TEST(a_run_is_asked_about_only_while_it_lasts),
        FAKE_TEST(an_unwanted_run_is_killed_and_waited_for),
        FAKE_TEST(a_finished_case_is_not_told_again_with_each_question),
        cmocka_unit_test(errors_of_our_own_doing_are_the_nodes),
        FAKE_TEST(too_many_arguments_are_the_problems_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
