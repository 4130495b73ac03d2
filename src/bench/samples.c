/* Order statistics of measured values. */
#include "bench/samples.h"

#include "base/check.h"
#include <stdlib.h>

void samples_init(struct samples *samples) {
    *samples = (struct samples){.values = NULL};
}

void samples_done(struct samples *samples) {
    if (samples != NULL) {
        free(samples->values);
        *samples = (struct samples){.values = NULL};
    }
}

void samples_add(struct samples *samples, int64_t value) {
    CHECK(samples->count < SAMPLES_MAX);
    if (samples->count == samples->capacity) {
        samples->capacity = samples->capacity == 0 ? 64 : samples->capacity * 2;
        samples->values = realloc(samples->values, samples->capacity * sizeof(*samples->values));
        CHECK(samples->values != NULL);
    }
    samples->values[samples->count++] = value;
    samples->sorted = false;
}

static int compare(const void *left, const void *right) {
    const int64_t *a = left;
    const int64_t *b = right;
    return (*a > *b) - (*a < *b);
}

static void sort(struct samples *samples) {
    if (!samples->sorted && samples->count > 0) {
        qsort(samples->values, samples->count, sizeof(*samples->values), compare);
    }
    samples->sorted = true;
}

int64_t samples_at(struct samples *samples, int per_mille) {
    CHECK(per_mille >= 0);
    CHECK(per_mille <= 1000);
    sort(samples);
    if (samples->count == 0) {
        return 0;
    }
    size_t rank = (samples->count * (size_t)per_mille + 999) / 1000; /* from 1, rounded up */
    return samples->values[rank == 0 ? 0 : rank - 1];
}

int64_t samples_median(struct samples *samples) {
    sort(samples);
    size_t half = samples->count / 2;
    if (samples->count == 0 || samples->count % 2 == 1) {
        return samples_at(samples, 500);
    }
    return samples->values[half - 1] + (samples->values[half] - samples->values[half - 1]) / 2;
}

int64_t samples_p99(struct samples *samples) {
    return samples_at(samples, 990);
}

int64_t samples_least(struct samples *samples) {
    return samples_at(samples, 0);
}

int64_t samples_greatest(struct samples *samples) {
    return samples_at(samples, 1000);
}

int64_t samples_spread(struct samples *samples) {
    return samples_at(samples, 750) - samples_at(samples, 250);
}

void samples_json(struct samples *samples, int digits, struct jw *json) {
    jw_object_begin(json);
    jw_put_i64(json, "count", (int64_t)samples->count);
    jw_put_decimal(json, "min", samples_least(samples), digits);
    jw_put_decimal(json, "median", samples_median(samples), digits);
    jw_put_decimal(json, "p99", samples_p99(samples), digits);
    jw_put_decimal(json, "max", samples_greatest(samples), digits);
    jw_put_decimal(json, "spread", samples_spread(samples), digits);
    jw_object_end(json);
}
