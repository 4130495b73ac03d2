/* assize bench box: what the sandbox costs, and how exactly it measures. */
#include "bench/benches.h"
#include "bench/box_accuracy.h"
#include "bench/box_speed.h"
#include "bench/machine.h"

static bool run(const struct config *config, enum bench_format format, struct buf *out,
                struct err *err);

/* clang-format off */
static const struct config_row rows[] = {
    {.name = "bench.runs", .type = CONFIG_INT, .fallback = "500", .flag = "runs", .min = 1, .max = 100000,
     .help = "rounds of the comparison, each way once a round"},
    {.name = "bench.accuracy", .type = CONFIG_BOOL, .fallback = "no", .flag = "accuracy",
     .help = "measure known programs instead"},
    {.name = "bench.load", .type = CONFIG_TEXT, .fallback = "both", .flag = "load", .choices = "idle busy both",
     .help = "of --accuracy: as the machine is, or with a spinning submission for each processor"},
    {.name = "bench.repeat", .type = CONFIG_INT, .fallback = "10", .flag = "repeat", .min = 1, .max = 10000,
     .help = "of --accuracy: how often each program is measured"},
    {.name = "bench.amounts", .type = CONFIG_INT, .fallback = "5", .flag = "amounts", .min = 1, .max = 5,
     .help = "of --accuracy: how many amounts of time and memory, the smallest first"},
    {.name = "bench.verdicts", .type = CONFIG_INT, .fallback = "100", .flag = "verdicts", .min = 0, .max = 10000,
     .help = "of --accuracy: how often each program near its limit is judged"},
    {0},
};
/* clang-format on */

const struct bench bench_box = {
    .name = "box",
    .summary = "the sandbox: overhead of a run, or with --accuracy how exactly it measures",
    .usage =
        "Usage: assize bench box [options]\n\n"
        "Runs an empty static program by itself, in the sandbox from a waiting and from a fresh\n"
        "launcher, and in bubblewrap where that is in PATH, in turn, and says what each adds to\n"
        "plain spawn-and-wait; then the throughput of one slot and of two.\n\n"
        "With --accuracy it runs programs of known CPU time and memory and compares; then it\n"
        "judges programs at 0.9 and 1.1 of their limit. Needs root, as the sandbox does.",
    .rows = rows,
    .run = run,
};

static bool report_speed(const struct config *config, enum bench_format format, struct buf *out,
                         struct jw *json, struct err *err) {
    own_speed speed;
    speed_init(&speed);
    if (!speed_measure(&speed, config_i64(config, "bench.runs"), err)) {
        return false;
    }
    if (format == BENCH_JSON) {
        speed_json(&speed, json);
    } else {
        speed_print(&speed, format, out);
    }
    return true;
}

static bool report_accuracy(const struct config *config, enum bench_format format, struct buf *out,
                            struct jw *json, struct err *err) {
    own_accuracy accuracy;
    const char *load = config_text(config, "bench.load");
    const struct accuracy_options options = {.idle = load[0] == 'i' || load[1] == 'o',
                                             .busy = load[0] == 'b',
                                             .repeat = config_i64(config, "bench.repeat"),
                                             .verdicts = config_i64(config, "bench.verdicts")};
    accuracy_init(&accuracy, config_i64(config, "bench.amounts"));
    if (!accuracy_measure(&accuracy, &options, err)) {
        return false;
    }
    if (format == BENCH_JSON) {
        accuracy_json(&accuracy, json);
    } else {
        accuracy_print(&accuracy, format, out);
    }
    return true;
}

static bool run(const struct config *config, enum bench_format format, struct buf *out,
                struct err *err) {
    struct machine machine;
    struct jw json;
    machine_read(&machine); /* before the machine is busy with us */
    if (format == BENCH_JSON) {
        jw_init(&json, out);
        jw_object_begin(&json);
        jw_key(&json, "machine");
        machine_json(&machine, &json);
    } else {
        machine_print(&machine, out);
        buf_append_c(out, "\n");
    }
    bool done = config_bool(config, "bench.accuracy")
                    ? report_accuracy(config, format, out, &json, err)
                    : report_speed(config, format, out, &json, err);
    if (!done || format != BENCH_JSON) {
        return done;
    }
    jw_object_end(&json);
    if (!jw_finish(&json, "the report", err)) {
        return false;
    }
    buf_append_c(out, "\n");
    return true;
}
