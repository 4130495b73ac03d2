#ifndef BENCH_JUDGE_SPEED_H
#define BENCH_JUDGE_SPEED_H

#include "bench/bench.h"
#include "bench/judge_world.h"
#include "bench/rounds.h"

/* How long judging takes beyond the programs themselves. All times in nanoseconds. */

enum judge_way {
    JUDGE_PLAIN, /* the compiler as it comes */
    JUDGE_OURS,  /* a source that was never seen */
    JUDGE_AGAIN, /* one that was compiled before */
    JUDGE_WAYS,
};
extern const char *const judge_way_names[JUDGE_WAYS]; /* keys of the JSON report */

/* One way of one program. */
struct judge_timing {
    struct judge_world *world; /* borrowed */
    struct judge_ask ask;
    bool present;           /* this machine has the language */
    struct samples all;     /* whole submissions with one case */
    struct samples compile; /* the compile step alone */
};

#define JUDGE_PROGRAMS_MAX 8
#define JUDGE_CASES 100

struct judge_program {
    const char *name;  /* key of the JSON report */
    const char *title; /* for people */
    struct judge_timing ways[JUDGE_WAYS];
};

/* Beyond the first case, of problems with the built-in checker and with an output validator. */
enum judge_cases {
    CASES_BUILT_IN_ONE,
    CASES_BUILT_IN_MANY,
    CASES_VALIDATOR_ONE,
    CASES_VALIDATOR_MANY,
    CASES_COUNT,
};

struct judge_speed {
    struct judge_program programs[JUDGE_PROGRAMS_MAX];
    int program_count;
    struct judge_timing cases[CASES_COUNT];
    struct samples spawn; /* a plain process that does nothing */
};

void judge_speed_init(struct judge_speed *speed);
void judge_speed_done(struct judge_speed *speed); /* accepts NULL and a zeroed one */
#define own_judge_speed __attribute__((cleanup(judge_speed_done))) struct judge_speed

/* Opens a sandbox and measures the programs of these names, all when there are none; the rights of
 * root are gone behind it. Languages that are not
 * installed are left out, and named on standard error. */
checked bool judge_speed_measure(struct judge_speed *speed, int64_t rounds, struct str names,
                                 struct err *err);

/* The compile step in thousandths of the plain one's; 0 without one of the two. */
int64_t judge_speed_compile_milli(struct judge_program *program);
/* One case of JUDGE_CASES beyond a plain process (beyond two, with a validator: it is one). */
int64_t judge_speed_case_ns(struct judge_speed *speed, bool validator);

void judge_speed_print(struct judge_speed *speed, enum bench_format format, struct buf *out);
void judge_speed_json(struct judge_speed *speed, struct jw *json); /* members of the report */

#endif
