/* One run of a program of the problem that is no checker. */
#include "judge/tool.h"

#include "judge/checker_cache.h"
#include "judge/outcome.h"
#include "judge/work.h"
#include <stdio.h>

void judge_tool_result_done(struct judge_tool_result *result) {
    if (result != NULL) {
        fd_cleanup(&result->output_fd);
        fd_cleanup(&result->errors_fd);
    }
}

static struct box_stream capture(int64_t bytes_max) {
    return (struct box_stream){.kind = BOX_STREAM_CAPTURE, .fd = -1, .bytes_max = bytes_max};
}

static bool run(struct work *work, const struct judge_tool_request *request,
                const struct program *program, const struct run_limits *limits,
                struct box_result *box, struct err *err) {
    own_fileset files = {.count = 0};
    struct box_run_spec spec = {0};
    struct run_ask ask = {
        .program = program, .files = &files, .args = request->args, .limits = *limits};
    if (!fileset_copy(&files, work->arena, &program->files, err)) {
        return work_node_fault(err);
    }
    if (!work_fill_run(work, &ask, &spec, err)) {
        return false;
    }
    if (request->input_fd >= 0) {
        spec.streams[0] = (struct box_stream){.kind = BOX_STREAM_FD, .fd = request->input_fd};
    }
    spec.streams[1] = capture(request->output_bytes);
    spec.streams[2] = capture(request->output_bytes);
    return work_run(work, &spec, box, err);
}

static void tell(struct box_result *box, const struct run_limits *limits,
                 struct judge_tool_result *result) {
    struct outcome outcome = outcome_of_tool(box, limits);
    result->ended = outcome.kind == OUTCOME_CHECK ||
                    (outcome.kind == OUTCOME_DECIDED && box->end == BOX_END_EXIT &&
                     outcome.verdict == VERDICT_RUNTIME_ERROR);
    result->exit_code = box->exit_code;
    result->output_fd = take_fd(&box->stream_fds[1]);
    result->errors_fd = take_fd(&box->stream_fds[2]);
    (void)snprintf(result->why, sizeof(result->why), "%s", outcome.message);
}

static bool compile_and_run(struct work *work, const struct judge_tool_request *request,
                            const struct run_limits *limits, struct box_result *box,
                            struct err *err) {
    const struct program *program = NULL;
    /* How a checker would be called says nothing here: a tool has its arguments. */
    struct manifest_program source = *request->program;
    source.adapter = ADAPTER_ICPC;
    if (!checker_acquire(work, request->manifest, &source, &program, err)) {
        return false;
    }
    bool ok = run(work, request, program, limits, box, err);
    checker_release(work->judge, program);
    return ok;
}

bool judge_run_tool(struct judge *judge, const struct judge_tool_request *request,
                    struct arena *arena, struct judge_tool_result *ret_result, struct err *err) {
    own_box_result box;
    struct work work = {.judge = judge,
                        .slot = request->slot,
                        .arena = arena,
                        .open_blob = request->open_blob,
                        .context = request->context};
    const struct run_limits limits = {.cpu_ms = request->time_ms,
                                      .wall_ms = outcome_box_wall_ms(request->time_ms),
                                      .memory_bytes =
                                          request->manifest->limits.validation_memory_kib * KIB,
                                      .output_bytes = request->output_bytes};
    *ret_result = (struct judge_tool_result){.output_fd = -1, .errors_fd = -1};
    box_result_init(&box);
    if (!box_slot_open(judge->box, request->slot, err)) {
        return work_node_fault(err);
    }
    bool ok = compile_and_run(&work, request, &limits, &box, err);
    struct err ignored = {0};
    if (!box_slot_close(judge->box, request->slot, ok ? err : &ignored)) {
        ok = false;
    }
    if (ok) {
        tell(&box, &limits, ret_result);
    }
    return ok;
}
