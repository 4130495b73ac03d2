/* From one pass of a multi-pass problem to the next. */
#include "judge/check_pass.h"

#include "base/own.h"

/* Behind the files of an ICPC validator, in the order of its row. */
enum { OUTPUT_NEXT = PROTOCOL_OUTPUTS_MAX, OUTPUT_STATE };

const char *const pass_outputs[] = {
    "feedback/teammessage.txt",
    "feedback/judgemessage.txt",
    "feedback/score.txt",
    "feedback/score_multiplier.txt",
    [OUTPUT_NEXT] = "feedback/nextpass.in", /* the input of the next pass */
    [OUTPUT_STATE] = "state.out",           /* the feedback folder as an archive */
    NULL,
};

static bool pass_fault(const struct check_request *request, const char *role, struct err *err,
                       const char *why) {
    const struct manifest_case *row = &request->manifest->cases[request->index];
    return err_fault(err, FAULT_PROBLEM, ERR_SYSTEM, "bad_next_pass",
                     "case " STR_FMT ", pass %d: the %s %s",
                     STR_ARG(str_utf8_prefix(row->name, 64)), request->pass->number, role, why);
}

bool pass_take_next(const struct check_request *request, const char *role, struct box_result *box,
                    const struct checker_answer *answer, struct err *err) {
    struct pass *pass = request->pass;
    enum box_output_state state = box->output_states[OUTPUT_NEXT];
    pass->more = false;
    if (state == BOX_OUTPUT_MISSING) {
        return true;
    }
    if (state != BOX_OUTPUT_FILE || box->output_states[OUTPUT_STATE] != BOX_OUTPUT_FILE) {
        return pass_fault(request, role, err,
                          "left a feedback folder that is too large, or a nextpass.in that is no "
                          "plain file");
    }
    if (!answer->accepted) {
        return pass_fault(request, role, err, "wrote nextpass.in but did not accept the output");
    }
    if (pass->number >= request->manifest->limits.validation_passes) {
        return pass_fault(request, role, err, "wants more passes than validation_passes allows");
    }
    fd_cleanup(&pass->input_fd);
    fd_cleanup(&pass->state_fd);
    pass->input_fd = take_fd(&box->output_fds[OUTPUT_NEXT]);
    pass->state_fd = take_fd(&box->output_fds[OUTPUT_STATE]);
    pass->number++;
    pass->more = true;
    return true;
}
