#ifndef BENCH_ROUNDS_H
#define BENCH_ROUNDS_H

#include "base/err.h"
#include "bench/samples.h"

/* Things that are to be compared, measured in turn in one session: whatever else the machine does
 * meets all of them alike. */

struct candidate {
    const char *name; /* stable: a key of the JSON report */
    /* Does the thing once and says what it cost. */
    bool (*once)(void *context, int64_t *ret_value, struct err *err);
    void *context; /* borrowed */
    struct samples samples;
};

/* Every candidate once a round, each round beginning with another one, after `warm_ups` rounds that
 * do not count. Ends at the first failure, whose error names the candidate. */
checked bool rounds_run(struct candidate *candidates, size_t count, int64_t warm_ups,
                        int64_t rounds, struct err *err);
void rounds_done(struct candidate *candidates, size_t count); /* frees the samples */

#endif
