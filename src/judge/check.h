#ifndef JUDGE_CHECK_H
#define JUDGE_CHECK_H

#include "judge/protocol.h"
#include "judge/work.h"

/* Is the output right? Private to the judge module. */

/* Where a case of a multi-pass problem stands. Owns its descriptors. */
struct pass {
    int32_t number; /* 1, 2, ... */
    int input_fd;   /* what this pass reads; -1: the case's own input */
    int state_fd;   /* an archive of what the validator left in its feedback folder; -1: nothing */
    bool more;      /* said by the last check: this one follows */
};

struct check_request {
    const struct manifest *manifest;
    int32_t index;
    int output_fd;                 /* borrowed: what the submission wrote */
    struct str source;             /* the submission's first file; SYZOJ's checkers may read it */
    const struct program *checker; /* compiled; NULL for the built-in ones */
    struct str args;               /* its flags where case and groups say nothing else */
    struct pass *pass;             /* of a multi-pass problem, else NULL; moved on by the check */
    bool joined;                   /* it talks with the submission: there is no output */
};

/* Texts live in the work's arena, at most CASE_MESSAGE_BYTES_MAX of valid UTF-8. */
struct check_result {
    /* ACCEPTED, WRONG_ANSWER, PRESENTATION_ERROR, or PARTIAL in scoring problems */
    enum verdict verdict;
    int64_t score_micro;
    struct str message; /* for the student */
    struct str staff;   /* for those who may see the answers */
};

/* Both fail with ERR_CANCELLED or with ERR_SYSTEM and the fault set. A checker that crashes, hangs,
 * passes its limits or says neither yes nor no is FAULT_PROBLEM, never a verdict. */
checked bool check_default(struct work *work, const struct check_request *request,
                           struct check_result *ret_result, struct err *err);
checked bool check_program(struct work *work, const struct check_request *request,
                           struct check_result *ret_result, struct err *err);

/* Flags for the checker on this case: the case's own, else those of its group or the nearest group
 * around it, else `otherwise`. */
struct str check_args(const struct manifest *manifest, int32_t index, struct str otherwise);

/* ---- a checker's run in parts, also for one that talks with the submission ---- */

struct run_limits check_limits(const struct manifest *manifest);

/* A validator's run, but for fd 0 and 1. `files` must live until the run has started. */
checked bool check_prepare(struct work *work, const struct check_request *request,
                           const struct run_limits *limits, struct fileset *files,
                           struct box_run_spec *ret_spec, struct err *err);

/* What its end means. Moves request->pass on and takes the descriptors for that out of *box.
 * Errors: FAULT_PROBLEM when it crashed, hung, passed its limits, said neither yes nor no, or asked
 * for a pass that there cannot be. */
checked bool check_finish(struct work *work, const struct check_request *request,
                          const struct run_limits *limits, struct box_result *box,
                          struct check_result *ret_result, struct err *err);

/* FAULT_PROBLEM, or FAULT_NODE where `why` says so, for a run that was no answer: with the case,
 * why, and the beginning of what it wrote to stderr. Returns false. */
bool check_broken(struct work *work, const struct check_request *request,
                  const struct box_result *box, const struct outcome *why, struct err *err);

/* ---- decided without running anything ---- */

enum icpc_answer { ICPC_ACCEPT, ICPC_REJECT, ICPC_BROKEN };

/* ICPC_BROKEN: ret_why is the end of a sentence that begins with "the checker". */
enum icpc_answer check_icpc_answer(const struct box_result *result, const struct run_limits *limits,
                                   struct outcome *ret_why);

/* What the answer of a checker is worth on this case, and what the student reads: `otherwise` when
 * a rejection comes without words; NULL: a sentence by its kind. Errors: FAULT_PROBLEM for more
 * than everything, and for points where the problem has none; the end of a sentence that begins
 * with "the checker". */
checked bool check_value(const struct manifest *manifest, int32_t index,
                         const struct checker_answer *answer, const char *otherwise,
                         struct check_result *ret_result, struct err *err);

#endif
