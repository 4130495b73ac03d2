#ifndef JUDGE_CHECK_H
#define JUDGE_CHECK_H

#include "judge/work.h"

/* Is the output right? Private to the judge module. */

struct check_request {
    const struct manifest *manifest;
    int32_t index;
    int output_fd;                 /* borrowed: what the submission wrote */
    const struct program *checker; /* compiled; NULL for the built-in ones */
};

struct check_result {
    enum verdict verdict; /* ACCEPTED, WRONG_ANSWER, or PARTIAL in scoring problems */
    int64_t score_micro;
    struct str message; /* for the student, in the work's arena */
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

/* ---- the ICPC output validator's protocol, decided without running anything ---- */

enum icpc_answer { ICPC_ACCEPT, ICPC_REJECT, ICPC_BROKEN };

/* ICPC_BROKEN: ret_why is the end of a sentence that begins with "the checker". */
enum icpc_answer check_icpc_answer(const struct box_result *result, const struct run_limits *limits,
                                   struct outcome *ret_why);

/* Points of an accepted case from score_multiplier.txt (0 to 1) or score.txt (points); NULL text
 * pointers mean there is no such file. Errors: FAULT_PROBLEM for both files, no number, or more
 * than `maximum`. */
checked bool check_icpc_score(struct str multiplier, struct str points, int64_t maximum,
                              int64_t *ret_score, struct err *err);

#endif
