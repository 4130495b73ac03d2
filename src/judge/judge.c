/* One judging from its sources to its verdict: compile, then run and check case by case, as long as
 * something can still change. The slot is opened for the judging and closed after it: nothing of
 * one submission is there when the next one comes. */
#include "judge/judge.h"
#include "base/check.h"
#include "base/log.h"
#include "domain/scoring.h"
#include "judge/answers.h"
#include "judge/caps.h"
#include "judge/checker_cache.h"
#include "judge/command.h"
#include "judge/compile_cache.h"
#include "judge/grader.h"
#include "judge/judge_case.h"
#include "judge/prepare.h"
#include "judge/prove.h"
#include "judge/sql_judge.h"
#include "judge/sql_server.h"
#include "judge/standby.h"
#include "judge/text.h"

#include <stdlib.h>
#include <string.h>

#define WARM_ARENA_BYTES_MAX ((size_t)16 * MIB)

/* ---- the judge ---- */

struct judge *judge_create(const struct judge_options *options) {
    struct judge *judge = calloc(1, sizeof *judge);
    CHECK(judge != NULL);
    judge->box = options->box;
    judge->languages = options->languages;
    judge->caps = options->caps;
    judge->second_runs_max = options->second_runs_max;
    judge->sqlite_fd = -1;
    judge->sql = options->sql != NULL ? sql_pool_create(options->sql) : NULL;
    quiet_init(&judge->quiet, &clock_real);
    judge->standby.link = -1;
    judge->compiled = compile_cache_create(options->compile_cache_bytes);
    if (options->cache_folder != NULL) {
        judge->cache_folder = strdup(options->cache_folder);
        CHECK(judge->cache_folder != NULL);
    }
    mutex_init(&judge->mutex);
    cond_init(&judge->changed);
    return judge;
}

void judge_free(struct judge *judge) {
    if (judge == NULL) {
        return;
    }
    sql_pool_free(judge, judge->sql);
    fd_cleanup(&judge->sqlite_fd);
    checker_cache_done(judge);
    compile_cache_free(judge->compiled);
    quiet_done(&judge->quiet);
    for (size_t i = 0; i < LANGUAGES_MAX; i++) {
        struct toolchain *toolchain = &judge->toolchains[i];
        if (toolchain->prepared != NULL) {
            fd_cleanup(&toolchain->held_fd);
        }
        free(toolchain->prepared);
    }
    cond_done(&judge->changed);
    mutex_done(&judge->mutex);
    free(judge->cache_folder);
    free(judge);
}

bool judge_sql_is_configured(const struct judge *judge, const struct language *language) {
    return judge->sql != NULL && language->sql != NULL && strcmp(language->sql, "mysql") == 0 &&
           sql_pool_options(judge->sql)->server.user != NULL;
}

void judge_rest(struct judge *judge, int slot) {
    if (judge->sql != NULL) {
        sql_pool_rest(judge, slot);
    }
}

/* ---- what can be judged at all ---- */

static bool problem_fault(struct err *err, const char *code, const char *text) {
    return err_fault(err, FAULT_PROBLEM, ERR_SYSTEM, code, "%s", text);
}

static bool check_problem(const struct manifest *manifest, struct err *err) {
    uint32_t kinds = manifest->kinds;
    bool interactive = (kinds & PROBLEM_INTERACTIVE) != 0;
    bool interacts = manifest->interactor.language.len > 0;
    if (((kinds & PROBLEM_SQL) != 0) != (manifest->sql.dialect.len > 0)) {
        return problem_fault(err, "wrong_dialect",
                             "the problem is one of SQL without a dialect, or has one and is not");
    }
    if (interactive != interacts) {
        return problem_fault(err, "no_interactor",
                             "the problem is interactive without an interactor, or has one and is "
                             "not interactive");
    }
    if ((kinds & PROBLEM_MULTI_PASS) != 0 && !interactive &&
        manifest->checker.kind != CHECKER_PROGRAM) {
        return problem_fault(err, "no_validator",
                             "a problem of several passes needs a validator of its own, which "
                             "says what comes next");
    }
    if (manifest->case_count == 0) {
        return problem_fault(err, "no_cases", "the problem has no test case");
    }
    if ((manifest->checker.kind <= CHECKER_NONE && !interactive) ||
        manifest->checker.kind >= CHECKER_KIND_COUNT) {
        return problem_fault(err, "no_checker", "the problem has no checker");
    }
    return true;
}

/* ---- sources ---- */

/* What is wrong with the sources, for the student; NULL when nothing is. */
static const char *check_sources(const struct judge_request *request, struct arena *arena) {
    size_t bytes = 0;
    int64_t code_kib = request->manifest->limits.code_kib;
    if (request->source_count == 0) {
        return "There is no source file.";
    }
    for (size_t i = 0; i < request->source_count; i++) {
        struct str name = request->sources[i].name;
        bytes += request->sources[i].text.len;
        if (request->source_count > 1 && !command_name_is_safe(name)) {
            return arena_printf(arena,
                                "A file may not be called \"" STR_FMT "\": use letters, digits "
                                "and . _ + - only.",
                                STR_ARG(text_clean(arena, name, 100)));
        }
    }
    if (code_kib > 0 && bytes > (size_t)code_kib * KIB) {
        return arena_printf(arena, "The source is larger than %lld KiB.", (long long)code_kib);
    }
    return NULL;
}

static bool place_sources(struct work *work, const struct judge_request *request,
                          struct fileset *files, struct err *err) {
    for (size_t i = 0; i < request->source_count; i++) {
        const struct judge_source *source = &request->sources[i];
        /* A single source gets the usual name, whatever it was called at home. */
        struct str name =
            request->source_count == 1
                ? grader_source_name(request->manifest, request->language, work->arena)
                : source->name;
        if (!fileset_add_text(files, work->arena, name, source->text,
                              (struct fileset_options){.executable = false}, err)) {
            return false;
        }
    }
    return true;
}

/* ---- compile ---- */

static void compile_error(struct work *work, struct judgement *judgement, const char *text) {
    judgement->compile = (struct compile_result){
        .ran = true, .ok = false, .log = arena_str(work->arena, str_from(text))};
}

/* Fills judgement->compile; the program is there when that says ok. */
static bool compile_submission(struct work *work, const struct judge_request *request,
                               struct program *program, struct judgement *judgement,
                               struct err *err) {
    own_fileset files = {.count = 0};
    const char *wrong = check_sources(request, work->arena);
    if (wrong == NULL && grader_is_missing(request->manifest, request->language)) {
        wrong = arena_printf(work->arena, "This problem cannot be solved in %s.",
                             request->language->name);
    }
    if (wrong != NULL) {
        compile_error(work, judgement, wrong);
        return true;
    }
    if (!place_sources(work, request, &files, err) || !grader_place(work, request, &files, err)) {
        if (err->kind == ERR_INVALID) { /* too many files, two of one name */
            compile_error(work, judgement, err->text);
            return true;
        }
        return work_node_fault(err);
    }
    struct compile_job job = {.language = request->language,
                              .files = &files,
                              .time_ms = request->manifest->limits.compile_time_ms,
                              .memory_kib = request->manifest->limits.compile_memory_kib};
    return compile_cached(work, &job, work->arena, program, &judgement->compile, err) &&
           (judgement->compile.ok || grader_prove(work, request, judgement->compile.log, err));
}

/* ---- cases ---- */

bool work_wants_case(const struct judge_request *request, const struct judgement *judgement,
                     int32_t index) {
    return request->all_cases || request->manifest->run_all_cases ||
           scoring_case_matters(request->manifest, judgement->cases, judgement->case_count, index);
}

static bool judge_cases(struct work *work, struct cases *cases, struct judgement *judgement,
                        struct err *err) {
    const struct manifest *manifest = cases->request->manifest;
    judgement->cases =
        arena_array(work->arena, (size_t)manifest->case_count, sizeof *judgement->cases);
    work->now.stage = JUDGE_STAGE_JUDGING;
    for (int32_t i = 0; i < manifest->case_count; i++) {
        if (!work_wants_case(cases->request, judgement, i)) {
            continue;
        }
        struct case_result *result = &judgement->cases[judgement->case_count];
        work->now.case_index = i;
        if (!work_report(work, err) || !judge_case(work, cases, i, result, err)) {
            return false;
        }
        judgement->case_count++;
        work->now.finished = result;
    }
    return work_report(work, err);
}

/* ---- all of it, in an open slot ---- */

/* The programs of the problem, each NULL where there is none. */
struct problem_programs {
    const struct program *checker;
    const struct program *interactor;
};

static void release_programs(struct judge *judge, const struct problem_programs *programs) {
    checker_release(judge, programs->checker);
    checker_release(judge, programs->interactor);
}

static bool acquire_programs(struct work *work, const struct manifest *manifest,
                             struct problem_programs *programs, struct err *err) {
    if (manifest->checker.kind == CHECKER_PROGRAM &&
        !checker_acquire(work, manifest, &manifest->checker.program, &programs->checker, err)) {
        return false;
    }
    return manifest->interactor.language.len == 0 ||
           checker_acquire(work, manifest, &manifest->interactor, &programs->interactor, err);
}

/* `program` NULL: the submission is the answers. */
static bool judge_program(struct work *work, const struct judge_request *request,
                          const struct program *program, struct judgement *judgement,
                          struct err *err) {
    struct problem_programs programs = {.checker = NULL};
    bool good = acquire_programs(work, request->manifest, &programs, err);
    struct cases cases = {.request = request,
                          .program = program,
                          .checker = programs.checker,
                          .interactor = programs.interactor,
                          .second = {.left = work->judge->second_runs_max}};
    good = good && judge_cases(work, &cases, judgement, err);
    release_programs(work->judge, &programs);
    return good;
}

static bool judge_answers(struct work *work, const struct judge_request *request,
                          struct judgement *judgement, struct err *err) {
    struct judge_request opened = {.slot = 0};
    if (!answers_open(request, work->arena, &opened, err)) {
        compile_error(work, judgement, err->text);
        return true;
    }
    const char *wrong = check_sources(&opened, work->arena);
    if (wrong != NULL) {
        compile_error(work, judgement, wrong);
        return true;
    }
    judgement->compile.ok = true;
    return judge_program(work, &opened, NULL, judgement, err);
}

static bool judge_source(struct work *work, const struct judge_request *request,
                         struct judgement *judgement, struct err *err) {
    own_program program = {.language = request->language};
    if (!prove_version(work, request->language, &judgement->language_version, err)) {
        return work_node_fault(err); /* a node that took this job should have the language */
    }
    if (!compile_submission(work, request, &program, judgement, err)) {
        return false;
    }
    return !judgement->compile.ok || judge_program(work, request, &program, judgement, err);
}

static bool judge_kind(struct work *work, const struct judge_request *request,
                       struct judgement *judgement, struct err *err) {
    bool is_sql = (request->manifest->kinds & PROBLEM_SQL) != 0;
    if (!is_sql && request->language->sql != NULL) {
        return problem_fault(err, "wrong_dialect", "statements are for problems of SQL");
    }
    if (is_sql) {
        return sql_judge(work, request, judgement, err);
    }
    return (request->manifest->kinds & PROBLEM_SUBMIT_ANSWER) != 0
               ? judge_answers(work, request, judgement, err)
               : judge_source(work, request, judgement, err);
}

static bool judge_in_slot(struct work *work, const struct judge_request *request,
                          struct judgement *judgement, struct err *err) {
    work->now = (struct judge_progress){.stage = JUDGE_STAGE_COMPILING,
                                        .cases_total = request->manifest->case_count};
    judgement->language = arena_str(work->arena, str_from(request->language->id));
    if (!work_report(work, err) || !judge_kind(work, request, judgement, err)) {
        return false;
    }
    scoring_finish(request->manifest, judgement);
    return true;
}

static struct work work_of(struct judge *judge, const struct judge_request *request,
                           struct arena *arena) {
    return (struct work){.judge = judge,
                         .slot = request->slot,
                         .arena = arena,
                         .open_blob = request->open_blob,
                         .progress = request->progress,
                         .context = request->context};
}

/* A slot that cannot be closed does not change what was found in it; it will not open again, and
 * then the node hears of it. */
static void close_slot(const struct work *work) {
    struct err ignored = {0};
    if (!box_slot_close(work->judge->box, work->slot, &ignored)) {
        log_debug("slot.not_closed", LOG_STR("error", ignored.text));
    }
}

bool judge_submission(struct judge *judge, const struct judge_request *request, struct arena *arena,
                      struct judgement *ret_judgement, struct err *err) {
    struct work work = work_of(judge, request, arena);
    struct judgement judgement = {.verdict = VERDICT_NONE};
    if (!check_problem(request->manifest, err) || !caps_check_problem(&judge->caps, request, err)) {
        return false;
    }
    if (!box_slot_open(judge->box, request->slot, err)) {
        return work_node_fault(err);
    }
    bool good = judge_in_slot(&work, request, &judgement, err);
    close_slot(&work);
    if (good) {
        *ret_judgement = judgement;
    }
    return good;
}

bool judge_prove_language(struct judge *judge, int slot, const struct language *language,
                          struct arena *arena, struct str *ret_version, struct err *err) {
    struct work work = {.judge = judge, .slot = slot, .arena = arena};
    if (!box_slot_open(judge->box, slot, err)) {
        return work_node_fault(err);
    }
    bool good = prove_version(&work, language, ret_version, err) &&
                prepare_language(&work, language, false, err) && prove_hello(&work, language, err);
    close_slot(&work);
    return good;
}

bool judge_warm_language(struct judge *judge, int slot, const struct language *language,
                         judge_progress_fn *progress, void *context, struct err *err) {
    own(arena) arena = arena_create(WARM_ARENA_BYTES_MAX);
    struct work work = {
        .judge = judge, .slot = slot, .arena = arena, .progress = progress, .context = context};
    if (!box_slot_open(judge->box, slot, err)) {
        return work_node_fault(err);
    }
    bool good = prepare_language(&work, language, true, err);
    close_slot(&work);
    return good;
}

bool judge_keep_standby(struct judge *judge, int slot, const struct language *language,
                        judge_progress_fn *progress, void *context, struct err *err) {
    own(arena) arena = arena_create(WARM_ARENA_BYTES_MAX);
    struct work work = {
        .judge = judge, .slot = slot, .arena = arena, .progress = progress, .context = context};
    if (language->standby.argv == NULL) {
        return err_set(err, ERR_MISSING, "no_standby", "%s has no compiler that can wait",
                       language->name);
    }
    return standby_keep(&work, language, err);
}

bool judge_prepare_checker(struct judge *judge, int slot, const struct judge_request *request,
                           struct err *err) {
    const struct manifest *manifest = request->manifest;
    if (manifest->checker.kind != CHECKER_PROGRAM && manifest->interactor.language.len == 0) {
        return true;
    }
    own(arena) arena = arena_create(REQUEST_ARENA_BYTES_MAX);
    struct work work = work_of(judge, request, arena);
    struct problem_programs programs = {.checker = NULL};
    work.slot = slot;
    if (!box_slot_open(judge->box, slot, err)) {
        return work_node_fault(err);
    }
    bool good = acquire_programs(&work, manifest, &programs, err);
    release_programs(judge, &programs);
    close_slot(&work);
    return good;
}
