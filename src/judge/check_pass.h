#ifndef JUDGE_CHECK_PASS_H
#define JUDGE_CHECK_PASS_H

#include "judge/check.h"

/* Multi-pass problems: what an ICPC validator leaves for the next pass. Private to the judge
 * module. */

/* What a validator of a multi-pass problem may leave: its row's files, then these. */
extern const char *const pass_outputs[];

/* Hands the input of the next pass, and what the validator remembers, to request->pass, and takes
 * the descriptors out of *box. `role`: "checker" or "interactor".
 * Errors: FAULT_PROBLEM when there cannot be a next pass. */
checked bool pass_take_next(const struct check_request *request, const char *role,
                            struct box_result *box, const struct checker_answer *answer,
                            struct err *err);

#endif
