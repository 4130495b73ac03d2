#ifndef BENCH_BENCHES_H
#define BENCH_BENCHES_H

#include "bench/bench.h"

/* One declaration a bench, in the order of the list in cmd_bench.c. */
extern const struct bench bench_queue;
extern const struct bench bench_box;
extern const struct bench bench_judge;
extern const struct bench bench_sql;

#endif
