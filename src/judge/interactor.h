#ifndef JUDGE_INTERACTOR_H
#define JUDGE_INTERACTOR_H

#include "judge/check.h"

/* The calling conventions of interactors: what one is given, and what its end means. ICPC: as the
 * output validator, with fd 0 and 1 joined. testlib: `interactor input tout answer`, exit status as
 * of its checkers; what it wrote to tout goes to the problem's checker, if there is one. Private to
 * the judge module. */

struct interactor {
    const struct check_request *request; /* `checker` is the interactor; joined */
    enum program_adapter adapter;
    const struct program *judge; /* of what a testlib interactor wrote; NULL: a built-in checker */
};

enum interactor_answer { INTERACTOR_BROKEN, INTERACTOR_ACCEPTS, INTERACTOR_REJECTS };

/* INTERACTOR_BROKEN: ret_why is the end of a sentence that begins with "the interactor". */
enum interactor_answer interactor_answer(enum program_adapter adapter,
                                         const struct box_result *result,
                                         const struct run_limits *limits, struct outcome *ret_why);

/* Its run, but for fd 0 and 1. */
checked bool interactor_prepare(struct work *work, const struct interactor *interactor,
                                const struct run_limits *limits, struct fileset *files,
                                struct box_run_spec *ret_spec, struct err *err);

/* The verdict of a run that was not broken. Errors: FAULT_PROBLEM. */
checked bool interactor_finish(struct work *work, const struct interactor *interactor,
                               const struct run_limits *limits, struct box_result *box,
                               struct check_result *ret_result, struct err *err);

#endif
