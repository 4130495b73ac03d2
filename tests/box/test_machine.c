/* What the box does with the whole machine: its processors bound and busy, its memory in large
 * parts. */
#include "box_prepared.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/thread.h"
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define MIB (1024LL * 1024)
#define GIB (1024LL * MIB)
#define SPARE_BYTES (3 * GIB) /* left to the machine while a limit is filled */
#define BEATS 20
#define BEAT_MS 50
#define BEATS_MS_MAX 10000 /* a beat each 10 s is usual, and 30 s without one is the end */
#define SPINNING_RUNS 4    /* of four threads each */

static void open_box(const struct box_options *options) {
    fixture_open_with(&fixture, options);
}

static void close_box(void) {
    fixture_close(&fixture);
    assert_int_equal(count_cgroups(), 0);
}

/* ---- processors ---- */

static void each_pinned_slot_has_a_processor_of_its_own(void **state) {
    (void)state;
    struct err err = {0};
    char seen[FIXTURE_SLOTS][256];
    cpu_set_t usable;
    assert_int_equal(sched_getaffinity(0, sizeof(usable), &usable), 0);
    if (CPU_COUNT(&usable) < FIXTURE_SLOTS) {
        skip();
    }
    open_box(&(struct box_options){.pin = true});

    for (int slot = 0; slot < FIXTURE_SLOTS; slot++) {
        struct prepared prepared;
        struct box_result result;
        prepare(&prepared, "processors", NULL);
        box_result_init(&result);
        must(box_run(fixture.box, slot, &prepared.spec, &result, &err), &err);
        fixture_text(result.stream_fds[1], seen[slot], sizeof(seen[slot]));
        box_result_done(&result);
    }

    printf("           %s           %s", seen[0], seen[1]);
    assert_null(strchr(seen[0], ' ')); /* one number and a line's end */
    assert_null(strchr(seen[1], ' '));
    assert_string_not_equal(seen[0], seen[1]);
    close_box();
}

/* The agent's beats: it wants to wake up every BEAT_MS, as the node's loop does now and then. */
static void *beat(void *argument) {
    int64_t *ret_ms = argument;
    int64_t begin_ms = clock_mono_ms(&clock_real);
    for (int i = 0; i < BEATS; i++) {
        clock_sleep_ms(&clock_real, BEAT_MS);
    }
    *ret_ms = clock_mono_ms(&clock_real) - begin_ms;
    return NULL;
}

static void spin_everywhere(struct prepared *neighbours) {
    struct err err = {0};
    uint32_t run = 0;
    for (int i = 0; i < SPINNING_RUNS; i++) {
        prepare(&neighbours[i], "threads", "4");
        neighbours[i].spec.limits.cpu_ms = neighbours[i].spec.limits.wall_ms = 600000;
        must(box_start(fixture.box, 1, &neighbours[i].spec, &run, &err), &err);
    }
}

static void check_limits(void) {
    struct prepared prepared;
    struct box_result result;
    int64_t margin_us = 20000 * fixture_slow();
    prepare(&prepared, "spin", NULL);
    prepared.spec.limits.cpu_ms = 200;
    run_it(&prepared, &result);
    assert_int_equal(result.end, BOX_END_CPU);
    assert_in_range(result.cpu_user_us + result.cpu_system_us, 200000, 200000 + margin_us);
    box_result_done(&result);
    prepare(&prepared, "rest", NULL);
    prepared.spec.limits.wall_ms = 300;
    run_it(&prepared, &result);
    printf("           a wall time of 300 ms ended after %lld us\n", (long long)result.wall_us);
    assert_int_equal(result.end, BOX_END_WALL);
    assert_true(result.wall_us >= 300000);
    assert_true(fixture_is_rootless() || result.wall_us <= 300000 + 5 * margin_us);
    box_result_done(&result);
}

static void limits_and_beats_are_kept_while_every_processor_spins(void **state) {
    (void)state;
    struct prepared neighbours[SPINNING_RUNS];
    struct err err = {0};
    int64_t beats_ms = 0;
    open_box(&(struct box_options){.cpu_weight = fixture_is_rootless() ? 0 : 50});
    spin_everywhere(neighbours);

    pthread_t agent = thread_start("agent", beat, &beats_ms);
    check_limits();
    thread_join(agent);

    printf("           %d beats of %d ms took %lld ms\n", BEATS, BEAT_MS, (long long)beats_ms);
    assert_true(beats_ms <= BEATS_MS_MAX);
    must(box_slot_close(fixture.box, 1, &err), &err);
    must(box_slot_open(fixture.box, 1, &err), &err);
    close_box();
}

/* ---- memory ---- */

static int64_t available_bytes(void) {
    char text[4096];
    int64_t kib = 0;
    static const char mark[] = "MemAvailable:";
    struct err err = {0};
    struct str word = STR("");
    const char *at =
        file_read_at(AT_FDCWD, "/proc/meminfo", text, sizeof(text)) ? strstr(text, mark) : NULL;
    struct str rest = str_from(at == NULL ? "" : at + strlen(mark));
    bool read = str_next_word(&rest, &word) && str_to_i64(word, 0, INT64_MAX / 1024, &kib, &err);
    return read ? kib * 1024 : 0;
}

/* Twice wrong with 32 bits: 4 GiB would be nothing, 8 GiB too. */
static void a_limit_of(int64_t gib) {
    struct prepared prepared;
    struct box_result result;
    char mib[24];
    prepare(&prepared, "huge", "300");
    prepared.spec.limits.memory_bytes = gib * GIB;
    run_it(&prepared, &result);
    assert_int_equal(result.end, BOX_END_EXIT);
    assert_in_range(result.memory_peak_bytes, 300 * MIB, 310 * MIB);
    box_result_done(&result);
    bool long_form = getenv("ASSIZE_LONG") != NULL && fixture_slow() == 1;
    if (available_bytes() < gib * GIB + SPARE_BYTES || (gib > 2 && !long_form)) {
        printf("           not filled: %lld GiB\n", (long long)gib);
        return;
    }
    snprintf(mib, sizeof(mib), "%lld", (long long)gib * 1024 + 200);
    prepare(&prepared, "huge", mib);
    prepared.spec.limits.memory_bytes = gib * GIB;
    prepared.spec.limits.cpu_ms = prepared.spec.limits.wall_ms = 100000;
    run_it(&prepared, &result);
    printf("           %lld GiB: end %d, peak %lld, cpu %lld us\n", (long long)gib, (int)result.end,
           (long long)result.memory_peak_bytes,
           (long long)(result.cpu_user_us + result.cpu_system_us));
    assert_int_equal(result.end, BOX_END_MEMORY);
    assert_in_range(result.memory_peak_bytes, gib * GIB - 4 * MIB, gib * GIB);
    box_result_done(&result);
}

static void limits_of_many_gib_are_kept(void **state) {
    (void)state;
    open_box(&(struct box_options){0});
    a_limit_of(2);
    a_limit_of(4);
    a_limit_of(8);
    fixture_check_clean(&fixture);
    close_box();
}

int main(void) {
    fixture_require();
    if (fixture_is_rootless() && getenv("ASSIZE_LONG") == NULL) {
        puts("skipped: the long form shows it as an ordinary user too: ASSIZE_LONG=1");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_pinned_slot_has_a_processor_of_its_own),
        cmocka_unit_test(limits_and_beats_are_kept_while_every_processor_spins),
        cmocka_unit_test(limits_of_many_gib_are_kept),
    };
    if (getenv("ONLY") != NULL) {
        cmocka_set_test_filter(getenv("ONLY"));
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
