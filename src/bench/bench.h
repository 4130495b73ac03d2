#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include "base/buf.h"
#include "base/err.h"
#include "data/config.h"

/* `assize bench NAME`: measurements that anyone can repeat. One row each in the list of
 * cmd_bench.c; the parts that all share are samples.h, rounds.h and table.h. Every bench answers
 * --json and --markdown, prints what it does on standard error, and judges nothing: whether a
 * number is good enough is for whoever reads it. */

enum bench_format { BENCH_TEXT, BENCH_MARKDOWN, BENCH_JSON };

#define BENCH_ROWS_MAX 32
#define BENCH_REPORT_BYTES_MAX (4 * 1024 * 1024)

struct bench {
    const char *name;              /* the word behind `assize bench` */
    const char *summary;           /* one line, no full stop */
    const char *usage;             /* the head of its --help */
    const struct config_row *rows; /* its options; --json and --markdown are added */
    /* Measures and appends the report, one JSON object or text, to `out`. */
    bool (*run)(const struct config *config, enum bench_format format, struct buf *out,
                struct err *err);
};

#endif
