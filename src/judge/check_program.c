/* The problem's own checker on one case, in the box. The answer is in this run only; unless the
 * submission talks with it, the submission is dead by then. How it is called and what it means:
 * judge/protocol.c. */
#include "base/check.h"
#include "judge/check.h"
#include "judge/check_pass.h"
#include "judge/reader.h"
#include "judge/text.h"

#include <stdio.h>
#include <string.h>

#define FEEDBACK_BYTES_MAX (64LL * KIB)
#define CHECKER_STDERR_BYTES_MAX (4LL * KIB)
#define CHECKER_WORD_BYTES_MAX 128
#define FULL_POINTS_DEFAULT 100
#define FULL_POINTS_MAX 1000000000
#define MICRO 1000000

/* A validator whose submission is gone must be able to say so: a write to it is an error then, not
 * a death. */
#define SCRIPT_JOINED "trap '' PIPE; exec \"$@\""
/* Everything in the feedback folder but nextpass.in stays for the next pass. The shell holds the
 * pipes until it ends, so that a joined submission sees the validator end after it did. */
#define SCRIPT_PASS                                                                                \
    "if [ -e state.tar ]; then /usr/bin/tar -xf state.tar || exit 1; fi; \"$@\"; status=$?; "      \
    "/usr/bin/tar -cf state.out --exclude=feedback/nextpass.in feedback || exit 1; exit $status"
#define SCRIPT_JOINED_PASS "trap '' PIPE; " SCRIPT_PASS

static const struct protocol *protocol_for(const struct check_request *request) {
    const struct manifest *manifest = request->manifest;
    return protocol_of(request->joined ? manifest->interactor.adapter
                                       : manifest->checker.program.adapter);
}

/* ---- files ---- */

static bool add_input(struct work *work, const struct check_request *request, struct fileset *files,
                      struct err *err) {
    const struct manifest_case *row = &request->manifest->cases[request->index];
    const char *name = protocol_for(request)->input;
    const struct pass *pass = request->pass;
    if (pass != NULL && pass->state_fd >= 0 &&
        !work_add_fd(work, files, "state.tar", pass->state_fd, err)) {
        return false;
    }
    return pass != NULL && pass->input_fd >= 0 ? work_add_fd(work, files, name, pass->input_fd, err)
                                               : work_add_blob(work, files, name, &row->input, err);
}

static bool add_text(struct work *work, struct fileset *files, const char *name, struct str text,
                     bool writable, struct err *err) {
    return fileset_add_text(files, work->arena, str_from(name), text,
                            (struct fileset_options){.writable = writable}, err) ||
           work_node_fault(err);
}

static bool add_output(struct work *work, const struct check_request *request,
                       struct fileset *files, struct err *err) {
    const char *name = protocol_for(request)->output;
    if (name == NULL) {
        return true;
    }
    return request->output_fd < 0 ? add_text(work, files, name, STR(""), false, err)
                                  : work_add_fd(work, files, name, request->output_fd, err);
}

static bool add_files(struct work *work, const struct check_request *request, struct fileset *files,
                      struct err *err) {
    const struct protocol *protocol = protocol_for(request);
    const struct manifest_case *row = &request->manifest->cases[request->index];
    /* The feedback folder exists because a file in it does. */
    return (protocol->outputs[0] == NULL ||
            add_text(work, files, "feedback/.keep", STR(""), true, err)) &&
           add_input(work, request, files, err) &&
           (protocol->answer == NULL ||
            work_add_blob(work, files, protocol->answer, &row->answer, err)) &&
           add_output(work, request, files, err) &&
           (protocol->source == NULL ||
            add_text(work, files, protocol->source, request->source, false, err));
}

static bool gather_files(struct work *work, const struct check_request *request,
                         struct fileset *files, struct err *err) {
    if (!fileset_copy(files, work->arena, &request->checker->files, err)) {
        return work_node_fault(err);
    }
    if (!add_files(work, request, files, err)) {
        /* a file of the checker's own is called so */
        err->fault = strcmp(err->code, "double_file") == 0 ? FAULT_PROBLEM : err->fault;
        return false;
    }
    return true;
}

/* ---- the run ---- */

/* The number that a checker is told to be the full score: the case's points where they are whole.
 */
static int64_t full_points(const struct check_request *request) {
    int64_t micro = request->manifest->cases[request->index].score_micro;
    bool whole = micro > 0 && micro % MICRO == 0 && micro / MICRO <= FULL_POINTS_MAX;
    return whole ? micro / MICRO : FULL_POINTS_DEFAULT;
}

static struct str make_args(struct work *work, const struct check_request *request) {
    const struct protocol *protocol = protocol_for(request);
    struct str flags = check_args(request->manifest, request->index, request->args);
    const char *args = "";
    for (size_t i = 0; protocol->args[i] != NULL; i++) {
        const char *word = protocol->args[i];
        if (strcmp(word, "{flags}") == 0) {
            args = arena_printf(work->arena, "%s " STR_FMT, args, STR_ARG(flags));
        } else if (strcmp(word, "{full}") == 0) {
            args = arena_printf(work->arena, "%s %lld", args, (long long)full_points(request));
        } else {
            args = arena_printf(work->arena, "%s %s", args, word);
        }
    }
    return str_from(args);
}

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
    struct run_ask ask = {.program = request->checker,
                          .files = files,
                          .args = make_args(work, request),
                          .limits = *limits};
    const char *script = script_of(request);
    if (!gather_files(work, request, files, err) || !work_fill_run(work, &ask, ret_spec, err)) {
        return false;
    }
    if (script != NULL && !work_wrap_run(work, script, ret_spec, err)) {
        return false;
    }
    ret_spec->outputs = request->pass != NULL ? pass_outputs : protocol_for(request)->outputs;
    ret_spec->output_file_bytes_max =
        request->pass != NULL ? limits->output_bytes : FEEDBACK_BYTES_MAX;
    ret_spec->streams[2] = (struct box_stream){
        .kind = BOX_STREAM_CAPTURE, .fd = -1, .bytes_max = CHECKER_STDERR_BYTES_MAX};
    return true;
}

static bool open_stdin(struct work *work, const struct check_request *request, int *ret_fd,
                       struct err *err) {
    const struct blob_ref *input = &request->manifest->cases[request->index].input;
    switch (protocol_for(request)->reads) {
    case PROTOCOL_READS_NOTHING: return true;
    case PROTOCOL_READS_OUTPUT:
        return request->output_fd < 0 || fileset_dup(request->output_fd, ret_fd, err) ||
               work_node_fault(err);
    case PROTOCOL_READS_INPUT: return input->bytes < 0 || work_open_blob(work, input, ret_fd, err);
    }
    CHECK(false);
}

/* ---- faults ---- */

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

/* The same for an error whose text is the end of a sentence that begins with its name. */
static bool complete(struct work *work, const struct check_request *request,
                     const struct box_result *box, struct err *err) {
    struct outcome why = {.kind = OUTCOME_DECIDED};
    if (err->fault != FAULT_PROBLEM) {
        return false;
    }
    (void)snprintf(why.message, sizeof why.message, "%.*s", (int)sizeof why.message - 1, err->text);
    return check_broken(work, request, box, &why, err);
}

/* ---- the answer ---- */

/* A NULL pointer when there is no such file. */
static bool read_file(struct work *work, const struct box_result *box, const char *name,
                      size_t index, struct str *ret_text, struct err *err) {
    switch (box->output_states[index]) {
    case BOX_OUTPUT_MISSING: *ret_text = (struct str){0}; return true;
    case BOX_OUTPUT_FILE:
        return text_from_file(work->arena, box->output_fds[index], CASE_MESSAGE_BYTES_MAX, ret_text,
                              err);
    case BOX_OUTPUT_NOT_PLAIN:
    case BOX_OUTPUT_TOO_LARGE: break;
    }
    return protocol_broken(err, "left %s as no plain file or larger than %lld KiB", name,
                           FEEDBACK_BYTES_MAX / KIB);
}

static bool read_said(struct work *work, const struct check_request *request,
                      const struct box_result *box, struct protocol_said *ret_said,
                      struct err *err) {
    const struct protocol *protocol = protocol_for(request);
    struct protocol_said said = {.exit_code = box->exit_code, .full_points = full_points(request)};
    for (size_t i = 0; protocol->outputs[i] != NULL; i++) {
        if (!read_file(work, box, protocol->outputs[i], i, &said.files[i], err)) {
            return false;
        }
    }
    if (!text_from_file(work->arena, box->stream_fds[1], CASE_MESSAGE_BYTES_MAX, &said.out, err) ||
        !text_from_file(work->arena, box->stream_fds[2], CASE_MESSAGE_BYTES_MAX, &said.errors,
                        err)) {
        return false;
    }
    *ret_said = said;
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

/* A word for the student where the checker left none. */
static const char *why_rejected(const struct check_request *request) {
    if (request->joined) {
        return "rejected by the interactor";
    }
    return wrote_nothing(request->output_fd) ? "no output" : NULL;
}

static bool read_answer(struct work *work, const struct check_request *request,
                        const struct box_result *box, struct checker_answer *ret_answer,
                        struct err *err) {
    struct protocol_said said = {0};
    return read_said(work, request, box, &said, err) &&
           protocol_for(request)->read(&said, work->arena, ret_answer, err);
}

bool check_finish(struct work *work, const struct check_request *request,
                  const struct run_limits *limits, struct box_result *box,
                  struct check_result *ret_result, struct err *err) {
    struct outcome why = {.kind = OUTCOME_CHECK};
    struct checker_answer answer = {.says = CHECKER_SAYS_NO};
    if (!protocol_ended(box, limits, &why)) {
        return check_broken(work, request, box, &why, err);
    }
    if (!read_answer(work, request, box, &answer, err)) {
        return complete(work, request, box, err);
    }
    if (request->pass != NULL && !pass_take_next(request, role_of(request), box, &answer, err)) {
        return false;
    }
    return check_value(request->manifest, request->index, &answer, why_rejected(request),
                       ret_result, err) ||
           complete(work, request, box, err);
}

bool check_program(struct work *work, const struct check_request *request,
                   struct check_result *ret_result, struct err *err) {
    CHECK(request->checker != NULL);
    struct run_limits limits = check_limits(request->manifest);
    own_fileset files = {.count = 0};
    own_fd input = -1;
    struct box_run_spec spec = {0};
    own_box_result box;
    box_result_init(&box);
    if (!check_prepare(work, request, &limits, &files, &spec, err) ||
        !open_stdin(work, request, &input, err)) {
        return false;
    }
    spec.streams[0] =
        (struct box_stream){.kind = input < 0 ? BOX_STREAM_NULL : BOX_STREAM_FD, .fd = input};
    spec.streams[1] =
        (struct box_stream){.kind = BOX_STREAM_CAPTURE, .fd = -1, .bytes_max = limits.output_bytes};
    return work_run(work, &spec, &box, err) &&
           check_finish(work, request, &limits, &box, ret_result, err);
}
