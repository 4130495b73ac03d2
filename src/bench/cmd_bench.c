/* assize bench: the list of benches, and finding the one that was named. */
#include "bench/benches.h"
#include "bench/commands.h"
#include "local/arguments.h"

#include "base/check.h"
#include <stdio.h>
#include <string.h>

static const struct bench *const benches[] = {
    &bench_queue, &bench_box, &bench_judge, &bench_sql, NULL,
};

static int run_bench(const struct command *command, int count, char **args);

const struct command command_bench = {"bench", "measure this machine and this program", run_bench};

/* clang-format off */
static const struct config_row shared_rows[] = {
    {.name = "bench.json", .type = CONFIG_BOOL, .fallback = "no", .flag = "json",
     .help = "print one JSON object"},
    {.name = "bench.markdown", .type = CONFIG_BOOL, .fallback = "no", .flag = "markdown",
     .help = "print tables for a document"},
};
/* clang-format on */
#define SHARED (sizeof(shared_rows) / sizeof(shared_rows[0]))

static void print_usage(FILE *out) {
    (void)fprintf(out, "Usage: assize bench NAME [options]\n\n");
    for (size_t i = 0; benches[i] != NULL; i++) {
        (void)fprintf(out, "  %-10s %s\n", benches[i]->name, benches[i]->summary);
    }
    (void)fprintf(out, "\n`assize bench NAME --help` tells more. --json prints one JSON object.\n\n"
                       "Exit status: 0 measured, 2 usage, 3 system failure.\n");
}

static const struct bench *find(const char *name) {
    for (size_t i = 0; benches[i] != NULL; i++) {
        if (strcmp(benches[i]->name, name) == 0) {
            return benches[i];
        }
    }
    return NULL;
}

static void join_rows(const struct bench *bench, struct config_row rows[BENCH_ROWS_MAX]) {
    size_t own = 0;
    while (bench->rows[own].name != NULL) {
        own++;
    }
    CHECK(own + SHARED < BENCH_ROWS_MAX);
    memcpy(rows, bench->rows, own * sizeof(*rows));
    memcpy(rows + own, shared_rows, sizeof(shared_rows));
    rows[own + SHARED] = (struct config_row){.name = NULL};
}

static int measure(const struct bench *bench, const struct config *config) {
    struct err err = {0};
    own_buf out;
    buf_init(&out, BENCH_REPORT_BYTES_MAX);
    enum bench_format format = config_bool(config, "bench.json")       ? BENCH_JSON
                               : config_bool(config, "bench.markdown") ? BENCH_MARKDOWN
                                                                       : BENCH_TEXT;
    if (!bench->run(config, format, &out, &err) || !buf_ok(&out, "the report", &err)) {
        (void)fprintf(stderr, "assize bench %s: %s\n", bench->name, err.text);
        return err.kind == ERR_INVALID ? EXIT_STATUS_USAGE : EXIT_STATUS_FAILED;
    }
    (void)fwrite(out.ptr, 1, out.len, stdout);
    return EXIT_STATUS_OK;
}

static int run_named(const struct bench *bench, int count, char **args) {
    struct config_row rows[BENCH_ROWS_MAX];
    struct arguments arguments;
    char name[64];
    int status = EXIT_STATUS_USAGE;
    (void)snprintf(name, sizeof(name), "bench %.40s", bench->name);
    join_rows(bench, rows);
    switch (arguments_read(&arguments, bench->usage, rows, count, args)) {
    case ARGUMENTS_GO:
        status = arguments.count > 0 ? arguments_refuse(name, "it takes options only")
                                     : measure(bench, arguments.config);
        break;
    case ARGUMENTS_HELP_SHOWN: status = EXIT_STATUS_OK; break;
    case ARGUMENTS_BAD: break;
    }
    arguments_done(&arguments);
    return status;
}

static int run_bench(const struct command *command, int count, char **args) {
    if (count < 1) {
        print_usage(stderr);
        return EXIT_STATUS_USAGE;
    }
    if (strcmp(args[0], "--help") == 0 || strcmp(args[0], "-h") == 0) {
        print_usage(stdout);
        return EXIT_STATUS_OK;
    }
    const struct bench *bench = find(args[0]);
    if (bench == NULL) {
        (void)fprintf(stderr, "assize %s: there is no bench \"%s\"\n\n", command->name, args[0]);
        print_usage(stderr);
        return EXIT_STATUS_USAGE;
    }
    return run_named(bench, count - 1, args + 1);
}
