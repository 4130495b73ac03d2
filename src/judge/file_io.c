/* Files as input and output of a submission. */
#include "judge/file_io.h"

#include <stdio.h>

#define GROWTH_BYTES (64LL * KIB) /* beyond the limit, so that too much can be told from enough */

bool file_io_prepare(struct work *work, const struct manifest *manifest, int input_fd,
                     struct fileset *files, struct box_run_spec *spec, struct err *err) {
    const char *input = arena_cstr(work->arena, manifest->input_file);
    if (manifest->input_file.len > 0 && input_fd >= 0 &&
        !work_add_fd(work, files, input, input_fd, err)) {
        return false;
    }
    spec->files = files->files;
    spec->file_count = files->count;
    if (manifest->output_file.len > 0) {
        const char **outputs = arena_array(work->arena, 2, sizeof *outputs);
        outputs[0] = arena_cstr(work->arena, manifest->output_file);
        spec->outputs = outputs;
        spec->output_file_bytes_max = manifest->limits.output_kib * KIB;
        spec->limits.file_bytes = spec->output_file_bytes_max + GROWTH_BYTES;
    }
    return true;
}

void file_io_outcome(const struct manifest *manifest, const struct box_result *box,
                     struct outcome *outcome) {
    bool open = outcome->kind == OUTCOME_CHECK ||
                (outcome->kind == OUTCOME_DECIDED && outcome->verdict == VERDICT_RUNTIME_ERROR);
    if (manifest->output_file.len == 0 || !open || box->output_states[0] != BOX_OUTPUT_TOO_LARGE) {
        return;
    }
    outcome->kind = OUTCOME_DECIDED;
    outcome->verdict = VERDICT_OUTPUT_LIMIT_EXCEEDED;
    (void)snprintf(outcome->message, sizeof outcome->message,
                   "wrote more than %lld KiB to its file", (long long)manifest->limits.output_kib);
}

const char *file_io_output(const struct manifest *manifest, const struct box_result *box,
                           struct arena *arena, int *ret_fd) {
    *ret_fd = box->stream_fds[1];
    if (manifest->output_file.len == 0) {
        return NULL;
    }
    switch (box->output_states[0]) {
    case BOX_OUTPUT_FILE: *ret_fd = box->output_fds[0]; return NULL;
    case BOX_OUTPUT_NOT_PLAIN:
        return arena_printf(arena, STR_FMT " is a link, a folder or a pipe, not a plain file",
                            STR_ARG(manifest->output_file));
    case BOX_OUTPUT_MISSING:
    case BOX_OUTPUT_TOO_LARGE: break;
    }
    return box->stream_bytes[1] > 0 ? NULL
                                    : arena_printf(arena,
                                                   "no output: there is no file " STR_FMT
                                                   ", and nothing on standard output",
                                                   STR_ARG(manifest->output_file));
}
