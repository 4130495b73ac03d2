/* assize problem check PACKAGE: reads the package, judges every bundled submission, compares. */
#include "base/limits.h"
#include "base/thread.h"
#include "local/arguments.h"
#include "local/check_result.h"
#include "local/commands.h"
#include "local/loaded.h"
#include "local/session.h"
#include "local/sources.h"
#include "local/terminal.h"
#include <stdatomic.h>

#define JOBS_MAX (BOX_SLOTS_MAX / 2) /* each may need a database in another slot */

static int run(const struct command *command, int count, char **args);

const struct command command_problem_check = {
    "problem check", "validate a package and judge its bundled submissions", run};

static const char usage[] =
    "Usage: assize problem check PACKAGE [options]\n\n"
    "Reads the problem package PACKAGE (a folder or a zip in ICPC/Kattis form), judges every\n"
    "submission in it and compares the verdicts with those that the package promises. The sandbox\n"
    "needs root: run it by sudo.\n\n"
    "Exit status: 0 all agree, 1 some differ, 2 usage or a bad package, 3 system failure.";

/* clang-format off */
static const struct config_row rows[] = {
    {.name = "check.json", .type = CONFIG_BOOL, .fallback = "no", .flag = "json",
     .help = "print one JSON object and nothing else on standard output"},
    {.name = "check.jobs", .type = CONFIG_INT, .fallback = "1", .flag = "jobs", .min = 1, .max = JOBS_MAX,
     .help = "judge so many submissions at a time"},
    {.name = "check.quiet", .type = CONFIG_BOOL, .fallback = "no", .flag = "quiet",
     .help = "print no notes about the package"},
    {.name = "languages", .type = CONFIG_TEXT, .flag = "languages-dir",
     .help = "folder of the language specs; default: the program's own"},
    {0},
};
/* clang-format on */

/* Shared by the threads; each writes only the results it took. */
struct check {
    struct session *session;
    struct loaded *loaded;
    struct check_result *results;
    size_t count;
    atomic_size_t next;
};

struct worker {
    struct check *check;
    int slot;
    struct arena *arena; /* its results' texts */
    pthread_t thread;
};

static int64_t slowest(const struct judgement *judgement) {
    int64_t cpu_ms = 0;
    for (int32_t i = 0; i < judgement->case_count; i++) {
        cpu_ms = judgement->cases[i].cpu_ms > cpu_ms ? judgement->cases[i].cpu_ms : cpu_ms;
    }
    return cpu_ms;
}

/* What a reader wants to know: the compiler's word, or the first rejected case's. */
static struct str reason(const struct judgement *judgement) {
    if (judgement->verdict == VERDICT_COMPILE_ERROR) {
        return str_sub(judgement->compile.log, 0, 200);
    }
    for (int32_t i = 0; i < judgement->case_count; i++) {
        if (judgement->cases[i].verdict != VERDICT_ACCEPTED) {
            return judgement->cases[i].message;
        }
    }
    return judgement->message;
}

static bool judge_one(struct worker *worker, const struct package_submission *submission,
                      struct arena *arena, struct judgement *ret_judgement, struct err *err) {
    struct check *check = worker->check;
    struct sources sources = {.count = 0};
    const struct language *language = NULL;
    struct str dialect = check->loaded->problem.manifest.sql.dialect;
    struct str id = submission->language.len > 0 ? submission->language : dialect;
    if (!sources_bundled(check->loaded->tree, submission, arena, &sources, err) ||
        !sources_language(check->session->languages, &check->loaded->problem.manifest, &sources, id,
                          &language, err)) {
        return false;
    }
    const struct judge_request request = {.slot = worker->slot,
                                          .manifest = &check->loaded->problem.manifest,
                                          .language = language,
                                          .sources = sources.items,
                                          .source_count = sources.count,
                                          .open_blob = blob_map_open,
                                          .context = check->loaded->blobs};
    return judge_submission(check->session->judge, &request, arena, ret_judgement, err);
}

static void check_one(struct worker *worker, const struct package_submission *submission,
                      struct check_result *result) {
    own(arena) arena = arena_create(REQUEST_ARENA_BYTES_MAX);
    struct judgement judgement = {.verdict = VERDICT_NONE};
    struct err err = {0};
    *result = (struct check_result){.path = submission->path, .expected = submission->expected};
    if (judge_one(worker, submission, arena, &judgement, &err)) {
        result->verdict = judgement.verdict;
        result->cpu_ms = slowest(&judgement);
        result->message = arena_str(worker->arena, reason(&judgement));
        return;
    }
    bool no_language = str_eq_c(str_from(err.code), "unknown_language");
    result->message = no_language ? STR("no language of this machine takes these files")
                                  : arena_str(worker->arena, str_from(err.text));
    result->failed = err.kind == ERR_SYSTEM && err.fault != FAULT_PROBLEM;
    /* A source that is refused agrees with a package that promises nothing of it. */
    result->skipped = no_language || (!result->failed && result->expected == 0);
    result->verdict = err.fault == FAULT_PROBLEM ? VERDICT_SYSTEM_ERROR : VERDICT_NONE;
}

static void *work(void *argument) {
    struct worker *worker = argument;
    struct check *check = worker->check;
    while (true) {
        size_t index = atomic_fetch_add(&check->next, 1);
        if (index >= check->count) {
            return NULL;
        }
        check_one(worker, &check->loaded->problem.submissions[index], &check->results[index]);
    }
}

static void work_all(struct worker *workers, int jobs) {
    for (int i = 1; i < jobs; i++) {
        workers[i].thread = thread_start("check", work, &workers[i]);
    }
    work(&workers[0]);
    for (int i = 1; i < jobs; i++) {
        thread_join(workers[i].thread);
    }
}

static int status_of(const struct check *check) {
    int status = EXIT_STATUS_OK;
    for (size_t i = 0; i < check->count; i++) {
        if (check->results[i].failed) {
            return EXIT_STATUS_FAILED;
        }
        if (!check->results[i].skipped && !check_result_agrees(&check->results[i])) {
            status = EXIT_STATUS_NEGATIVE;
        }
    }
    return status;
}

static bool print(const struct config *config, const struct check *check, struct err *err) {
    own_buf json;
    buf_init(&json, 64 * MIB);
    if (!config_bool(config, "check.json")) {
        check_result_table(stdout, check->results, check->count, terminal_has_colours(stdout));
    } else if (check_result_json(check->results, check->count, &json, err)) {
        (void)fwrite(json.ptr, 1, json.len, stdout);
    } else {
        return false;
    }
    return fflush(stdout) == 0 || err_system(err, "write_failed", "cannot write the result");
}

static bool check_package(const struct arguments *arguments, struct check *check,
                          struct arena *arena, struct err *err) {
    struct worker workers[JOBS_MAX];
    const struct config *config = arguments->config;
    int jobs = (int)config_i64(config, "check.jobs");
    if (!session_open(check->session, config_text(config, "languages"), jobs, err) ||
        !loaded_open(check->loaded, arguments->rest[0], err)) {
        return false;
    }
    if (!config_bool(config, "check.quiet")) {
        loaded_print_notes(check->loaded, true);
    }
    check->count = (size_t)check->loaded->problem.submission_count;
    check->results = arena_array(arena, check->count, sizeof(check->results[0]));
    for (int i = 0; i < jobs; i++) {
        workers[i] = (struct worker){
            .check = check, .slot = i, .arena = arena_create(REQUEST_ARENA_BYTES_MAX)};
    }
    work_all(workers, jobs);
    bool ok = print(config, check, err);
    for (int i = 0; i < jobs; i++) {
        arena_free(workers[i].arena);
    }
    return ok;
}

static int check_command(const struct arguments *arguments) {
    own(arena) arena = arena_create(REQUEST_ARENA_BYTES_MAX);
    own_session session = {.box = NULL};
    own_loaded loaded = {.arena = NULL};
    struct check check = {.session = &session, .loaded = &loaded};
    struct err err = {0};
    if (!check_package(arguments, &check, arena, &err)) {
        (void)fprintf(stderr, "assize problem check: ");
        terminal_print(stderr, str_from(err.text));
        (void)fputc('\n', stderr);
        return err.kind == ERR_SYSTEM ? EXIT_STATUS_FAILED : EXIT_STATUS_USAGE;
    }
    return status_of(&check);
}

static int run(const struct command *command, int count, char **args) {
    struct arguments arguments;
    int status = EXIT_STATUS_USAGE;
    switch (arguments_read(&arguments, usage, rows, count, args)) {
    case ARGUMENTS_GO:
        status = arguments.count != 1 ? arguments_refuse(command->name, "it needs one package")
                                      : check_command(&arguments);
        break;
    case ARGUMENTS_HELP_SHOWN: status = EXIT_STATUS_OK; break;
    case ARGUMENTS_BAD: break;
    }
    arguments_done(&arguments);
    return status;
}
