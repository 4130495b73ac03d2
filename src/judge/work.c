/* Runs in the box on behalf of one judging. */
#include "judge/work.h"
#include "base/check.h"
#include "judge/caps.h"
#include "judge/command.h"
#include "judge/prepare.h"

#include <string.h>

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

bool work_kill(const struct work *work, uint32_t run, struct err *err) {
    struct err missing = {0};
    if (box_kill(work->judge->box, work->slot, run, &missing) || missing.kind == ERR_MISSING) {
        return true;
    }
    *err = missing;
    return work_node_fault(err);
}

/* Its result is of no interest, but the run must be over before the slot is used again. */
static bool stop_run(const struct work *work, uint32_t run, struct err *err) {
    own_box_result result;
    struct err stop = *err;
    box_result_init(&result);
    if (!work_kill(work, run, err)) {
        return false;
    }
    if (!box_wait(work->judge->box, work->slot, -1, &result, err)) {
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
    int64_t work_bytes = bytes + limits->output_bytes + RUN_WORK_BYTES_SPARE;
    if (!caps_check_run(&work->judge->caps, language, work_bytes, err)) {
        return false;
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
                   .work_bytes = work_bytes,
                   .work_inodes = RUN_INODES_MAX,
                   .pids_max = language->pids_max,
                   .open_files_max = RUN_OPEN_FILES_MAX},
    };
    return true;
}

bool work_add_blob(const struct work *work, struct fileset *files, const char *name,
                   const struct blob_ref *blob, struct err *err) {
    own_fd fd = -1;
    if (blob->bytes < 0) {
        return fileset_add_text(files, work->arena, str_from(name), STR(""),
                                (struct fileset_options){.executable = false}, err) ||
               work_node_fault(err);
    }
    return work_open_blob(work, blob, &fd, err) &&
           (fileset_add(files, work->arena, str_from(name), &fd,
                        (struct fileset_options){.executable = false}, err) ||
            work_node_fault(err));
}

bool work_add_fd(const struct work *work, struct fileset *files, const char *name, int fd,
                 struct err *err) {
    own_fd copy = -1;
    return (fileset_dup(fd, &copy, err) &&
            fileset_add(files, work->arena, str_from(name), &copy,
                        (struct fileset_options){.executable = false}, err)) ||
           work_node_fault(err);
}

static bool has_root(const char *const *roots, const char *root) {
    for (size_t i = 0; roots[i] != NULL; i++) {
        if (strcmp(roots[i], root) == 0) {
            return true;
        }
    }
    return false;
}

static const char *const *add_roots(const struct work *work, const char *const *roots,
                                    const char *const *more) {
    const char **all = arena_array(work->arena, BOX_ROOTS_MAX + 4, sizeof *all);
    size_t count = 0;
    for (size_t i = 0; roots[i] != NULL; i++) {
        all[count++] = roots[i];
    }
    for (size_t i = 0; more[i] != NULL; i++) {
        if (!has_root(roots, more[i])) {
            all[count++] = more[i];
        }
    }
    return all;
}

bool work_wrap_run(const struct work *work, const char *script, struct box_run_spec *spec,
                   struct err *err) {
    static const char *const shell_roots[] = {"/usr", "/lib", "/lib64", NULL};
    static const char *const shell[] = {"/usr/bin/sh", "-c", NULL, "sh"};
    const size_t ahead = sizeof shell / sizeof shell[0];
    size_t count = 0;
    while (spec->argv[count] != NULL) {
        count++;
    }
    const char **argv = arena_array(work->arena, ahead + count + 1, sizeof *argv);
    memcpy(argv, shell, sizeof shell);
    argv[2] = script;
    memcpy(argv + ahead, spec->argv, count * sizeof *argv);
    spec->argv = argv;
    spec->roots = add_roots(work, spec->roots, shell_roots);
    return count + ahead <= COMMAND_WORDS_MAX ||
           err_fault(err, FAULT_PROBLEM, ERR_SYSTEM, "bad_args",
                     "a program of the problem has too many arguments");
}
