/* Interactors, by their calling convention. */
#include "judge/interactor.h"

#include "base/file.h"

#include <stdio.h>

#define TESTLIB_OK 0
#define STDERR_BYTES_MAX (4LL * KIB)

/* A submission that is gone makes a write to it an error, not a death: so the interactor can say
 * what it thinks of that. */
#define SCRIPT "trap '' PIPE; exec \"$@\""

/* testlib's wrong answer, presentation error, dirt, unexpected end of file. Its "fail" (3) is the
 * problem's own fault. */
static bool testlib_rejects(int status) {
    return status == 1 || status == 2 || status == 4 || status == 8;
}

static enum interactor_answer testlib_answer(const struct box_result *result,
                                             const struct run_limits *limits,
                                             struct outcome *ret_why) {
    struct outcome outcome = outcome_of_tool(result, limits);
    bool ended = outcome.kind == OUTCOME_CHECK ||
                 (outcome.kind == OUTCOME_DECIDED && result->end == BOX_END_EXIT &&
                  outcome.verdict == VERDICT_RUNTIME_ERROR);
    if (ended && result->exit_code == TESTLIB_OK) {
        return INTERACTOR_ACCEPTS;
    }
    if (ended && testlib_rejects(result->exit_code)) {
        return INTERACTOR_REJECTS;
    }
    *ret_why = outcome;
    if (ended) {
        (void)snprintf(ret_why->message, sizeof ret_why->message,
                       "ended with exit status %d, which is neither 0 (ok) nor 1, 2, 4 or 8 "
                       "(rejected)",
                       result->exit_code);
    }
    return INTERACTOR_BROKEN;
}

enum interactor_answer interactor_answer(enum program_adapter adapter,
                                         const struct box_result *result,
                                         const struct run_limits *limits, struct outcome *ret_why) {
    if (adapter == ADAPTER_TESTLIB) {
        return testlib_answer(result, limits, ret_why);
    }
    switch (check_icpc_answer(result, limits, ret_why)) {
    case ICPC_ACCEPT: return INTERACTOR_ACCEPTS;
    case ICPC_REJECT: return INTERACTOR_REJECTS;
    case ICPC_BROKEN: break;
    }
    return INTERACTOR_BROKEN;
}

/* ---- testlib ---- */

static const char *const testlib_outputs[] = {"tout", NULL};

static bool testlib_prepare(struct work *work, const struct check_request *request,
                            const struct run_limits *limits, struct fileset *files,
                            struct box_run_spec *ret_spec, struct err *err) {
    const struct manifest_case *row = &request->manifest->cases[request->index];
    struct run_ask ask = {.program = request->checker,
                          .files = files,
                          .args = STR("/w/data/input /w/tout /w/data/answer"),
                          .limits = *limits};
    if (!fileset_copy(files, work->arena, &request->checker->files, err)) {
        return work_node_fault(err);
    }
    if (!work_add_blob(work, files, "data/input", &row->input, err) ||
        !work_add_blob(work, files, "data/answer", &row->answer, err) ||
        !work_fill_run(work, &ask, ret_spec, err) || !work_wrap_run(work, SCRIPT, ret_spec, err)) {
        return false;
    }
    ret_spec->outputs = testlib_outputs;
    ret_spec->output_file_bytes_max = limits->output_bytes;
    ret_spec->streams[2] =
        (struct box_stream){.kind = BOX_STREAM_CAPTURE, .fd = -1, .bytes_max = STDERR_BYTES_MAX};
    return true;
}

/* What it wrote to tout; an empty file when it wrote nothing. */
static bool take_tout(struct box_result *box, int *ret_fd, struct err *err) {
    switch (box->output_states[0]) {
    case BOX_OUTPUT_FILE: *ret_fd = take_fd(&box->output_fds[0]); return true;
    case BOX_OUTPUT_MISSING: return file_memory("tout", STR(""), true, ret_fd, err);
    case BOX_OUTPUT_NOT_PLAIN:
    case BOX_OUTPUT_TOO_LARGE: break;
    }
    return err_fault(err, FAULT_PROBLEM, ERR_SYSTEM, "interactor_broken",
                     "the interactor left a tout that is no plain file or too large");
}

static bool testlib_finish(struct work *work, const struct interactor *interactor,
                           struct box_result *box, struct check_result *ret_result,
                           struct err *err) {
    const struct manifest *manifest = interactor->request->manifest;
    struct check_request request = {.manifest = manifest,
                                    .index = interactor->request->index,
                                    .output_fd = -1,
                                    .checker = interactor->judge,
                                    .args = manifest->checker.program.args};
    own_fd tout = -1;
    if (box->exit_code != TESTLIB_OK) {
        *ret_result = (struct check_result){.verdict = VERDICT_WRONG_ANSWER,
                                            .message = STR("rejected by the interactor")};
        return true;
    }
    if (manifest->checker.kind == CHECKER_NONE) {
        *ret_result = (struct check_result){
            .verdict = VERDICT_ACCEPTED,
            .score_micro = manifest->cases[request.index].score_micro,
        };
        return true;
    }
    if (!take_tout(box, &tout, err)) {
        return work_node_fault(err);
    }
    request.output_fd = tout;
    return interactor->judge == NULL ? check_default(work, &request, ret_result, err)
                                     : check_program(work, &request, ret_result, err);
}

/* ---- by convention ---- */

bool interactor_prepare(struct work *work, const struct interactor *interactor,
                        const struct run_limits *limits, struct fileset *files,
                        struct box_run_spec *ret_spec, struct err *err) {
    return interactor->adapter == ADAPTER_TESTLIB
               ? testlib_prepare(work, interactor->request, limits, files, ret_spec, err)
               : check_prepare(work, interactor->request, limits, files, ret_spec, err);
}

bool interactor_finish(struct work *work, const struct interactor *interactor,
                       const struct run_limits *limits, struct box_result *box,
                       struct check_result *ret_result, struct err *err) {
    return interactor->adapter == ADAPTER_TESTLIB
               ? testlib_finish(work, interactor, box, ret_result, err)
               : check_finish(work, interactor->request, limits, box, ret_result, err);
}
