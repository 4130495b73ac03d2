#ifndef JUDGE_RUN_CASE_H
#define JUDGE_RUN_CASE_H

#include "judge/work.h"

/* One run of the submission on one case. Private to the judge module. */

/* What the manifest and the language allow a submission on this case. */
struct run_limits run_case_limits(const struct manifest *manifest, int32_t index,
                                  const struct language *language);

/* What a judging may still measure again (judge.h). */
struct second_runs {
    int32_t left;
    bool idle_twice; /* a program was idle both times */
};

struct case_run {
    const struct manifest *manifest;
    int32_t index;
    const struct program *program;
    struct second_runs *second; /* NULL: each run counts as it is */
};

/* Runs and decides all that needs no checker. *ret_box holds the output (stream_fds[1]) and is the
 * caller's. The expected answer never enters this run.
 * Errors: ERR_CANCELLED; ERR_SYSTEM with FAULT_NODE or FAULT_PROBLEM. */
checked bool run_case(struct work *work, const struct case_run *run, struct box_result *ret_box,
                      struct outcome *ret_outcome, struct err *err);

#endif
