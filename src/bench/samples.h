#ifndef BENCH_SAMPLES_H
#define BENCH_SAMPLES_H

#include "data/json_write.h"
#include <stddef.h>
#include <stdint.h>

/* Measured values of one thing, in whatever unit its owner says. */

#define SAMPLES_MAX 1000000

struct samples {
    int64_t *values;
    size_t count;
    size_t capacity;
    bool sorted;
};

void samples_init(struct samples *samples);
void samples_done(struct samples *samples); /* accepts NULL and a zeroed one */
#define own_samples __attribute__((cleanup(samples_done))) struct samples
/* CHECKs that there are fewer than SAMPLES_MAX. */
void samples_add(struct samples *samples, int64_t value);

/* The smallest value that at least `per_mille` / 1000 of all do not exceed (nearest rank); 0 gives
 * the least and 1000 the greatest. 0 when there are none, as of all below. */
int64_t samples_at(struct samples *samples, int per_mille);
/* Of an even count the mean of the middle two, rounded towards zero. */
int64_t samples_median(struct samples *samples);
int64_t samples_p99(struct samples *samples);
int64_t samples_least(struct samples *samples);
int64_t samples_greatest(struct samples *samples);
/* Between the first and the third quarter: half of all values lie there. */
int64_t samples_spread(struct samples *samples);

/* {"count", "min", "median", "p99", "max", "spread"}, each value / 10^digits: samples in
 * nanoseconds with 6 digits are written in milliseconds. */
void samples_json(struct samples *samples, int digits, struct jw *json);

#endif
