/* Compiling inside the box. A compiler that takes too long, needs too much or writes without end is
 * a compile error of the source it was given, with a plain sentence about why. */
#include "judge/compile.h"
#include "judge/command.h"
#include "judge/compile_spec.h"
#include "judge/prepare.h"
#include "judge/standby.h"
#include "judge/text.h"

#include <string.h>

void program_done(struct program *program) {
    if (program != NULL) {
        fileset_done(&program->files);
    }
}

/* The files that the compiler is told to compile, in their order. */
static struct command_words find_sources(const struct compile_job *job, struct arena *arena) {
    const char **words = arena_array(arena, BOX_FILES_MAX, sizeof *words);
    size_t count = 0;
    for (size_t i = 0; i < job->files->count; i++) {
        const char *name = job->files->files[i].name;
        if (language_owns_file(job->language, str_from(name))) {
            words[count++] = arena_cstr(arena, str_from(name));
        }
    }
    return (struct command_words){.words = words, .count = count};
}

/* The file named by the job, else the language's usual name, else the first source. */
static const char *find_entry(const struct compile_job *job, struct command_words sources,
                              struct arena *arena) {
    if (job->entry.len > 0) {
        return arena_cstr(arena, job->entry);
    }
    for (size_t i = 0; i < sources.count; i++) {
        if (strcmp(sources.words[i], job->language->source_name) == 0) {
            return sources.words[i];
        }
    }
    return sources.count > 0 ? sources.words[0] : "";
}

static bool say_no(struct arena *arena, struct compile_result *result, const char *text) {
    result->ok = false;
    result->log = arena_str(arena, str_from(text));
    return true;
}

/* The compiler's own words, errors first, behind one sentence of ours where that is needed. */
static bool read_log(const struct work *work, const struct box_result *box,
                     const struct outcome *outcome, struct compile_result *result,
                     struct err *err) {
    struct str errors = {0};
    struct str output = {0};
    if (!text_from_file(work->arena, box->stream_fds[2], COMPILE_LOG_BYTES_MAX, &errors, err) ||
        !text_from_file(work->arena, box->stream_fds[1], COMPILE_LOG_BYTES_MAX, &output, err)) {
        return false;
    }
    own_buf log = {0};
    buf_init(&log, 3 * COMPILE_LOG_BYTES_MAX);
    if (outcome->message[0] != '\0') {
        (void)buf_printf(&log, "The compiler %s.\n", outcome->message);
    }
    (void)buf_append(&log, errors);
    (void)buf_append_c(&log, errors.len > 0 && output.len > 0 ? "\n" : "");
    (void)buf_append(&log, output);
    result->log = text_clean(work->arena, buf_str(&log), COMPILE_LOG_BYTES_MAX);
    return true;
}

/* A compile step under way. */
struct compiling {
    struct work *work;
    const struct compile_job *job;
    struct arena *arena; /* of what the program keeps */
    struct box_result box;
    struct program program;
    struct compile_result result;
};

static void compiling_done(struct compiling *compiling) {
    box_result_done(&compiling->box);
    program_done(&compiling->program);
}

static bool keep_artifact(struct compiling *compiling, size_t index, struct err *err) {
    const char *name = compiling->job->language->artifacts[index];
    struct arena *texts = compiling->work->arena;
    switch (compiling->box.output_states[index]) {
    case BOX_OUTPUT_FILE:
        return fileset_add(&compiling->program.files, compiling->arena, str_from(name),
                           &compiling->box.output_fds[index],
                           (struct fileset_options){.executable = true}, err) ||
               work_node_fault(err);
    case BOX_OUTPUT_MISSING:
    case BOX_OUTPUT_NOT_PLAIN:
        return say_no(texts, &compiling->result,
                      "The compiler ended well but left no program behind.");
    case BOX_OUTPUT_TOO_LARGE:
        return say_no(texts, &compiling->result,
                      arena_printf(texts, "The compiled program is larger than %lld MiB.",
                                   COMPILE_ARTIFACT_BYTES_MAX / MIB));
    }
    return work_node_fault(err);
}

static bool keep_files(struct compiling *compiling, struct err *err) {
    const struct compile_job *job = compiling->job;
    if (job->language->artifacts[0] == NULL) {
        return fileset_copy(&compiling->program.files, compiling->arena, job->files, err) ||
               work_node_fault(err);
    }
    for (size_t i = 0; job->language->artifacts[i] != NULL && compiling->result.ok; i++) {
        if (!keep_artifact(compiling, i, err)) {
            return false;
        }
    }
    return fileset_keep(&compiling->program.files, err) || work_node_fault(err);
}

/* By the compiler that waits, if one does, else by a new one. */
static bool run_compiler(struct compiling *compiling, struct command_words sources,
                         const char *const *argv, struct err *err) {
    struct work *work = compiling->work;
    struct box_run_spec spec;
    struct compile_job job = *compiling->job;
    bool done = false;
    job.entry = str_from(compiling->program.entry);
    if (!standby_compile(work, &job, sources, &compiling->box, &done, err) || done) {
        return done;
    }
    compile_fill_spec(work, compiling->job, argv, &spec);
    return work_run(work, &spec, &compiling->box, err);
}

/* The problem allows more than this machine gives: the source is not to blame. */
static bool ends_by_our_limit(const struct compiling *compiling, const struct run_limits *limits) {
    const struct compile_job *job = compiling->job;
    enum box_end end = compiling->box.end;
    return (end == BOX_END_MEMORY && limits->memory_bytes < job->memory_kib * KIB) ||
           (limits->cpu_ms < job->time_ms && (end == BOX_END_CPU || end == BOX_END_WALL ||
                                              outcome_cpu_ms(&compiling->box) > limits->cpu_ms));
}

static bool judge_compiler(struct compiling *compiling, struct err *err) {
    struct run_limits limits = compile_limits(compiling->work, compiling->job);
    struct outcome outcome = outcome_of_compile(&compiling->box, &limits);
    struct compile_result *result = &compiling->result;
    result->cpu_ms = outcome_cpu_ms(&compiling->box);
    result->wall_ms = outcome_wall_ms(&compiling->box);
    result->memory_kib = outcome_memory_kib(&compiling->box);
    if (outcome.kind == OUTCOME_FAULT) {
        return err_fault(err, FAULT_NODE, ERR_SYSTEM, "compiler_failed", "the compiler of %s %s",
                         compiling->job->language->name, outcome.message);
    }
    if (ends_by_our_limit(compiling, &limits)) {
        return err_fault(err, FAULT_NODE, ERR_SYSTEM, "node_limit",
                         "the compiler of %s %s: this node gives it less than the problem does "
                         "(judge.compile_time, judge.compile_memory)",
                         compiling->job->language->name, outcome.message);
    }
    result->ok = outcome.kind == OUTCOME_CHECK;
    if (!read_log(compiling->work, &compiling->box, &outcome, result, err)) {
        return false;
    }
    if (!result->ok && result->log.len == 0) {
        return say_no(compiling->work->arena, result, "The compiler failed without a message.");
    }
    return !result->ok || keep_files(compiling, err);
}

static bool compile_sources(struct compiling *compiling, struct command_words sources,
                            struct err *err) {
    const struct language *language = compiling->job->language;
    struct arena *texts = compiling->work->arena;
    struct command_fill fill = {.sources = sources,
                                .entry = compiling->program.entry,
                                .prepared = prepare_place(compiling->work->judge, language, texts)};
    const char *const *argv = NULL;
    if (sources.count == 0) {
        compiling->result.ran = true;
        return say_no(texts, &compiling->result,
                      arena_printf(texts, "No file ends in %s: there is nothing to compile.",
                                   language->extensions[0]));
    }
    if (!compiling->result.ran) {
        return keep_files(compiling, err);
    }
    if (!command_build(&language->compile, &fill, texts, &argv, err)) {
        return work_node_fault(err);
    }
    return run_compiler(compiling, sources, argv, err) && judge_compiler(compiling, err);
}

bool compile_program(struct work *work, const struct compile_job *job, struct arena *arena,
                     struct program *ret_program, struct compile_result *ret_result,
                     struct err *err) {
    __attribute__((cleanup(compiling_done))) struct compiling compiling = {
        .work = work,
        .job = job,
        .arena = arena,
        .program = {.language = job->language},
        .result = {.ran = job->language->compile.argv != NULL, .ok = true}};
    struct command_words sources = find_sources(job, arena);
    box_result_init(&compiling.box);
    compiling.program.entry = find_entry(job, sources, arena);
    if (!prepare_language(work, job->language, false, err) ||
        !compile_sources(&compiling, sources, err)) {
        return false;
    }
    *ret_result = compiling.result;
    if (compiling.result.ok) {
        *ret_program = compiling.program;
        compiling.program.files.count = 0; /* handed on */
    }
    return true;
}
