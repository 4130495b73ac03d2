/* The same again and again, and two runs beside each other: neither learns of the other, and what
 * is measured of one does not depend on what the other does. */
#include "box_prepared.h"

#include "base/clock.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define MIB (1024LL * 1024)

/* More of everything where time is not short. */
static int64_t times(int64_t few) {
    return getenv("ASSIZE_LONG") != NULL ? few * 10 : few;
}

static void start_neighbour(struct prepared *prepared, const char *name) {
    struct err err = {0};
    uint32_t run = 0;
    prepare(prepared, name, NULL);
    prepared->spec.limits.cpu_ms = prepared->spec.limits.wall_ms = 600000;
    must(box_start(fixture.box, 1, &prepared->spec, &run, &err), &err);
}

static void end_neighbour(void) {
    struct err err = {0};
    must(box_slot_close(fixture.box, 1, &err), &err);
    must(box_slot_open(fixture.box, 1, &err), &err);
}

static void just_below_its_cpu_limit_a_program_lives_beside_a_busy_one(void **state) {
    (void)state;
    struct prepared neighbour;
    start_neighbour(&neighbour, "spin");
    for (int64_t i = 0; i < times(20); i++) {
        struct prepared prepared;
        struct box_result result;
        prepare(&prepared, "burn", "190");
        prepared.spec.limits.cpu_ms = 200 + 100 * (fixture_slow() - 1);

        run_it(&prepared, &result);

        assert_int_equal(result.end, BOX_END_EXIT);
        assert_true(result.cpu_user_us + result.cpu_system_us >= 190000);
        box_result_done(&result);
    }
    end_neighbour();
    fixture_check_clean(&fixture);
}

static void just_below_its_memory_limit_a_program_lives_and_is_measured(void **state) {
    (void)state;
    for (int64_t i = 0; i < times(20); i++) {
        struct prepared prepared;
        struct box_result result;
        prepare(&prepared, "heap", "31");
        prepared.spec.limits.memory_bytes = 32 * MIB;

        run_it(&prepared, &result);

        assert_int_equal(result.end, BOX_END_EXIT);
        assert_in_range(result.memory_peak_bytes, 31 * MIB, 32 * MIB);
        box_result_done(&result);
    }
    fixture_check_clean(&fixture);
}

/* The peak of a large run is not the small one's behind it. */
static void a_large_run_leaves_no_figure_to_the_next(void **state) {
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct box_result result;
        struct prepared prepared;
        prepare(&prepared, "heap", "100");
        run_it(&prepared, &result);
        assert_true(result.memory_peak_bytes >= 100 * MIB);
        box_result_done(&result);

        prepare(&prepared, "hello", NULL);
        run_it(&prepared, &result);

        assert_true(result.memory_peak_bytes < 2 * MIB);
        assert_true(result.cpu_user_us + result.cpu_system_us < 50000 * fixture_slow());
        box_result_done(&result);
    }
}

static void two_runs_at_once_cannot_tell_each_other_anything(void **state) {
    (void)state;
    static const char *const roots[] = {"/usr", NULL};
    struct err err = {0};
    struct prepared teller;
    struct prepared looker;
    struct box_result result;
    char text[256];
    uint32_t run = 0;
    prepare(&teller, "channel-tell", NULL);
    teller.spec.roots = roots;
    must(box_start(fixture.box, 1, &teller.spec, &run, &err), &err);
    if (box_wait(fixture.box, 1, 200 * fixture_slow(), &result, &err)) { /* it has told by then */
        fail_msg("the teller ended: %d, code %d, signal %d", (int)result.end, result.exit_code,
                 result.signal);
    }
    prepare(&looker, "channel-look", NULL);
    looker.spec.roots = roots;

    run_it(&looker, &result);

    fixture_text(result.stream_fds[1], text, sizeof(text));
    assert_string_equal(text, "ok\n");
    box_result_done(&result);
    must(box_kill(fixture.box, 1, run, &err), &err);
    box_result_init(&result);
    must(box_wait(fixture.box, 1, -1, &result, &err), &err);
    fixture_text(result.stream_fds[1], text, sizeof(text));
    assert_string_equal(text, "told\n");
    box_result_done(&result);
    end_neighbour();
    fixture.fds_before = fixture_settled_fds(&fixture); /* a launcher for other roots */
    fixture_check_clean(&fixture);
}

/* Whatever it does with whatever arguments: it ends, and the machine is as it was. */
static void random_calls_never_hurt_the_box(void **state) {
    (void)state;
    for (int64_t seed = 1; seed <= times(10); seed++) {
        char number[24];
        struct prepared prepared;
        struct box_result result;
        snprintf(number, sizeof(number), "%lld", (long long)seed);
        prepare(&prepared, "fuzz", number);
        prepared.spec.limits.cpu_ms = 200;
        prepared.spec.limits.wall_ms = 1000;

        run_it(&prepared, &result);

        printf("           seed %lld: end %d, signal %d, cpu %lld us\n", (long long)seed,
               (int)result.end, result.signal,
               (long long)(result.cpu_user_us + result.cpu_system_us));
        assert_int_not_equal(result.end, BOX_END_START);
        box_result_done(&result);
        fixture_check_clean(&fixture);
    }
}

int main(void) {
    fixture_require();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(just_below_its_cpu_limit_a_program_lives_beside_a_busy_one),
        cmocka_unit_test(just_below_its_memory_limit_a_program_lives_and_is_measured),
        cmocka_unit_test(a_large_run_leaves_no_figure_to_the_next),
        cmocka_unit_test(two_runs_at_once_cannot_tell_each_other_anything),
        cmocka_unit_test(random_calls_never_hurt_the_box),
    };
    if (getenv("ONLY") != NULL) {
        cmocka_set_test_filter(getenv("ONLY"));
    }
    fixture_open(&fixture);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    fixture_close(&fixture);
    return failed + (count_cgroups() != 0);
}
