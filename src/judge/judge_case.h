#ifndef JUDGE_JUDGE_CASE_H
#define JUDGE_JUDGE_CASE_H

#include "judge/run_case.h"

/* One case from its run to its verdict, of every kind of problem. Private to the judge module. */

/* Everything that lasts for all cases of a judging. */
struct cases {
    const struct judge_request *request;
    const struct program *program;    /* NULL: the submission is the answers */
    const struct program *checker;    /* NULL: a built-in one */
    const struct program *interactor; /* NULL: none */
    struct second_runs second;
    size_t message_bytes;
};

/* Errors: ERR_CANCELLED; ERR_SYSTEM with FAULT_NODE or FAULT_PROBLEM. */
checked bool judge_case(struct work *work, struct cases *cases, int32_t index,
                        struct case_result *ret_result, struct err *err);

#endif
