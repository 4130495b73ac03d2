/* The problem's own checker on one case: `checker input answer feedback/ [flags] < output` in the
 * box, after the ICPC output validator protocol. The answer is in this run only; unless the
 * submission talks with it, the submission is dead by then. */
#include "base/check.h"
#include "judge/check.h"
#include "judge/reader.h"
#include "judge/text.h"

#include <stdio.h>

#define ICPC_EXIT_ACCEPT 42
#define ICPC_EXIT_REJECT 43
#define FEEDBACK_BYTES_MAX (64LL * KIB)
#define CHECKER_STDERR_BYTES_MAX (4LL * KIB)
#define CHECKER_WORD_BYTES_MAX 128

/* A validator whose submission is gone must be able to say so: a write to it is an error then, not
 * a death. */
#define SCRIPT_JOINED "trap '' PIPE; exec \"$@\""
/* Everything in the feedback folder but nextpass.in stays for the next pass. The shell holds the
 * pipes until it ends, so that a joined submission sees the validator end after it did. */
#define SCRIPT_PASS                                                                                \
    "if [ -e state.tar ]; then /usr/bin/tar -xf state.tar || exit 1; fi; \"$@\"; status=$?; "      \
    "/usr/bin/tar -cf state.out --exclude=feedback/nextpass.in feedback || exit 1; exit $status"
#define SCRIPT_JOINED_PASS "trap '' PIPE; " SCRIPT_PASS

enum feedback {
    FEEDBACK_TEAM,
    FEEDBACK_JUDGE,
    FEEDBACK_SCORE,
    FEEDBACK_MULTIPLIER,
    FEEDBACK_NEXT,  /* of a multi-pass problem: the input of the next pass */
    FEEDBACK_STATE, /* of a multi-pass problem: the folder as an archive */
};

static const char *const feedback_names[] = {
    [FEEDBACK_TEAM] = "feedback/teammessage.txt",
    [FEEDBACK_JUDGE] = "feedback/judgemessage.txt",
    [FEEDBACK_SCORE] = "feedback/score.txt",
    [FEEDBACK_MULTIPLIER] = "feedback/score_multiplier.txt",
    [FEEDBACK_NEXT] = "feedback/nextpass.in",
    [FEEDBACK_STATE] = "state.out",
    NULL,
};

enum icpc_answer check_icpc_answer(const struct box_result *result, const struct run_limits *limits,
                                   struct outcome *ret_why) {
    struct outcome outcome = outcome_of_tool(result, limits);
    bool limits_kept = outcome.kind == OUTCOME_CHECK ||
                       (outcome.kind == OUTCOME_DECIDED && result->end == BOX_END_EXIT &&
                        outcome.verdict == VERDICT_RUNTIME_ERROR);
    if (limits_kept && result->exit_code == ICPC_EXIT_ACCEPT) {
        return ICPC_ACCEPT;
    }
    if (limits_kept && result->exit_code == ICPC_EXIT_REJECT) {
        return ICPC_REJECT;
    }
    *ret_why = outcome;
    if (limits_kept) {
        (void)snprintf(
            ret_why->message, sizeof ret_why->message,
            "ended with exit status %d, which is neither 42 (accepted) nor 43 (rejected)",
            result->exit_code);
    }
    return ICPC_BROKEN;
}

static bool bad_score(struct err *err, const char *why) {
    return err_fault(err, FAULT_PROBLEM, ERR_SYSTEM, "bad_checker_score", "the checker %s", why);
}

bool check_icpc_score(struct str multiplier, struct str points, int64_t maximum, int64_t *ret_score,
                      struct err *err) {
    struct err ignored = {0};
    int64_t value = 0;
    if (multiplier.ptr != NULL && points.ptr != NULL) {
        return bad_score(err, "wrote both score.txt and score_multiplier.txt");
    }
    if (multiplier.ptr != NULL) {
        if (!str_to_scaled(str_trim(multiplier), 6, 1000000, &value, &ignored)) {
            return bad_score(err, "wrote a score_multiplier.txt that is no number from 0 to 1");
        }
        *ret_score = (int64_t)((__int128)maximum * value / 1000000);
        return true;
    }
    if (points.ptr != NULL) {
        if (!str_to_scaled(str_trim(points), 6, maximum, &value, &ignored)) {
            return bad_score(err,
                             "wrote a score.txt that is no number from 0 to the case's maximum");
        }
        *ret_score = value;
        return true;
    }
    *ret_score = maximum;
    return true;
}

/* ---- files ---- */

static bool add_input(struct work *work, const struct check_request *request, struct fileset *files,
                      struct err *err) {
    const struct manifest_case *row = &request->manifest->cases[request->index];
    const struct pass *pass = request->pass;
    if (pass != NULL && pass->state_fd >= 0 &&
        !work_add_fd(work, files, "state.tar", pass->state_fd, err)) {
        return false;
    }
    return pass != NULL && pass->input_fd >= 0
               ? work_add_fd(work, files, "data/input", pass->input_fd, err)
               : work_add_blob(work, files, "data/input", &row->input, err);
}

/* The feedback folder exists because a file in it does. */
static bool gather_files(struct work *work, const struct check_request *request,
                         struct fileset *files, struct err *err) {
    const struct manifest_case *row = &request->manifest->cases[request->index];
    if (!fileset_copy(files, work->arena, &request->checker->files, err) ||
        !fileset_add_text(files, work->arena, STR("feedback/.keep"), STR(""),
                          (struct fileset_options){.writable = true}, err)) {
        return work_node_fault(err);
    }
    return add_input(work, request, files, err) &&
           work_add_blob(work, files, "data/answer", &row->answer, err);
}

/* ---- the run ---- */

struct run_limits check_limits(const struct manifest *manifest) {
    const struct manifest_limits *limits = &manifest->limits;
    return (struct run_limits){.cpu_ms = limits->validation_time_ms,
                               .wall_ms = outcome_box_wall_ms(limits->validation_time_ms),
                               .memory_bytes = limits->validation_memory_kib * KIB,
                               .output_bytes = limits->validation_output_kib * KIB};
}

/* Which script the validator is started by: NULL where nothing is wanted that needs one. */
static const char *script_of(const struct check_request *request) {
    if (request->pass == NULL) {
        return request->joined ? SCRIPT_JOINED : NULL;
    }
    return request->joined ? SCRIPT_JOINED_PASS : SCRIPT_PASS;
}

bool check_prepare(struct work *work, const struct check_request *request,
                   const struct run_limits *limits, struct fileset *files,
                   struct box_run_spec *ret_spec, struct err *err) {
    struct str flags = check_args(request->manifest, request->index, request->args);
    const char *args = arena_printf(
        work->arena, "/w/data/input /w/data/answer /w/feedback/ " STR_FMT, STR_ARG(flags));
    struct run_ask ask = {
        .program = request->checker, .files = files, .args = str_from(args), .limits = *limits};
    const char *script = script_of(request);
    if (!gather_files(work, request, files, err) || !work_fill_run(work, &ask, ret_spec, err)) {
        return false;
    }
    if (script != NULL && !work_wrap_run(work, script, ret_spec, err)) {
        return false;
    }
    ret_spec->outputs = feedback_names;
    ret_spec->output_file_bytes_max =
        request->pass != NULL ? limits->output_bytes : FEEDBACK_BYTES_MAX;
    ret_spec->streams[2] = (struct box_stream){
        .kind = BOX_STREAM_CAPTURE, .fd = -1, .bytes_max = CHECKER_STDERR_BYTES_MAX};
    return true;
}

static const char *role_of(const struct check_request *request) {
    return request->joined ? "interactor" : "checker";
}

bool check_broken(struct work *work, const struct check_request *request,
                  const struct box_result *box, const struct outcome *why, struct err *err) {
    const struct manifest_case *row = &request->manifest->cases[request->index];
    struct str words = {0};
    if (why->kind == OUTCOME_FAULT) {
        return err_fault(err, FAULT_NODE, ERR_SYSTEM, "checker_failed", "the %s %s",
                         role_of(request), why->message);
    }
    if (!text_from_file(work->arena, box->stream_fds[2], CHECKER_WORD_BYTES_MAX, &words, err)) {
        return false;
    }
    return err_fault(err, FAULT_PROBLEM, ERR_SYSTEM, "checker_broken",
                     "case " STR_FMT ": the %s %s%s" STR_FMT,
                     STR_ARG(str_utf8_prefix(row->name, 64)), role_of(request), why->message,
                     words.len > 0 ? ": " : "", STR_ARG(words));
}

/* ---- the answer ---- */

/* NULL as pointer when there is no such file. */
static bool read_feedback(struct work *work, const struct box_result *box, enum feedback which,
                          struct str *ret_text, struct err *err) {
    *ret_text = (struct str){0};
    switch (box->output_states[which]) {
    case BOX_OUTPUT_MISSING: return true;
    case BOX_OUTPUT_FILE:
        return text_from_file(work->arena, box->output_fds[which], CASE_MESSAGE_BYTES_MAX, ret_text,
                              err);
    case BOX_OUTPUT_NOT_PLAIN:
    case BOX_OUTPUT_TOO_LARGE: break;
    }
    return err_fault(err, FAULT_PROBLEM, ERR_SYSTEM, "checker_broken",
                     "the checker left %s as no plain file or larger than %lld KiB",
                     feedback_names[which], FEEDBACK_BYTES_MAX / KIB);
}

static bool read_score(struct work *work, const struct check_request *request,
                       const struct box_result *box, struct check_result *result, struct err *err) {
    int64_t maximum = request->manifest->cases[request->index].score_micro;
    struct str points = {0};
    struct str multiplier = {0};
    /* A sample, or a case of a group that only passes or fails, has no points of its own. */
    if ((request->manifest->kinds & PROBLEM_SCORING) == 0 || maximum == 0) {
        result->score_micro = maximum;
        return true;
    }
    if (!read_feedback(work, box, FEEDBACK_SCORE, &points, err) ||
        !read_feedback(work, box, FEEDBACK_MULTIPLIER, &multiplier, err) ||
        !check_icpc_score(multiplier, points, maximum, &result->score_micro, err)) {
        return false;
    }
    if (result->score_micro < maximum) {
        result->verdict = VERDICT_PARTIAL;
    }
    return true;
}

/* ---- the next pass ---- */

static bool pass_fault(const struct check_request *request, struct err *err, const char *why) {
    const struct manifest_case *row = &request->manifest->cases[request->index];
    return err_fault(
        err, FAULT_PROBLEM, ERR_SYSTEM, "bad_next_pass", "case " STR_FMT ", pass %d: the %s %s",
        STR_ARG(str_utf8_prefix(row->name, 64)), request->pass->number, role_of(request), why);
}

/* Hands the input of the next pass, and what the validator remembers, to request->pass. */
static bool take_next(const struct check_request *request, struct box_result *box,
                      enum icpc_answer answer, struct err *err) {
    struct pass *pass = request->pass;
    enum box_output_state state = box->output_states[FEEDBACK_NEXT];
    pass->more = false;
    if (state == BOX_OUTPUT_MISSING) {
        return true;
    }
    if (state != BOX_OUTPUT_FILE || box->output_states[FEEDBACK_STATE] != BOX_OUTPUT_FILE) {
        return pass_fault(request, err,
                          "left a feedback folder that is too large, or a nextpass.in that is no "
                          "plain file");
    }
    if (answer != ICPC_ACCEPT) {
        return pass_fault(request, err, "wrote nextpass.in but did not accept the output");
    }
    if (pass->number >= request->manifest->limits.validation_passes) {
        return pass_fault(request, err, "wants more passes than validation_passes allows");
    }
    fd_cleanup(&pass->input_fd);
    fd_cleanup(&pass->state_fd);
    pass->input_fd = take_fd(&box->output_fds[FEEDBACK_NEXT]);
    pass->state_fd = take_fd(&box->output_fds[FEEDBACK_STATE]);
    pass->number++;
    pass->more = true;
    return true;
}

static bool wrote_nothing(int output_fd) {
    struct reader reader;
    reader_init(&reader, output_fd);
    (void)reader_skip_space(&reader);
    bool nothing = reader_at_end(&reader);
    reader_done(&reader);
    return nothing;
}

/* A word for the student where the validator left none. */
static struct str why_rejected(const struct check_request *request) {
    if (request->joined) {
        return STR("rejected by the interactor");
    }
    return wrote_nothing(request->output_fd) ? STR("no output") : STR("rejected by the checker");
}

bool check_finish(struct work *work, const struct check_request *request,
                  const struct run_limits *limits, struct box_result *box,
                  struct check_result *ret_result, struct err *err) {
    struct check_result result = {.verdict = VERDICT_ACCEPTED};
    struct outcome why = {.kind = OUTCOME_CHECK};
    enum icpc_answer answer = check_icpc_answer(box, limits, &why);
    if (answer == ICPC_BROKEN) {
        return check_broken(work, request, box, &why, err);
    }
    if (!read_feedback(work, box, FEEDBACK_TEAM, &result.message, err) ||
        (request->pass != NULL && !take_next(request, box, answer, err))) {
        return false;
    }
    if (answer == ICPC_REJECT) {
        result.verdict = VERDICT_WRONG_ANSWER;
        result.message = result.message.len == 0 ? why_rejected(request) : result.message;
    } else if (!read_score(work, request, box, &result, err)) {
        return false;
    }
    *ret_result = result;
    return true;
}

bool check_program(struct work *work, const struct check_request *request,
                   struct check_result *ret_result, struct err *err) {
    CHECK(request->checker != NULL);
    struct run_limits limits = check_limits(request->manifest);
    own_fileset files = {.count = 0};
    struct box_run_spec spec = {0};
    own_box_result box;
    box_result_init(&box);
    if (!check_prepare(work, request, &limits, &files, &spec, err)) {
        return false;
    }
    spec.streams[0] = (struct box_stream){.kind = BOX_STREAM_FD, .fd = request->output_fd};
    return work_run(work, &spec, &box, err) &&
           check_finish(work, request, &limits, &box, ret_result, err);
}
