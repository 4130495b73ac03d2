#ifndef JUDGE_RUN_CASE_H
#define JUDGE_RUN_CASE_H

#include "judge/check.h"

/* One run of the submission on one case. Private to the judge module. */

/* What the manifest and the language allow a submission on this case. */
struct run_limits run_case_limits(const struct manifest *manifest, int32_t index,
                                  const struct language *language);

/* What a judging may still measure again (judge.h). */
struct second_runs {
    int32_t left;
    bool idle_twice; /* a program was idle both times */
};

struct case_run;
/* One try of a case, decided as far as it can be without a checker. Errors as run_case. */
typedef bool run_once_fn(struct work *work, const struct case_run *run, struct box_result *ret_box,
                         struct outcome *ret_outcome, struct err *err);

struct case_run {
    const struct manifest *manifest;
    int32_t index;
    const struct program *program;
    struct second_runs *second; /* NULL: each run counts as it is */
    const struct pass *pass;    /* of a multi-pass problem: whose input it reads; else NULL */
    run_once_fn *once;          /* another way to try; NULL: by itself, input to output */
    void *context;              /* of `once` */
};

/* Runs and decides all that needs no checker. *ret_box holds the output (stream_fds[1]) and is the
 * caller's. The expected answer never enters this run.
 * Errors: ERR_CANCELLED; ERR_SYSTEM with FAULT_NODE or FAULT_PROBLEM. */
checked bool run_case(struct work *work, const struct case_run *run, struct box_result *ret_box,
                      struct outcome *ret_outcome, struct err *err);

/* The run, but for fd 0 and 1: the program's files and the case's, its arguments, stderr. `files`
 * must live until the run has started. */
checked bool run_case_prepare(struct work *work, const struct case_run *run,
                              const struct run_limits *limits, struct fileset *files,
                              struct box_run_spec *ret_spec, struct err *err);

#endif
