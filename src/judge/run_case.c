/* A submission on one case. */
#include "judge/run_case.h"
#include "judge/command.h"
#include "judge/file_io.h"

#define CASE_STDERR_BYTES_MAX (4LL * KIB)

static int64_t at_most(int64_t value, int64_t maximum) {
    return value > maximum ? maximum : value;
}

struct run_limits run_case_limits(const struct manifest *manifest, int32_t index,
                                  const struct language *language) {
    struct str id = str_from(language->id);
    int64_t time_ms = manifest_time_ms(manifest, index, id) * language->time_permille / 1000;
    int64_t memory_kib = manifest_memory_kib(manifest, index, id) + language->memory_extra_kib;
    time_ms = at_most(time_ms < 1 ? 1 : time_ms, TIME_LIMIT_MS_MAX);
    return (struct run_limits){.cpu_ms = time_ms,
                               .wall_ms = outcome_box_wall_ms(time_ms),
                               .memory_bytes = memory_kib * KIB,
                               .output_bytes = manifest->limits.output_kib * KIB,
                               .memory_signal = language->memory_signal};
}

/* The program's files and those that the case puts beside them. */
static bool gather_files(struct work *work, const struct manifest_case *row,
                         const struct program *program, struct fileset *files, struct err *err) {
    if (!fileset_copy(files, work->arena, &program->files, err)) {
        return work_node_fault(err);
    }
    for (int32_t i = 0; i < row->file_count; i++) {
        own_fd fd = -1;
        if (!command_path_is_safe(row->files[i].name)) {
            return err_fault(err, FAULT_PROBLEM, ERR_SYSTEM, "bad_case_file",
                             "case " STR_FMT " has a file with a name that is not allowed",
                             STR_ARG(row->name));
        }
        if (!work_open_blob(work, &row->files[i].blob, &fd, err)) {
            return false;
        }
        if (!fileset_add(files, work->arena, row->files[i].name, &fd,
                         (struct fileset_options){.executable = false}, err)) {
            err->kind = ERR_SYSTEM;
            err->fault = FAULT_PROBLEM;
            return err_wrap(err, "case " STR_FMT, STR_ARG(row->name));
        }
    }
    return true;
}

static bool open_input(const struct work *work, const struct case_run *run, int *ret_fd,
                       struct err *err) {
    const struct blob_ref *input = &run->manifest->cases[run->index].input;
    if (run->pass != NULL && run->pass->input_fd >= 0) {
        return fileset_dup(run->pass->input_fd, ret_fd, err) || work_node_fault(err);
    }
    return input->bytes < 0 || work_open_blob(work, input, ret_fd, err);
}

bool run_case_prepare(struct work *work, const struct case_run *run,
                      const struct run_limits *limits, struct fileset *files,
                      struct box_run_spec *ret_spec, struct err *err) {
    const struct manifest_case *row = &run->manifest->cases[run->index];
    struct run_ask ask = {
        .program = run->program, .files = files, .args = row->args, .limits = *limits};
    if (!gather_files(work, row, run->program, files, err) ||
        !work_fill_run(work, &ask, ret_spec, err)) {
        return false;
    }
    ret_spec->streams[2] = (struct box_stream){
        .kind = BOX_STREAM_CAPTURE, .fd = -1, .bytes_max = CASE_STDERR_BYTES_MAX};
    return true;
}

static bool run_once(struct work *work, const struct case_run *run, struct box_result *ret_box,
                     struct outcome *ret_outcome, struct err *err) {
    struct run_limits limits = run_case_limits(run->manifest, run->index, run->program->language);
    own_fileset files = {.count = 0};
    own_fd input = -1;
    struct box_run_spec spec = {0};
    if (!run_case_prepare(work, run, &limits, &files, &spec, err) ||
        !open_input(work, run, &input, err) ||
        !file_io_prepare(work, run->manifest, input, &files, &spec, err)) {
        return false;
    }
    spec.streams[0] =
        (struct box_stream){.kind = input < 0 ? BOX_STREAM_NULL : BOX_STREAM_FD, .fd = input};
    spec.streams[1] =
        (struct box_stream){.kind = BOX_STREAM_CAPTURE, .fd = -1, .bytes_max = limits.output_bytes};
    if (!work_run(work, &spec, ret_box, err)) {
        return false;
    }
    *ret_outcome = outcome_of_run(ret_box, &limits);
    file_io_outcome(run->manifest, ret_box, ret_outcome);
    if (ret_outcome->kind == OUTCOME_FAULT) {
        return err_fault(err, FAULT_NODE, ERR_SYSTEM, "run_failed", "the program %s",
                         ret_outcome->message);
    }
    return true;
}

static bool wants_second(const struct second_runs *second, const struct outcome *outcome,
                         const struct box_result *box) {
    return second != NULL && second->left > 0 && outcome_is_doubtful(outcome, box) &&
           !(second->idle_twice && box->end == BOX_END_WALL);
}

/* The one of two runs that counts stays in *first; the other's times are noted with it. */
static void choose(struct box_result *first_box, struct outcome *first,
                   struct box_result *second_box, struct outcome *second) {
    if (outcome_second_counts(first, second)) {
        struct box_result box = *first_box;
        struct outcome outcome = *first;
        *first_box = *second_box;
        *first = *second;
        *second_box = box;
        *second = outcome;
    }
    first->twice = true;
    first->other_cpu_ms = outcome_cpu_ms(second_box);
    first->other_wall_ms = outcome_wall_ms(second_box);
}

static bool try_once(struct work *work, const struct case_run *run, struct box_result *ret_box,
                     struct outcome *ret_outcome, struct err *err) {
    return run->once == NULL ? run_once(work, run, ret_box, ret_outcome, err)
                             : run->once(work, run, ret_box, ret_outcome, err);
}

static bool run_again(struct work *work, const struct case_run *run, struct box_result *box,
                      struct outcome *outcome, struct err *err) {
    own_box_result again;
    struct outcome second = {.kind = OUTCOME_CHECK};
    box_result_init(&again);
    run->second->left--;
    if (!quiet_begin(work, err)) {
        return false;
    }
    bool good = try_once(work, run, &again, &second, err);
    quiet_end(work);
    if (!good) {
        return false;
    }
    run->second->idle_twice |= box->end == BOX_END_WALL && again.end == BOX_END_WALL;
    choose(box, outcome, &again, &second);
    return true;
}

bool run_case(struct work *work, const struct case_run *run, struct box_result *ret_box,
              struct outcome *ret_outcome, struct err *err) {
    if (!try_once(work, run, ret_box, ret_outcome, err)) {
        return false;
    }
    return !wants_second(run->second, ret_outcome, ret_box) ||
           run_again(work, run, ret_box, ret_outcome, err);
}
