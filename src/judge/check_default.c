/* The built-in checkers on one case. */
#include "judge/check.h"
#include "judge/compare.h"
#include "judge/text.h"

struct str check_args(const struct manifest *manifest, int32_t index, struct str otherwise) {
    const struct manifest_case *row = &manifest->cases[index];
    if (row->checker_args.len > 0) {
        return row->checker_args;
    }
    for (int32_t g = row->group; g >= 0; g = manifest->groups[g].parent) {
        if (manifest->groups[g].checker_args.len > 0) {
            return manifest->groups[g].checker_args;
        }
    }
    return otherwise;
}

bool check_default(struct work *work, const struct check_request *request,
                   struct check_result *ret_result, struct err *err) {
    const struct manifest_case *row = &request->manifest->cases[request->index];
    struct compare_rules rules = {0};
    struct compare_result compared = {0};
    own_fd answer = -1;
    if (!compare_rules_read(&request->manifest->checker,
                            check_args(request->manifest, request->index, STR("")), &rules, err)) {
        return false;
    }
    if (row->answer.bytes < 0) {
        return err_fault(err, FAULT_PROBLEM, ERR_SYSTEM, "no_answer",
                         "case " STR_FMT " has no expected answer to compare with",
                         STR_ARG(row->name));
    }
    if (!work_open_blob(work, &row->answer, &answer, err) ||
        !compare_files(&rules, request->output_fd, answer, &compared, err)) {
        return false;
    }
    own_buf message = {0};
    buf_init(&message, CASE_MESSAGE_BYTES_MAX);
    compare_message(&compared, row->sample, &message);
    bool accepted = compared.why == COMPARE_EQUAL;
    *ret_result = (struct check_result){
        .verdict = accepted ? VERDICT_ACCEPTED : VERDICT_WRONG_ANSWER,
        .score_micro = accepted ? row->score_micro : 0,
        .message = text_clean(work->arena, buf_str(&message), CASE_MESSAGE_BYTES_MAX),
    };
    return true;
}
