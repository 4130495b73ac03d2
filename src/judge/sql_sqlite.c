/* SQLite: one run in the box a case, of our own small program (src/sql_runner), which makes the
 * schema in memory, runs the statements and prints what they gave. Its exit status says who was to
 * blame; its output is read as a stranger's. */
#include "base/check.h"
#include "base/file.h"
#include "base/packet.h"
#include "judge/sql_case.h"
#include "judge/sql_server.h"
#include "judge/text.h"
#include "sql/runner.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PROGRAM_BYTES_MAX ((size_t)64 * MIB)
#define WORDS_BYTES_MAX 400
#define VERSION_TIME_MS 10000

/* Beside this program, or where packages put it. */
static bool find_program(const struct work *work, char path[PATH_MAX], struct err *err) {
    static const char *const places[] = {"assize-sqlite", "../libexec/assize/assize-sqlite",
                                         "../../src/main/assize-sqlite"};
    const struct judge_sql *options =
        work->judge->sql == NULL ? NULL : sql_pool_options(work->judge->sql);
    char self[PATH_MAX];
    struct str folder = STR("");
    struct str name = STR("");
    ssize_t length = readlink("/proc/self/exe", self, sizeof self);
    if (options != NULL && options->sqlite_program != NULL) {
        (void)snprintf(path, PATH_MAX, "%s", options->sqlite_program);
        return true;
    }
    if (length <= 0 || !str_cut_last(str_of(self, (size_t)length), '/', &folder, &name)) {
        return err_system(err, "sqlite_missing", "find assize-sqlite");
    }
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        int written = snprintf(path, PATH_MAX, STR_FMT "/%s", STR_ARG(folder), places[i]);
        if (written > 0 && written < PATH_MAX && access(path, X_OK) == 0) {
            return true;
        }
    }
    return err_fault(err, FAULT_NODE, ERR_MISSING, "sqlite_missing",
                     "assize-sqlite is not beside this program");
}

/* The judge keeps its bytes in memory: the box then has it ready, and an upgrade under a running
 * node changes nothing. */
static bool open_program(struct work *work, int *ret_fd, struct err *err) {
    struct judge *judge = work->judge;
    char path[PATH_MAX];
    mutex_lock(&judge->mutex);
    int kept = judge->sqlite_fd;
    mutex_unlock(&judge->mutex);
    if (kept < 0) {
        own_fd fd = -1;
        own_buf content;
        buf_init(&content, PROGRAM_BYTES_MAX);
        if (!find_program(work, path, err) || !file_load(path, PROGRAM_BYTES_MAX, &content, err) ||
            !file_memory("assize-sqlite", buf_str(&content), true, &fd, err)) {
            return work_node_fault(err);
        }
        mutex_lock(&judge->mutex);
        if (judge->sqlite_fd < 0) {
            judge->sqlite_fd = fd;
            fd = -1;
        }
        kept = judge->sqlite_fd;
        mutex_unlock(&judge->mutex);
    }
    *ret_fd = kept;
    return true;
}

/* Statements as the program reads them: each ends with a NUL. */
static bool add_script(const struct sql_script *script, struct buf *into) {
    for (int32_t i = 0; i < script->count; i++) {
        (void)buf_append(into, script->statements[i].text);
        (void)buf_append_char(into, '\0');
    }
    return !into->full;
}

static bool add_files(struct work *work, const struct sql_case_run *run, struct fileset *files,
                      struct err *err) {
    const struct sql_job *job = run->job;
    const struct fileset_options plain = {.executable = false};
    own_buf setup;
    own_buf statements;
    own_buf check;
    buf_init(&setup, 4 * (size_t)SQL_SCRIPT_BYTES_MAX);
    buf_init(&statements, SQL_SCRIPT_BYTES_MAX);
    buf_init(&check, SQL_SCRIPT_BYTES_MAX);
    if (!add_script(&job->ddl, &setup) || !add_script(&job->seed, &setup) ||
        !add_script(run->data, &setup) || !add_script(run->statements, &statements) ||
        !add_script(&job->check, &check)) {
        return err_fault(err, FAULT_PROBLEM, ERR_SYSTEM, "sql_too_large",
                         "the problem's statements are too large");
    }
    return fileset_add_text(files, work->arena, STR("setup"), buf_str(&setup), plain, err) &&
           fileset_add_text(files, work->arena, STR("statements"), buf_str(&statements), plain,
                            err) &&
           fileset_add_text(files, work->arena, STR("check"), buf_str(&check), plain, err);
}

static bool fill(struct work *work, const struct language *language, const struct fileset *files,
                 const struct run_limits *limits, struct box_run_spec *ret_spec, struct err *err) {
    const struct program program = {.language = language, .entry = ""};
    struct run_ask ask = {.program = &program, .files = files, .limits = *limits};
    if (!work_fill_run(work, &ask, ret_spec, err)) {
        return false;
    }
    ret_spec->streams[1] = (struct box_stream){
        .kind = BOX_STREAM_CAPTURE, .fd = -1, .bytes_max = limits->output_bytes};
    ret_spec->streams[2] =
        (struct box_stream){.kind = BOX_STREAM_CAPTURE, .fd = -1, .bytes_max = WORDS_BYTES_MAX};
    return true;
}

static bool add_program(struct work *work, struct fileset *files, struct err *err) {
    int fd = -1;
    own_fd copy = -1;
    if (!open_program(work, &fd, err) || !fd_copy(fd, &copy, err) ||
        !fileset_add(files, work->arena, STR(SQL_RUNNER_NAME), &copy,
                     (struct fileset_options){.executable = true}, err)) {
        return work_node_fault(err);
    }
    files->files[files->count - 1].kept = true;
    return true;
}

/* ---- what came of it ---- */

static bool read_tables(struct work *work, const struct sql_case_run *run,
                        const struct box_result *box, struct sql_case_outcome *outcome,
                        struct err *err) {
    own_buf form;
    struct err why = {0};
    buf_init(&form, (size_t)box->stream_bytes[1] + 1);
    if (lseek(box->stream_fds[1], 0, SEEK_SET) != 0 ||
        !file_read_all(box->stream_fds[1], (size_t)box->stream_bytes[1], &form, err)) {
        return work_node_fault(err);
    }
    struct str kept = arena_str(work->arena, buf_str(&form));
    if (!sql_form_read(kept, &run->job->bounds, work->arena, &outcome->tables, &why)) {
        outcome->verdict =
            why.kind == ERR_TOO_LARGE ? VERDICT_OUTPUT_LIMIT_EXCEEDED : VERDICT_RUNTIME_ERROR;
        outcome->message = arena_cstr(work->arena, str_from(why.text));
    }
    return true;
}

static bool problem_failed(const struct box_result *box, struct str words, struct err *err) {
    return err_fault(err, FAULT_PROBLEM, ERR_SYSTEM, "sql_problem_failed",
                     "the problem's statements do not run (exit status %d): " STR_FMT,
                     box->exit_code, STR_ARG(str_utf8_prefix(words, 160)));
}

static bool judge_status(struct work *work, const struct sql_case_run *run,
                         const struct box_result *box, struct sql_case_outcome *outcome,
                         struct err *err) {
    bool is_student = run->statements == &run->job->student;
    struct str words = STR("");
    if (!text_from_file(work->arena, box->stream_fds[2], WORDS_BYTES_MAX, &words, err)) {
        return false;
    }
    switch (box->exit_code) {
    case SQL_RUNNER_DONE: return read_tables(work, run, box, outcome, err);
    case SQL_RUNNER_REFUSED:
        outcome->verdict = VERDICT_RUNTIME_ERROR;
        outcome->reveals = !str_starts(words, STR("syntax: "));
        break;
    case SQL_RUNNER_LARGE: outcome->verdict = VERDICT_OUTPUT_LIMIT_EXCEEDED; break;
    case SQL_RUNNER_MEMORY: outcome->verdict = VERDICT_MEMORY_LIMIT_EXCEEDED; break;
    case SQL_RUNNER_CHECK:
        if (!is_student) {
            return problem_failed(box, words, err);
        }
        outcome->verdict = VERDICT_WRONG_ANSWER;
        words = STR("the check statements do not run on what the statements left");
        break;
    default: return problem_failed(box, words, err);
    }
    outcome->message = arena_cstr(work->arena, words);
    return true;
}

static bool judge_run(struct work *work, const struct sql_case_run *run,
                      const struct run_limits *limits, const struct box_result *box,
                      struct sql_case_outcome *outcome, struct err *err) {
    struct outcome end = outcome_of_run(box, limits);
    outcome->cpu_ms = outcome_cpu_ms(box);
    outcome->wall_ms = outcome_wall_ms(box);
    outcome->memory_kib = outcome_memory_kib(box);
    if (end.kind == OUTCOME_FAULT) {
        return err_fault(err, FAULT_NODE, ERR_SYSTEM, "run_failed", "assize-sqlite %s",
                         end.message);
    }
    bool by_status = end.kind == OUTCOME_CHECK ||
                     (end.verdict == VERDICT_RUNTIME_ERROR && box->end == BOX_END_EXIT);
    if (by_status) {
        return judge_status(work, run, box, outcome, err);
    }
    outcome->verdict = end.verdict;
    outcome->message = arena_cstr(work->arena, str_from(end.message));
    return true;
}

bool sql_sqlite_run(struct work *work, const struct sql_case_run *run,
                    struct sql_case_outcome *ret_outcome, struct err *err) {
    const struct judge_request *request = run->job->request;
    const struct language *language = request->language;
    const struct manifest *manifest = request->manifest;
    struct run_limits limits = {
        .cpu_ms = manifest_time_ms(manifest, run->index, str_from(language->id)),
        .memory_bytes = manifest_memory_kib(manifest, run->index, str_from(language->id)) * KIB,
        .output_bytes = 4 * run->job->bounds.bytes_max + 64 * run->job->bounds.rows_max + MIB};
    struct sql_case_outcome outcome = {.verdict = VERDICT_NONE};
    struct box_run_spec spec = {0};
    own_fileset files = {.count = 0};
    own_box_result box;
    box_result_init(&box);
    limits.wall_ms = outcome_box_wall_ms(limits.cpu_ms);
    if (!add_program(work, &files, err) || !add_files(work, run, &files, err) ||
        !fill(work, language, &files, &limits, &spec, err)) {
        return work_node_fault(err);
    }
    const char *argv[] = {"/w/" SQL_RUNNER_NAME,
                          arena_printf(work->arena, "%lld", (long long)run->job->bounds.rows_max),
                          arena_printf(work->arena, "%lld", (long long)run->job->bounds.bytes_max),
                          arena_printf(work->arena, "%lld", (long long)limits.memory_bytes), NULL};
    spec.argv = argv;
    if (!work_run(work, &spec, &box, err) || !judge_run(work, run, &limits, &box, &outcome, err)) {
        return false;
    }
    *ret_outcome = outcome;
    return true;
}

bool sql_sqlite_version(struct work *work, const struct language *language, struct str *ret_version,
                        struct err *err) {
    const struct run_limits limits = {.cpu_ms = VERSION_TIME_MS,
                                      .wall_ms = VERSION_TIME_MS,
                                      .memory_bytes = 256 * (int64_t)MIB,
                                      .output_bytes = 4 * KIB};
    static const char *const argv[] = {"/w/" SQL_RUNNER_NAME, "--version", NULL};
    struct box_run_spec spec = {0};
    own_fileset files = {.count = 0};
    own_box_result box;
    box_result_init(&box);
    if (!add_program(work, &files, err) || !fill(work, language, &files, &limits, &spec, err)) {
        return work_node_fault(err);
    }
    spec.argv = argv;
    if (!work_run(work, &spec, &box, err)) {
        return false;
    }
    if (box.end != BOX_END_EXIT || box.exit_code != 0) {
        return err_fault(err, FAULT_NODE, ERR_SYSTEM, "language_broken",
                         "assize-sqlite does not start (exit status %d, signal %d): is "
                         "libsqlite3-0 installed?",
                         box.exit_code, box.signal);
    }
    return text_from_file(work->arena, box.stream_fds[1], 256, ret_version, err);
}
