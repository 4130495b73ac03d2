#ifndef BENCH_BOX_SPEED_H
#define BENCH_BOX_SPEED_H

#include "bench/bench.h"
#include "bench/rounds.h"

/* What the sandbox adds to a program that does nothing. All times in nanoseconds. */

enum speed_way {
    SPEED_PLAIN,      /* posix_spawn and wait */
    SPEED_RUN,        /* a run from a waiting launcher */
    SPEED_PLACED,     /* the same, and the program's file is placed into the work folder first */
    SPEED_FRESH,      /* a run for which a launcher must be made */
    SPEED_BUBBLEWRAP, /* bwrap --unshare-all, the last: it may be missing */
    SPEED_WAYS,
};
extern const char *const speed_names[SPEED_WAYS]; /* keys of the JSON report */

/* Parts of SPEED_RUN, in the order in which they happen. */
enum speed_phase {
    SPEED_ACCEPT,  /* request to "it is started" */
    SPEED_PROGRAM, /* the program's start to its exit, as the box reports it */
    SPEED_REST,    /* everything else: setting up before, cleaning up behind, messages */
    SPEED_PHASES,
};

struct speed {
    struct candidate ways[SPEED_WAYS];
    int way_count; /* without bubblewrap one less */
    struct samples phases[SPEED_PHASES];
    struct samples one_slot;  /* runs a second, a block each */
    struct samples two_slots; /* of both together */
};

void speed_init(struct speed *speed);
void speed_done(struct speed *speed); /* accepts NULL and a zeroed one */
#define own_speed __attribute__((cleanup(speed_done))) struct speed

/* Opens a sandbox and measures; the rights of root are gone behind it. */
checked bool speed_measure(struct speed *speed, int64_t runs, struct err *err);

/* Median and 99th percentile of a way beyond the median of the plain one. */
int64_t speed_overhead(struct speed *speed, enum speed_way way);
int64_t speed_overhead_p99(struct speed *speed, enum speed_way way);
/* Two slots' throughput in thousandths of one slot's; 0 without measurements. */
int64_t speed_ratio_milli(struct speed *speed);

void speed_print(struct speed *speed, enum bench_format format, struct buf *out);
void speed_json(struct speed *speed, struct jw *json); /* members of the report's object */

#endif
