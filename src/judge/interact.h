#ifndef JUDGE_INTERACT_H
#define JUDGE_INTERACT_H

#include "judge/interactor.h"
#include "judge/run_case.h"

/* A submission and the problem's interactor, joined by pipes in one slot. Private to the judge
 * module.
 *
 * Who blames whom (the order of package-formats, section 11):
 * 1. An interactor that crashed, hung, passed its limits or said neither yes nor no is the
 *    problem's fault, whatever the submission did.
 * 2. It rejected before the submission ended: that stands, however the submission ends. The
 *    submission is not waited for.
 * 3. It accepted first, and the submission then died of writing to nobody: that stands too.
 * 4. Else what the submission broke (memory, time, output, crash) decides.
 * 5. Else the interactor's word.
 *
 * The submission's time is its own CPU time. When both wait for each other the submission is
 * stopped first, at its wall time; an interactor that is not through soon after that hangs. One
 * that computes long gets the submission's wall time extended, in a second try. */

struct interaction {
    const struct interactor *interactor;
    struct run_limits limits;   /* private: of the interactor */
    struct check_result answer; /* of the try that counts, when its outcome says CHECK */
};

/* A run_once_fn, whose context is an interaction. When *ret_outcome says CHECK, the answer is there
 * and the request's pass has moved on. */
checked bool interact_once(struct work *work, const struct case_run *run,
                           struct box_result *ret_box, struct outcome *ret_outcome,
                           struct err *err);

/* Rules 2 to 5, from the submission's own outcome, both ends and the interactor's answer.
 * OUTCOME_CHECK: that answer counts. */
struct outcome interact_decide(const struct outcome *outcome, const struct box_result *program,
                               const struct box_result *interactor, enum interactor_answer answer);

#endif
