/* What a self-test finds. */
#include "node_world.h"

#include "node/check.h"

static bool go_on(void *context, const struct judge_progress *progress) {
    (void)progress;
    return context == NULL;
}

static bool check_with(struct world *world, void *context, struct check_report *ret_report) {
    struct check_options options = {
        .node = &world->options, .hello = true, .go_on = go_on, .context = context};
    return check_run(&options, world->arena, ret_report, &world->err);
}

static struct check_report run(struct world *world) {
    struct check_report report = {0};
    if (!check_with(world, NULL, &report)) {
        fail_msg("%s", world->err.text);
    }
    return report;
}

static void known_programs_get_their_known_verdicts(void **state) {
    struct world *world = *state;
    world_file(world, "languages/toy/selftest.txt", "obey\n");

    struct check_report report = run(world);

    if (!report.passed) {
        fail_msg(STR_FMT, STR_ARG(report.message));
    }
    assert_int_equal(report.program_count, 7);
    assert_int_equal(report.speed_permille, 0); /* it says no reference */
    assert_int_equal(fake.open_slots, 0);
}

/* For each program a machine on which it does not what it should. */
static void each_that_differs_is_found_and_named(void **state) {
    struct world *world = *state;
    static const char *const words[] = {"time", "memory", "crash", "forbidden"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        world_file(world, "languages/toy/selftest.txt",
                   arena_printf(world->arena, "obey %s", words[i]));

        struct check_report report = run(world);

        assert_false(report.passed);
        const char *named = arena_printf(world->arena, "toy, %s: ", words[i]);
        if (!str_starts(report.message, str_from(named))) {
            fail_msg("%s: " STR_FMT, words[i], STR_ARG(report.message));
        }
        assert_int_equal(report.program_count, 7); /* the others are looked at all the same */
    }
    world_file(world, "languages/toy/selftest.txt", "say accepted");
    assert_false(run(world).passed);
    world_file(world, "languages/toy/selftest.txt", "error");
    struct check_report report = run(world);
    assert_false(report.passed);
    assert_true(str_starts(report.message, STR("toy, compile: ")));
}

static void what_a_language_lacks_is_left_out(void **state) {
    struct world *world = *state;
    world_file(world, "languages/toy/selftest.txt", "obey forbidden\nassize-lacks: forbidden\n");

    struct check_report report = run(world);

    assert_int_equal(report.program_count, 6);
}

static void the_speed_is_measured_against_the_reference(void **state) {
    struct world *world = *state;
    world_file(world, "languages/toy/selftest.txt", "obey\nassize-speed-ms: 2\n");

    struct check_report report = run(world);

    assert_int_equal(report.programs[6].cpu_ms, 3); /* as the box says */
    assert_int_equal(report.speed_permille, 1500);
}

static void a_language_without_a_program_says_hello_alone(void **state) {
    struct world *world = *state;

    struct check_report report = run(world);

    assert_true(report.passed);
    assert_int_equal(report.program_count, 0);
}

static void it_stops_when_told(void **state) {
    struct world *world = *state;
    struct check_report report = {0};
    world_file(world, "languages/toy/selftest.txt", "obey\n");

    assert_false(check_with(world, world, &report));

    assert_int_equal(world->err.kind, ERR_CANCELLED);
}

static void a_box_that_is_broken_fails_it(void **state) {
    struct world *world = *state;
    world_file(world, "languages/toy/selftest.txt", "obey\n");
    assert_true(run(world).passed);
    fake.fail_start = true;

    struct check_report report = run(world);

    assert_false(report.passed);
    assert_true(report.message.len > 0);
}

int main(void) {
    log_setup(LOG_ERROR, LOG_FORMAT_JSON, 2, "test");
    const struct CMUnitTest tests[] = {
        NODE_TEST(known_programs_get_their_known_verdicts),
        NODE_TEST(each_that_differs_is_found_and_named),
        NODE_TEST(what_a_language_lacks_is_left_out),
        NODE_TEST(the_speed_is_measured_against_the_reference),
        NODE_TEST(a_language_without_a_program_says_hello_alone),
        NODE_TEST(it_stops_when_told),
        NODE_TEST(a_box_that_is_broken_fails_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
