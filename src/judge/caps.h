#ifndef JUDGE_CAPS_H
#define JUDGE_CAPS_H

#include "judge/judge.h"

/* What a machine gives at most, whatever a problem allows (struct judge_caps). Private to the judge
 * module.
 *
 * A run's limits are part of the problem and are never lowered: a problem that allows more than
 * this machine gives is refused as the machine's fault, and is judged elsewhere. A compiler's
 * limits only protect: they are lowered, and a compiler that ends by a lowered one is the machine's
 * fault too. Either way no submission gets another verdict here than elsewhere. */

/* Errors: ERR_SYSTEM, FAULT_NODE "node_limit", naming the setting. */
checked bool caps_check_problem(const struct judge_caps *caps, const struct judge_request *request,
                                struct err *err);
/* The same of a language's processes, and of what a run puts into its work folder. */
checked bool caps_check_run(const struct judge_caps *caps, const struct language *language,
                            int64_t work_bytes, struct err *err);
/* The smaller of the two; a cap of 0 is none. */
int64_t caps_lower(int64_t cap, int64_t wanted);

#endif
