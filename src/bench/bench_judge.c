/* assize bench judge: how long compiling and judging take. */
#include "bench/benches.h"
#include "bench/compare_speed.h"
#include "bench/judge_speed.h"
#include "bench/machine.h"

static bool run(const struct config *config, enum bench_format format, struct buf *out,
                struct err *err);

/* clang-format off */
static const struct config_row rows[] = {
    {.name = "bench.rounds", .type = CONFIG_INT, .fallback = "7", .flag = "rounds", .min = 1, .max = 10000,
     .help = "how often each thing is measured"},
    {.name = "bench.programs", .type = CONFIG_TEXT, .flag = "programs",
     .help = "names of programs as in the JSON report, and \"cases\", separated by spaces; default: all"},
    {.name = "bench.compare", .type = CONFIG_INT, .fallback = "100", .flag = "compare", .min = 0, .max = 1000,
     .help = "MB of the outputs that are compared by each rule; 0: none"},
    {0},
};
/* clang-format on */

const struct bench bench_judge = {
    .name = "judge",
    .summary = "compiling and judging: small programs from the request to the verdict",
    .usage = "Usage: assize bench judge [options]\n\n"
             "Judges programs that add two numbers, in turn: with the compiler as it comes, as\n"
             "Assize compiles, and compiled before; then 100 cases beyond the first, with the\n"
             "built-in checker and with an output validator; then compares large outputs that are "
             "right\n"
             "by each rule. Languages that are not installed are\n"
             "left out. Needs root, as the sandbox does.",
    .rows = rows,
    .run = run,
};

static bool run(const struct config *config, enum bench_format format, struct buf *out,
                struct err *err) {
    own_judge_speed speed;
    own_compare_speed compare;
    struct machine machine;
    compare_speed_init(&compare, config_i64(config, "bench.compare"));
    judge_speed_init(&speed);
    machine_read(&machine); /* before the machine is busy with us */
    if (!judge_speed_measure(&speed, config_i64(config, "bench.rounds"),
                             str_from(config_text(config, "bench.programs")), err) ||
        !compare_speed_measure(&compare, config_i64(config, "bench.rounds"), err)) {
        return false;
    }
    if (format != BENCH_JSON) {
        machine_print(&machine, out);
        buf_append_c(out, "\n");
        judge_speed_print(&speed, format, out);
        compare_speed_print(&compare, format, out);
        return true;
    }
    struct jw json;
    jw_init(&json, out);
    jw_object_begin(&json);
    jw_key(&json, "machine");
    machine_json(&machine, &json);
    judge_speed_json(&speed, &json);
    compare_speed_json(&compare, &json);
    jw_object_end(&json);
    if (!jw_finish(&json, "the report", err)) {
        return false;
    }
    buf_append_c(out, "\n");
    return true;
}
