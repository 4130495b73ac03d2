#ifndef BENCH_DISK_H
#define BENCH_DISK_H

#include "base/err.h"

#include <stdint.h>

/* How many durable writes a second the disk under a folder makes, one after another: what every
 * rate of commits has to be held against. */
struct disk_rate {
    int64_t overwrites; /* of 4 KiB inside a file, each with fdatasync */
    int64_t appends;    /* of 4 KiB at its end */
};

/* Measures each kind for `run_ms`. */
checked bool disk_rate_measure(const char *folder, int64_t run_ms, struct disk_rate *ret_rate,
                               struct err *err);

#endif
