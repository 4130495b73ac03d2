#ifndef JUDGE_TOOL_H
#define JUDGE_TOOL_H

#include "judge/judge.h"

/* Programs of a problem that judge nothing: validators of inputs, generators, and the model
 * solution when it makes answers. In the box, compiled once, like checkers. */

struct judge_tool_request {
    int slot;
    const struct manifest *manifest;        /* for its limits */
    const struct manifest_program *program; /* its adapter says nothing here */
    struct str args;                        /* words */
    int input_fd;                           /* its standard input, borrowed; -1: none */
    int64_t time_ms;                        /* of CPU */
    int64_t output_bytes;
    judge_open_blob_fn *open_blob;
    void *context;
};

struct judge_tool_result {
    bool ended; /* by itself, within its limits; else `why` */
    int exit_code;
    int output_fd; /* what it printed, the caller's to close; -1: nothing */
    int errors_fd; /* the same of standard error */
    char why[200]; /* the end of a sentence that begins with its name */
};
void judge_tool_result_done(struct judge_tool_result *result); /* accepts NULL */
#define own_tool_result __attribute__((cleanup(judge_tool_result_done))) struct judge_tool_result

/* Errors: ERR_SYSTEM with FAULT_PROBLEM (it does not compile) or FAULT_NODE. */
checked bool judge_run_tool(struct judge *judge, const struct judge_tool_request *request,
                            struct arena *arena, struct judge_tool_result *ret_result,
                            struct err *err);

#endif
