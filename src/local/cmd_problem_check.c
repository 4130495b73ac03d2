/* assize problem check PACKAGE: reads the package, judges every bundled submission, compares. */
#include "base/limits.h"
#include "base/thread.h"
#include "local/arguments.h"
#include "local/check_result.h"
#include "local/commands.h"
#include "local/loaded.h"
#include "local/problem_data.h"
#include "local/session.h"
#include "local/sources.h"
#include "local/terminal.h"
#include "local/time_rule.h"
#include <stdatomic.h>

#define JOBS_MAX (BOX_SLOTS_MAX / 2) /* each may need a database in another slot */

static int run(const struct command *command, int count, char **args);

const struct command command_problem_check = {
    "problem check", "validate a package and judge its bundled submissions", run};

static const char usage[] =
    "Usage: assize problem check PACKAGE [options]\n\n"
    "Reads the problem package PACKAGE (a folder or a zip, of any kind that can be imported), "
    "makes\n"
    "test data that its own programs make, runs its validators on all inputs, judges every\n"
    "submission in it and compares the verdicts with those that the package promises. A time "
    "limit\n"
    "that is not given is found by Kattis' rule. The sandbox needs root: run it by sudo.\n\n"
    "Exit status: 0 all agree, 1 some differ or an input is invalid, 2 usage or a bad package, 3 "
    "system failure.";

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
    struct check_result *results; /* of the problem at hand */
    size_t count;
    atomic_size_t next;
    bool only_accepted; /* to measure how long they take */
    struct str prefix;  /* of paths, where there are several problems */
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

static enum verdict first_rejected(const struct judgement *judgement) {
    for (int32_t i = 0; judgement->verdict == VERDICT_PARTIAL && i < judgement->case_count; i++) {
        enum verdict verdict = judgement->cases[i].verdict;
        if (verdict != VERDICT_ACCEPTED && verdict != VERDICT_PARTIAL) {
            return verdict;
        }
    }
    return VERDICT_NONE;
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

static struct str path_of(const struct worker *worker,
                          const struct package_submission *submission) {
    struct str prefix = worker->check->prefix;
    if (prefix.len == 0) {
        return arena_str(worker->arena, submission->path);
    }
    return str_from(arena_printf(worker->arena, STR_FMT "/" STR_FMT, STR_ARG(prefix),
                                 STR_ARG(submission->path)));
}

static void check_one(struct worker *worker, const struct package_submission *submission,
                      struct check_result *result) {
    own(arena) arena = arena_create(REQUEST_ARENA_BYTES_MAX);
    struct judgement judgement = {.verdict = VERDICT_NONE};
    struct err err = {0};
    *result = (struct check_result){.path = path_of(worker, submission),
                                    .expected = submission->expected,
                                    .has_score = submission->has_score,
                                    .score_min_micro = submission->score_min_micro,
                                    .score_max_micro = submission->score_max_micro};
    if (worker->check->only_accepted && submission->expected != PACKAGE_EXPECT(VERDICT_ACCEPTED)) {
        return;
    }
    if (judge_one(worker, submission, arena, &judgement, &err)) {
        result->verdict = judgement.verdict;
        result->score_micro = judgement.score_micro;
        result->cpu_ms = slowest(&judgement);
        result->message = arena_str(worker->arena, reason(&judgement));
        result->rejected = first_rejected(&judgement);
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

/* ---- one problem ---- */

/* What a check found so far, of all problems. */
struct findings {
    struct arena *arena;
    struct check_result *results;
    size_t count;
    size_t capacity;
    struct check_problem *problems;
    int32_t problem_count;
};

static void add_results(struct findings *findings, const struct check *check) {
    size_t count = findings->count + check->count;
    if (count > findings->capacity) {
        struct check_result *results = arena_array(findings->arena, 2 * count, sizeof(results[0]));
        for (size_t i = 0; i < findings->count; i++) {
            results[i] = findings->results[i];
        }
        findings->results = results;
        findings->capacity = 2 * count;
    }
    for (size_t i = 0; i < check->count; i++) {
        struct check_result *result = &findings->results[findings->count++];
        *result = check->results[i];
        result->path = arena_str(findings->arena, result->path);
        result->message = arena_str(findings->arena, result->message);
    }
}

static void judge_all(struct check *check, int jobs, struct findings *findings) {
    struct worker workers[JOBS_MAX];
    atomic_store(&check->next, 0);
    for (int i = 0; i < jobs; i++) {
        workers[i] = (struct worker){
            .check = check, .slot = i, .arena = arena_create(REQUEST_ARENA_BYTES_MAX)};
    }
    work_all(workers, jobs);
    if (!check->only_accepted) {
        add_results(findings, check);
    }
    for (int i = 0; i < jobs; i++) {
        arena_free(workers[i].arena);
    }
}

/* The accepted submissions say which limit is fair. Without one there is nothing to go by. */
static void find_time_limit(struct check *check, int jobs, struct check_problem *problem) {
    struct package_problem *package = &check->loaded->problem;
    int64_t before = package->manifest.limits.time_ms;
    int64_t slowest_ms = -1;
    package->manifest.limits.time_ms = TIME_RULE_MEASURE_MS;
    check->only_accepted = true;
    judge_all(check, jobs, NULL);
    check->only_accepted = false;
    for (size_t i = 0; i < check->count; i++) {
        const struct check_result *result = &check->results[i];
        bool counts = result->verdict == VERDICT_ACCEPTED && result->cpu_ms > slowest_ms;
        slowest_ms = counts ? result->cpu_ms : slowest_ms;
    }
    problem->time_limit_found = slowest_ms >= 0;
    package->manifest.limits.time_ms =
        slowest_ms < 0 ? before : time_rule_limit(&package->time_rule, slowest_ms);
}

static void keep_faults(struct findings *findings, struct check_problem *problem,
                        const struct problem_data_fault *faults, int32_t count) {
    struct problem_data_fault *kept = arena_array(findings->arena, (size_t)count, sizeof(kept[0]));
    for (int32_t i = 0; i < count; i++) {
        kept[i].name = arena_str(findings->arena, faults[i].name);
        kept[i].validator = arena_str(findings->arena, faults[i].validator);
        kept[i].message = arena_str(findings->arena, faults[i].message);
    }
    problem->faults = kept;
    problem->fault_count = count;
}

static bool check_problem(struct check *check, const struct config *config,
                          struct findings *findings, struct check_problem *problem,
                          struct err *err) {
    struct package_problem *package = &check->loaded->problem;
    struct problem_data_fault *faults = NULL;
    int32_t fault_count = 0;
    int jobs = (int)config_i64(config, "check.jobs");
    problem->code = arena_str(findings->arena, package->code);
    if (!config_bool(config, "check.quiet")) {
        loaded_print_notes(check->loaded, true);
    }
    if (!problem_data_make(check->session, check->loaded, err) ||
        !problem_data_validate(check->session, check->loaded, &faults, &fault_count, err)) {
        return false;
    }
    keep_faults(findings, problem, faults, fault_count);
    problem->validated = package->validator_count > 0 ? package->manifest.case_count : 0;
    check->count = (size_t)package->submission_count;
    check->results = arena_array(check->loaded->arena, check->count, sizeof(check->results[0]));
    if (!package->time_limit_given && check->count > 0) {
        find_time_limit(check, jobs, problem);
    }
    problem->time_limit_ms = package->manifest.limits.time_ms;
    judge_all(check, jobs, findings);
    return true;
}

/* ---- all of them ---- */

static int status_of(const struct findings *findings) {
    int status = EXIT_STATUS_OK;
    for (int32_t i = 0; i < findings->problem_count; i++) {
        bool bad = findings->problems[i].fault_count > 0 || findings->problems[i].error.len > 0;
        status = bad ? EXIT_STATUS_NEGATIVE : status;
    }
    for (size_t i = 0; i < findings->count; i++) {
        if (findings->results[i].failed) {
            return EXIT_STATUS_FAILED;
        }
        if (!findings->results[i].skipped && !check_result_agrees(&findings->results[i])) {
            status = EXIT_STATUS_NEGATIVE;
        }
    }
    return status;
}

static void print_table(const struct findings *findings) {
    for (int32_t i = 0; i < findings->problem_count; i++) {
        const struct check_problem *problem = &findings->problems[i];
        if (problem->error.len > 0) {
            terminal_cell(stdout, problem->code, 0);
            (void)printf(": refused: ");
            terminal_cell(stdout, problem->error, 0);
            (void)putchar('\n');
        }
        check_problem_table(stdout, problem);
    }
    check_result_table(stdout, findings->results, findings->count, terminal_has_colours(stdout));
}

static bool print(const struct config *config, const struct findings *findings, struct err *err) {
    own_buf json;
    buf_init(&json, 64 * MIB);
    const struct check_report report = {.results = findings->results,
                                        .count = findings->count,
                                        .problems = findings->problems,
                                        .problem_count = findings->problem_count};
    if (!config_bool(config, "check.json")) {
        print_table(findings);
    } else if (check_report_json(&report, &json, err)) {
        (void)fwrite(json.ptr, 1, json.len, stdout);
    } else {
        return false;
    }
    return fflush(stdout) == 0 || err_system(err, "write_failed", "cannot write the result");
}

/* A package of one problem that cannot be read is an error; among several it is a finding. */
static bool check_next(struct check *check, const struct config *config, int32_t index,
                       struct findings *findings, struct err *err) {
    const struct package_list *list = &check->loaded->list;
    struct check_problem *problem = &findings->problems[findings->problem_count++];
    bool several = list->count > 1;
    problem->code = arena_str(findings->arena, list->items[index].name);
    if (loaded_read(check->loaded, index, err)) {
        check->prefix = several ? check->loaded->problem.code : STR("");
        if (check_problem(check, config, findings, problem, err)) {
            return true;
        }
    }
    if (!several || err->kind == ERR_SYSTEM) {
        return false;
    }
    problem->error = arena_str(findings->arena, str_from(err->text));
    *err = (struct err){.kind = ERR_NONE};
    return true;
}

static bool check_package(const struct arguments *arguments, struct check *check,
                          struct findings *findings, struct err *err) {
    const struct config *config = arguments->config;
    int jobs = (int)config_i64(config, "check.jobs");
    if (!session_open(check->session, config_text(config, "languages"), jobs, err) ||
        !loaded_find(check->loaded, arguments->rest[0], err)) {
        return false;
    }
    int32_t count = check->loaded->list.count;
    findings->problems = arena_array(findings->arena, (size_t)count, sizeof(findings->problems[0]));
    for (int32_t i = 0; i < count; i++) {
        if (!check_next(check, config, i, findings, err)) {
            return false;
        }
    }
    return print(config, findings, err);
}

static int check_command(const struct arguments *arguments) {
    own(arena) arena = arena_create(REQUEST_ARENA_BYTES_MAX);
    own_session session = {.box = NULL};
    own_loaded loaded = {.arena = NULL};
    struct check check = {.session = &session, .loaded = &loaded};
    struct findings findings = {.arena = arena};
    struct err err = {0};
    if (!check_package(arguments, &check, &findings, &err)) {
        (void)fprintf(stderr, "assize problem check: ");
        terminal_print(stderr, str_from(err.text));
        (void)fputc('\n', stderr);
        return err.kind == ERR_SYSTEM ? EXIT_STATUS_FAILED : EXIT_STATUS_USAGE;
    }
    return status_of(&findings);
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
