/* Overhead of a run, interleaved with plain processes and with bubblewrap. */
#include "bench/box_speed.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/thread.h"
#include "bench/box_session.h"
#include "bench/program.h"
#include "bench/table.h"
#include <stdio.h>
#include <unistd.h>

#define WARM_UPS 5
#define BLOCK_RUNS 50 /* of one slot, for the throughput */
#define SLOTS 2

const char *const speed_names[SPEED_WAYS] = {
    [SPEED_PLAIN] = "plain",           [SPEED_RUN] = "run",
    [SPEED_PLACED] = "placed",         [SPEED_FRESH] = "fresh",
    [SPEED_BUBBLEWRAP] = "bubblewrap",
};
static const char *const titles[SPEED_WAYS] = {
    [SPEED_PLAIN] = "plain spawn and wait",          [SPEED_RUN] = "run, waiting launcher",
    [SPEED_PLACED] = "run, program placed first",    [SPEED_FRESH] = "run, fresh launcher",
    [SPEED_BUBBLEWRAP] = "bubblewrap --unshare-all",
};
static const char *const phase_names[SPEED_PHASES] = {
    [SPEED_ACCEPT] = "accept", [SPEED_PROGRAM] = "program", [SPEED_REST] = "rest"};
static const char *const phase_titles[SPEED_PHASES] = {
    [SPEED_ACCEPT] = "request until it is accepted",
    [SPEED_PROGRAM] = "the program, start to exit",
    [SPEED_REST] = "set-up, clean-up, messages",
};

/* What the ways share while they are measured. */
struct ways {
    struct box_session *session;
    struct speed *speed;
    int file; /* the program as a file to place */
    char bubblewrap[256];
};

void speed_init(struct speed *speed) {
    *speed = (struct speed){.way_count = 0};
}

void speed_done(struct speed *speed) {
    if (speed != NULL) {
        rounds_done(speed->ways, SPEED_WAYS);
        for (int i = 0; i < SPEED_PHASES; i++) {
            samples_done(&speed->phases[i]);
        }
        samples_done(&speed->one_slot);
        samples_done(&speed->two_slots);
    }
}

/* ---- one of each way ---- */

static bool once_plain(void *context, int64_t *ret_ns, struct err *err) {
    const struct ways *ways = context;
    const char *const argv[] = {ways->session->empty, NULL};
    return program_spawn(argv, ret_ns, err);
}

static bool once_run(void *context, int64_t *ret_ns, struct err *err) {
    const struct ways *ways = context;
    const char *const argv[] = {ways->session->empty, NULL};
    const struct box_run_spec spec = box_session_spec(ways->session, argv);
    own_box_result result;
    uint32_t run = 0;
    box_result_init(&result);
    int64_t before_ns = clock_real_mono_ns();
    if (!box_start(ways->session->box, 0, &spec, &run, err)) {
        return false;
    }
    int64_t accepted_ns = clock_real_mono_ns() - before_ns;
    if (!box_wait(ways->session->box, 0, -1, &result, err)) {
        return false;
    }
    *ret_ns = clock_real_mono_ns() - before_ns;
    samples_add(&ways->speed->phases[SPEED_ACCEPT], accepted_ns);
    samples_add(&ways->speed->phases[SPEED_PROGRAM], result.wall_us * 1000);
    samples_add(&ways->speed->phases[SPEED_REST], *ret_ns - accepted_ns - result.wall_us * 1000);
    return true;
}

static bool once_placed(void *context, int64_t *ret_ns, struct err *err) {
    const struct ways *ways = context;
    const char *const argv[] = {"/w/empty", NULL};
    const struct box_file file = {.name = "empty", .fd = ways->file, .executable = true};
    struct box_run_spec spec = box_session_spec(ways->session, argv);
    own_box_result result;
    box_result_init(&result);
    spec.files = &file;
    spec.file_count = 1;
    return box_session_run(ways->session, 0, &spec, ret_ns, &result, err);
}

/* Closing the slot ends its launcher; that is not what is measured. */
static bool once_fresh(void *context, int64_t *ret_ns, struct err *err) {
    const struct ways *ways = context;
    const char *const argv[] = {ways->session->empty, NULL};
    const struct box_run_spec spec = box_session_spec(ways->session, argv);
    own_box_result result;
    box_result_init(&result);
    return box_slot_close(ways->session->box, 1, err) &&
           box_slot_open(ways->session->box, 1, err) &&
           box_session_run(ways->session, 1, &spec, ret_ns, &result, err);
}

static bool once_bubblewrap(void *context, int64_t *ret_ns, struct err *err) {
    const struct ways *ways = context;
    const char *folder = ways->session->folder;
    const char *const argv[] = {ways->bubblewrap,
                                "--unshare-all",
                                "--die-with-parent",
                                "--ro-bind",
                                folder,
                                folder,
                                "--proc",
                                "/proc",
                                "--tmpfs",
                                "/w",
                                "--tmpfs",
                                "/tmp",
                                "--",
                                ways->session->empty,
                                NULL};
    return program_spawn(argv, ret_ns, err);
}

static bool (*const once[SPEED_WAYS])(void *context, int64_t *ret_ns, struct err *err) = {
    [SPEED_PLAIN] = once_plain,           [SPEED_RUN] = once_run,
    [SPEED_PLACED] = once_placed,         [SPEED_FRESH] = once_fresh,
    [SPEED_BUBBLEWRAP] = once_bubblewrap,
};

/* ---- throughput ---- */

struct worker {
    struct box_session *session;
    int slot;
    bool done;
    struct err err;
};

static void *work(void *context) {
    struct worker *worker = context;
    const char *const argv[] = {worker->session->empty, NULL};
    const struct box_run_spec spec = box_session_spec(worker->session, argv);
    worker->done = true;
    for (int i = 0; i < BLOCK_RUNS && worker->done; i++) {
        int64_t ignored_ns = 0;
        own_box_result result;
        box_result_init(&result);
        worker->done = box_session_run(worker->session, worker->slot, &spec, &ignored_ns, &result,
                                       &worker->err);
    }
    return NULL;
}

/* Runs a second of `slots` slots together. */
static bool block(struct box_session *session, int slots, struct samples *samples,
                  struct err *err) {
    struct worker workers[SLOTS];
    pthread_t threads[SLOTS];
    int64_t before_ns = clock_real_mono_ns();
    for (int i = 0; i < slots; i++) {
        workers[i] = (struct worker){.session = session, .slot = i};
        threads[i] = thread_start("bench-slot", work, &workers[i]);
    }
    for (int i = 0; i < slots; i++) {
        thread_join(threads[i]);
    }
    int64_t passed_ns = clock_real_mono_ns() - before_ns;
    samples_add(samples, (int64_t)slots * BLOCK_RUNS * 1000000000 / passed_ns);
    for (int i = 0; i < slots; i++) {
        if (!workers[i].done) {
            *err = workers[i].err;
            return false;
        }
    }
    return true;
}

static bool measure_throughput(struct speed *speed, struct box_session *session, int64_t runs,
                               struct err *err) {
    int64_t blocks = runs / BLOCK_RUNS + 1;
    for (int64_t i = 0; i < blocks; i++) {
        if (!block(session, 1, &speed->one_slot, err) ||
            !block(session, 2, &speed->two_slots, err)) {
            return err_wrap(err, "throughput");
        }
    }
    return true;
}

/* ---- all ---- */

bool speed_measure(struct speed *speed, int64_t runs, struct err *err) {
    own_box_session session = {.box = NULL};
    struct ways ways = {.session = &session, .speed = speed};
    own_fd file = -1;
    bool found = program_in_path("bwrap", ways.bubblewrap, sizeof(ways.bubblewrap));
    if (!box_session_open(&session, err) ||
        !file_memory("empty", program_empty(), true, &file, err)) {
        return false;
    }
    ways.file = file;
    speed->way_count = found ? SPEED_WAYS : SPEED_WAYS - 1;
    for (int i = 0; i < SPEED_WAYS; i++) {
        speed->ways[i] =
            (struct candidate){.name = speed_names[i], .once = once[i], .context = &ways};
    }
    (void)fprintf(stderr, "%lld rounds of %d ways%s\n", (long long)runs, speed->way_count,
                  found ? "" : "; bubblewrap is not in PATH");
    return rounds_run(speed->ways, (size_t)speed->way_count, WARM_UPS, runs, err) &&
           measure_throughput(speed, &session, runs, err);
}

int64_t speed_overhead(struct speed *speed, enum speed_way way) {
    return samples_median(&speed->ways[way].samples) -
           samples_median(&speed->ways[SPEED_PLAIN].samples);
}

int64_t speed_overhead_p99(struct speed *speed, enum speed_way way) {
    return samples_p99(&speed->ways[way].samples) -
           samples_median(&speed->ways[SPEED_PLAIN].samples);
}

int64_t speed_ratio_milli(struct speed *speed) {
    int64_t one = samples_median(&speed->one_slot);
    return one == 0 ? 0 : samples_median(&speed->two_slots) * 1000 / one;
}

/* ---- the report ---- */

void speed_print(struct speed *speed, enum bench_format format, struct buf *out) {
    own_table ways;
    own_table phases;
    table_init(&ways, "an empty static program|n|min ms|median ms|p99 ms|overhead ms|p99 ms");
    for (int i = 0; i < speed->way_count; i++) {
        struct samples *samples = &speed->ways[i].samples;
        table_cell(&ways, "%s", titles[i]);
        table_number(&ways, (int64_t)samples->count, 0, 0);
        table_number(&ways, samples_least(samples), 6, 2);
        table_number(&ways, samples_median(samples), 6, 2);
        table_number(&ways, samples_p99(samples), 6, 2);
        table_number(&ways, speed_overhead(speed, (enum speed_way)i), 6, 2);
        table_number(&ways, speed_overhead_p99(speed, (enum speed_way)i), 6, 2);
    }
    table_print(&ways, format, out);
    table_init(&phases, "of a run, waiting launcher|median ms|p99 ms");
    for (int i = 0; i < SPEED_PHASES; i++) {
        table_cell(&phases, "%s", phase_titles[i]);
        table_number(&phases, samples_median(&speed->phases[i]), 6, 2);
        table_number(&phases, samples_p99(&speed->phases[i]), 6, 2);
    }
    buf_append_c(out, "\n");
    table_print(&phases, format, out);
    int64_t ratio = speed_ratio_milli(speed);
    buf_printf(out, "\n1 slot %lld runs/s, 2 slots %lld runs/s: %lld.%02lld times\n",
               (long long)samples_median(&speed->one_slot),
               (long long)samples_median(&speed->two_slots), (long long)(ratio / 1000),
               (long long)(ratio % 1000 / 10));
}

static void overheads_json(struct speed *speed, const char *key,
                           int64_t (*overhead)(struct speed *speed, enum speed_way way),
                           struct jw *json) {
    jw_key(json, key);
    jw_object_begin(json);
    for (int i = SPEED_RUN; i < speed->way_count; i++) {
        jw_put_decimal(json, speed_names[i], overhead(speed, (enum speed_way)i), 6);
    }
    jw_object_end(json);
}

void speed_json(struct speed *speed, struct jw *json) {
    overheads_json(speed, "overheadMs", speed_overhead, json);
    overheads_json(speed, "overheadP99Ms", speed_overhead_p99, json);
    jw_key(json, "ms");
    jw_object_begin(json);
    for (int i = 0; i < speed->way_count; i++) {
        jw_key(json, speed_names[i]);
        samples_json(&speed->ways[i].samples, 6, json);
    }
    jw_object_end(json);
    jw_key(json, "phasesMs");
    jw_object_begin(json);
    for (int i = 0; i < SPEED_PHASES; i++) {
        jw_key(json, phase_names[i]);
        samples_json(&speed->phases[i], 6, json);
    }
    jw_object_end(json);
    jw_key(json, "runsPerSecond");
    jw_object_begin(json);
    jw_key(json, "oneSlot");
    samples_json(&speed->one_slot, 0, json);
    jw_key(json, "twoSlots");
    samples_json(&speed->two_slots, 0, json);
    jw_put_decimal(json, "ratio", speed_ratio_milli(speed), 3);
    jw_object_end(json);
}
