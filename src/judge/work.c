/* Runs in the box on behalf of one judging. */
#include "judge/work.h"
#include "base/check.h"
#include "judge/command.h"
#include "judge/prepare.h"

#define RUN_INODES_MAX 1024
#define RUN_OPEN_FILES_MAX 256
#define MEMORY_MIB_MIN 16                 /* no runtime starts with less */
#define RUN_WORK_BYTES_SPARE (16LL * MIB) /* of the work folder, beside the files put there */

bool work_node_fault(struct err *err) {
    if (err->kind != ERR_CANCELLED) {
        err->kind = ERR_SYSTEM;
        err->fault = err->fault == FAULT_NONE ? FAULT_NODE : err->fault;
    }
    return false;
}

bool work_report(struct work *work, struct err *err) {
    if (work->progress == NULL || work->progress(work->context, &work->now)) {
        return true;
    }
    return err_set(err, ERR_CANCELLED, "judging_stopped", "the judging is no longer wanted");
}

bool work_open_blob(const struct work *work, const struct blob_ref *blob, int *ret_fd,
                    struct err *err) {
    CHECK(work->open_blob != NULL);
    return work->open_blob(work->context, blob, ret_fd, err) || work_node_fault(err);
}

/* Its result is of no interest, but the run must be over before the slot is used again. */
static bool stop_run(const struct work *work, uint32_t run, struct err *err) {
    own_box_result result;
    struct err stop = *err;
    box_result_init(&result);
    if (!box_kill(work->judge->box, work->slot, run, err) ||
        !box_wait(work->judge->box, work->slot, -1, &result, err)) {
        return work_node_fault(err);
    }
    *err = stop;
    return false;
}

static bool run_now(struct work *work, const struct box_run_spec *spec,
                    struct box_result *ret_result, struct err *err) {
    uint32_t run = 0;
    if (!box_start(work->judge->box, work->slot, spec, &run, err)) {
        return work_node_fault(err);
    }
    /* A finished case is told once, not again with each question. */
    work->now.finished = NULL;
    while (!box_wait(work->judge->box, work->slot, JUDGE_WAIT_MS, ret_result, err)) {
        if (err->kind != ERR_DEADLINE) {
            return work_node_fault(err);
        }
        if (!work_report(work, err)) {
            return stop_run(work, run, err);
        }
    }
    return true;
}

bool work_run(struct work *work, const struct box_run_spec *spec, struct box_result *ret_result,
              struct err *err) {
    if (!quiet_enter(work, err)) {
        return false;
    }
    bool good = run_now(work, spec, ret_result, err);
    quiet_leave(work);
    return good;
}

size_t judge_place_of(const struct judge *judge, const struct language *language) {
    for (size_t i = 0; i < language_count(judge->languages); i++) {
        if (language_at(judge->languages, i) == language) {
            return i;
        }
    }
    CHECK(false);
}

static enum box_profile profile_of(const struct language *language) {
    return language->profile == LANGUAGE_PROFILE_NATIVE ? BOX_PROFILE_NATIVE : BOX_PROFILE_MANAGED;
}

/* What the runtime may use of the limit: the rest is for itself. */
static int64_t memory_mib_of(const struct run_ask *ask) {
    int64_t mib = (ask->limits.memory_bytes - ask->program->language->memory_extra_kib * KIB) / MIB;
    return mib < MEMORY_MIB_MIN ? MEMORY_MIB_MIN : mib;
}

static bool fill_argv(const struct work *work, const struct run_ask *ask,
                      const char *const **ret_argv, struct err *err) {
    struct command_fill fill = {.entry = ask->program->entry,
                                .prepared =
                                    prepare_place(work->judge, ask->program->language, work->arena),
                                .memory_mib = memory_mib_of(ask)};
    if (!command_split(ask->args, work->arena, &fill.extra, err) ||
        !command_build(&ask->program->language->run, &fill, work->arena, ret_argv, err)) {
        err->kind = ERR_SYSTEM;
        err->fault = FAULT_PROBLEM; /* only the problem's own arguments can be too many */
        return false;
    }
    return true;
}

bool work_fill_run(const struct work *work, const struct run_ask *ask,
                   struct box_run_spec *ret_spec, struct err *err) {
    const struct language *language = ask->program->language;
    const struct run_limits *limits = &ask->limits;
    static const char *const no_outputs[] = {NULL};
    const char *const *argv = NULL;
    int64_t bytes = 0;
    if (!fill_argv(work, ask, &argv, err)) {
        return false;
    }
    if (!fileset_bytes(ask->files, &bytes, err)) {
        return work_node_fault(err);
    }
    struct box_stream nothing = {
        .kind = BOX_STREAM_NULL, .fd = -1, .bytes_max = limits->output_bytes};
    *ret_spec = (struct box_run_spec){
        .profile = profile_of(language),
        .argv = argv,
        .env = language->env,
        .roots = prepare_roots(work, language, language->run.roots),
        .files = ask->files->files,
        .file_count = ask->files->count,
        .outputs = no_outputs,
        .streams = {nothing, nothing, nothing},
        .limits = {.cpu_ms = outcome_box_cpu_ms(limits->cpu_ms),
                   .wall_ms = limits->wall_ms,
                   .memory_bytes = limits->memory_bytes,
                   .file_bytes = limits->output_bytes,
                   .work_bytes = bytes + limits->output_bytes + RUN_WORK_BYTES_SPARE,
                   .work_inodes = RUN_INODES_MAX,
                   .pids_max = language->pids_max,
                   .open_files_max = RUN_OPEN_FILES_MAX},
    };
    return true;
}
