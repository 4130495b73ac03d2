#ifndef BENCH_BOX_ACCURACY_H
#define BENCH_BOX_ACCURACY_H

#include "bench/bench.h"
#include "bench/samples.h"

/* How exactly the sandbox measures programs of known CPU time and memory, and whether a program
 * near its limit is judged right, on the machine as it is and with every processor busy. */

#define ACCURACY_ROWS_MAX 64
#define ACCURACY_VERDICTS_MAX 16

/* One known program under one load. */
struct accuracy_row {
    const char *what;          /* "cpu" or "memory" */
    const char *kind;          /* of src/bench/programs/known.c */
    int64_t known;             /* microseconds or bytes */
    struct samples samples[2]; /* idle, busy */
};

/* One program that takes `tenths` tenths of its limit. */
struct accuracy_verdict {
    const char
        *name; /* "arithmetic", "memory" (access), "heap" (size), "fixed ...": an amount of work */
    const char *what; /* of src/bench/programs/known.c */
    const char *kind;
    int tenths;       /* of the limit: 9 or 11 */
    int64_t limit;    /* microseconds, or bytes of "heap" */
    int64_t amount;   /* what known.c is asked for: microseconds, bytes or steps */
    int64_t right[2]; /* judged as they must be: idle, busy */
    struct samples samples[2];
};

struct accuracy {
    struct accuracy_row rows[ACCURACY_ROWS_MAX];
    int row_count;
    struct accuracy_verdict verdicts[ACCURACY_VERDICTS_MAX];
    int verdict_count;
};

struct accuracy_options {
    bool idle;
    bool busy;
    int64_t repeat;   /* of each row */
    int64_t verdicts; /* of each program near its limit; 0: none */
};

/* Lists the programs; of each kind at most `amounts_max` amounts, the smallest first. */
void accuracy_init(struct accuracy *accuracy, int64_t amounts_max);
void accuracy_done(struct accuracy *accuracy); /* accepts NULL and a zeroed one */
#define own_accuracy __attribute__((cleanup(accuracy_done))) struct accuracy

/* Opens a sandbox and measures; the rights of root are gone behind it. */
checked bool accuracy_measure(struct accuracy *accuracy, const struct accuracy_options *options,
                              struct err *err);

/* The measured value that is farthest from what is known, as the difference; 0 without any. */
int64_t accuracy_worst(struct samples *samples, int64_t known);
/* Whether an error is small enough: docs/operations/accuracy.md. CPU time 2 % or 3 ms, memory 2 %
 * or 1 MiB. */
bool accuracy_is_within(const struct accuracy_row *row, int64_t error);

void accuracy_print(struct accuracy *accuracy, enum bench_format format, struct buf *out);
void accuracy_json(struct accuracy *accuracy,
                   struct jw *json); /* a member of the report's object */

#endif
