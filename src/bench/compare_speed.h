#ifndef BENCH_COMPARE_SPEED_H
#define BENCH_COMPARE_SPEED_H

#include "bench/bench.h"
#include "bench/samples.h"

/* How fast the built-in checkers compare a large output that is right with its answer. */

#define COMPARE_ROWS_MAX 12

struct compare_row {
    const char *name;  /* key of the JSON report */
    const char *title; /* for people */
    int64_t bytes;     /* of the output */
    struct samples ns;
};

struct compare_speed {
    struct compare_row rows[COMPARE_ROWS_MAX];
    int row_count;
    int64_t megabytes; /* of the answer; 0: nothing is measured */
};

void compare_speed_init(struct compare_speed *speed, int64_t megabytes);
void compare_speed_done(struct compare_speed *speed); /* accepts NULL and a zeroed one */
#define own_compare_speed __attribute__((cleanup(compare_speed_done))) struct compare_speed

/* Compares each pair of texts `rounds` times. Holds two files of that size in memory at a time.
 * Errors: ERR_SYSTEM, also when texts that are the same by their rule are found to differ. */
checked bool compare_speed_measure(struct compare_speed *speed, int64_t rounds, struct err *err);

/* Of the output, in 1,000,000 bytes; 0 when nothing was measured. */
int64_t compare_speed_rate(struct compare_row *row);
void compare_speed_print(struct compare_speed *speed, enum bench_format format, struct buf *out);
void compare_speed_json(struct compare_speed *speed, struct jw *json); /* a member of the report */

#endif
