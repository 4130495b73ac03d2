#ifndef JUDGE_OUTCOME_H
#define JUDGE_OUTCOME_H

#include "base/buf.h"
#include "box/box.h"
#include "domain/verdict.h"

/* What the end of a run means. Pure: decided from the box's result and the limits alone. Private to
 * the judge module. */

/* The box kills a little behind the limit, so that a program which needs just what is allowed is
 * judged by the limit and not by the moment of the kill. */
int64_t outcome_box_cpu_ms(int64_t limit_ms);
/* An idle program is stopped here. */
int64_t outcome_box_wall_ms(int64_t limit_ms);

struct run_limits {
    int64_t cpu_ms;
    int64_t wall_ms;
    int64_t memory_bytes;
    int64_t output_bytes;
    int32_t memory_signal; /* the runtime's way to say that memory ran out; 0: it has none */
};

enum outcome_kind {
    OUTCOME_DECIDED, /* `verdict`, with a message */
    OUTCOME_CHECK,   /* ended by itself within its limits with status 0: the checker's turn */
    OUTCOME_FAULT,   /* says nothing about the program: the node's fault, with a message */
};

#define OUTCOME_MESSAGE_BYTES_MAX 160
struct outcome {
    enum outcome_kind kind;
    enum verdict verdict;
    int64_t cpu_us;
    char message[OUTCOME_MESSAGE_BYTES_MAX];
    bool twice; /* of two runs, this is the one that counts; the other one took: */
    int64_t other_cpu_ms;
    int64_t other_wall_ms;
};

/* A submission's run. Memory before time before output before crash: what broke first cannot be
 * known, and this order is the same on every node. */
struct outcome outcome_of_run(const struct box_result *result, const struct run_limits *limits);

/* Over its time limit, but perhaps because of the machine: it ended by itself behind the limit, or
 * waited much longer than it computed. */
bool outcome_is_doubtful(const struct outcome *outcome, const struct box_result *result);
/* Of two runs of the same program on the same case: the second one counts. */
bool outcome_second_counts(const struct outcome *first, const struct outcome *second);

/* A compiler's run. OUTCOME_CHECK: it said yes; OUTCOME_DECIDED: COMPILE_ERROR, the message is
 * empty when the compiler's own words tell enough. */
struct outcome outcome_of_compile(const struct box_result *result, const struct run_limits *limits);

/* A run of a program of the problem or of the toolchain, in words, as the end of a sentence that
 * begins with its name: "ended with exit status 3", "used more than 2000 ms of CPU time". */
struct outcome outcome_of_tool(const struct box_result *result, const struct run_limits *limits);

/* Times and sizes as shown, rounded up: what is shown is over the limit exactly when it was. */
int64_t outcome_cpu_ms(const struct box_result *result);
int64_t outcome_wall_ms(const struct box_result *result);
int64_t outcome_memory_kib(const struct box_result *result);

#endif
