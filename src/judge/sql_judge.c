/* From a text of statements to a verdict. */
#include "judge/sql_judge.h"
#include "base/check.h"
#include "base/file.h"
#include "domain/scoring.h"
#include "judge/prove.h"
#include "judge/quiet.h"
#include "judge/sql_case.h"
#include "judge/sql_server.h"
#include "judge/text.h"
#include "sql/answer.h"
#include "sql/compare.h"
#include "sql/policy.h"
#include "sql/verb.h"

#include <string.h>

static bool problem_fault(struct err *err, const char *code) {
    err->kind = ERR_SYSTEM;
    err->fault = FAULT_PROBLEM;
    err->code = code;
    return false;
}

/* ---- the problem's texts ---- */

static bool load_text(struct work *work, const struct blob_ref *blob, struct str *ret_text,
                      struct err *err) {
    own_fd fd = -1;
    own_buf text;
    buf_init(&text, SQL_SCRIPT_BYTES_MAX);
    *ret_text = STR("");
    if (blob->bytes < 0) {
        return true;
    }
    if (!work_open_blob(work, blob, &fd, err)) {
        return false;
    }
    if (!file_read_all(fd, SQL_SCRIPT_BYTES_MAX, &text, err)) {
        return err->kind == ERR_TOO_LARGE ? problem_fault(err, "sql_too_large")
                                          : work_node_fault(err);
    }
    *ret_text = arena_str(work->arena, buf_str(&text));
    return true;
}

static bool load_script(struct work *work, enum sql_dialect dialect, const struct blob_ref *blob,
                        struct sql_script *ret_script, struct err *err) {
    struct str text = STR("");
    if (!load_text(work, blob, &text, err)) {
        return false;
    }
    return sql_script_split(dialect, text, work->arena, ret_script, err) ||
           problem_fault(err, "sql_problem_failed");
}

static bool load_job(struct work *work, struct sql_job *job, struct err *err) {
    const struct manifest_sql *sql = &job->request->manifest->sql;
    job->dialect = sql_dialect_of(sql->dialect);
    job->bounds = (struct sql_bounds){
        .rows_max = sql->rows_max > 0 ? sql->rows_max : SQL_ROWS_DEFAULT,
        .bytes_max = sql->result_bytes_max > 0 ? sql->result_bytes_max : SQL_RESULT_BYTES_DEFAULT};
    job->writes = sql_verb_rights(sql->statements) != 0;
    if (job->dialect == SQL_DIALECT_NONE || job->request->language->sql == NULL ||
        !str_eq_c(sql->dialect, job->request->language->sql)) {
        return err_fault(err, FAULT_PROBLEM, ERR_SYSTEM, "wrong_dialect",
                         "the problem is for the dialect " STR_FMT ", not for %s",
                         STR_ARG(sql->dialect), job->request->language->id);
    }
    return load_script(work, job->dialect, &sql->ddl, &job->ddl, err) &&
           load_script(work, job->dialect, &sql->seed, &job->seed, err) &&
           load_script(work, job->dialect, &sql->reference, &job->reference, err) &&
           load_script(work, job->dialect, &sql->check, &job->check, err);
}

/* ---- the student's text ---- */

static void refuse(struct work *work, struct judgement *judgement, const char *text) {
    judgement->compile = (struct compile_result){
        .ran = true,
        .ok = false,
        .log = text_clean(work->arena, str_from(text), COMPILE_LOG_BYTES_MAX)};
}

/* What is wrong with it stands in judgement->compile. */
static bool read_student(struct work *work, struct sql_job *job, struct judgement *judgement) {
    const struct judge_request *request = job->request;
    const struct manifest *manifest = request->manifest;
    struct err why = {0};
    const struct sql_policy policy = {.dialect = job->dialect,
                                      .verbs = manifest->sql.statements,
                                      .statements_max = SQL_STUDENT_STATEMENTS_MAX};
    int64_t code_kib = manifest->limits.code_kib;
    if (request->source_count != 1) {
        refuse(work, judgement, "A submission of SQL is one file.");
        return false;
    }
    if (code_kib > 0 && request->sources[0].text.len > (size_t)code_kib * KIB) {
        refuse(
            work, judgement,
            arena_printf(work->arena, "The source is larger than %lld KiB.", (long long)code_kib));
        return false;
    }
    if (!sql_script_split(job->dialect, request->sources[0].text, work->arena, &job->student,
                          &why) ||
        !sql_policy_check(&policy, &job->student, &job->stores_code, &why)) {
        refuse(work, judgement, why.text);
        return false;
    }
    judgement->compile = (struct compile_result){.ran = false, .ok = true};
    return true;
}

/* ---- one case ---- */

struct sql_judging {
    struct work *work;
    const struct sql_job *job;
    struct sql_engine *engine; /* NULL for SQLite */
};

static bool run_text(struct sql_judging *it, const struct sql_case_run *run,
                     struct sql_case_outcome *ret_outcome, struct err *err) {
    return it->engine != NULL ? sql_mysql_run(it->engine, run, ret_outcome, err)
                              : sql_sqlite_run(it->work, run, ret_outcome, err);
}

/* What the reference gives here, or what is pinned. */
static bool expect(struct sql_judging *it, const struct sql_case_run *run,
                   struct sql_tables *ret_tables, struct err *err) {
    const struct sql_job *job = it->job;
    const struct manifest_case *row = &job->request->manifest->cases[run->index];
    struct sql_case_run reference = *run;
    struct sql_case_outcome outcome = {.verdict = VERDICT_NONE};
    struct str text = STR("");
    if (row->answer.bytes >= 0) {
        if (!load_text(it->work, &row->answer, &text, err)) {
            return false;
        }
        return sql_answer_read(text, &job->bounds, it->work->arena, ret_tables, err) ||
               problem_fault(err, "bad_answer");
    }
    if (job->reference.count == 0) {
        return err_fault(err, FAULT_PROBLEM, ERR_SYSTEM, "no_reference",
                         "case " STR_FMT " has neither an answer nor is there a reference",
                         STR_ARG(row->name));
    }
    reference.statements = &job->reference;
    if (!run_text(it, &reference, &outcome, err)) {
        return false;
    }
    if (outcome.verdict != VERDICT_NONE) {
        return err_fault(err, FAULT_PROBLEM, ERR_SYSTEM, "sql_problem_failed",
                         "the reference on case " STR_FMT ": %.150s (%s)", STR_ARG(row->name),
                         outcome.message, verdict_code(outcome.verdict));
    }
    *ret_tables = outcome.tables;
    return true;
}

static void compare(struct sql_judging *it, const struct manifest_case *row,
                    const struct sql_tables *expected, const struct sql_case_outcome *outcome,
                    struct case_result *result) {
    const struct manifest_sql *sql = &it->job->request->manifest->sql;
    const struct sql_compare_options options = {
        .ordered = sql->ordered, .column_names = sql->column_names, .show = row->sample};
    own_buf message;
    buf_init(&message, 8 * KIB);
    bool same = sql_compare(expected, &outcome->tables, &options, &message);
    result->verdict = same ? VERDICT_ACCEPTED : VERDICT_WRONG_ANSWER;
    result->score_micro = same ? row->score_micro : 0;
    result->message = text_clean(it->work->arena, buf_str(&message), CASE_MESSAGE_BYTES_MAX);
}

static struct str message_of(struct work *work, bool sample,
                             const struct sql_case_outcome *outcome) {
    if (outcome->reveals && !sample) {
        return STR("a statement failed on these data");
    }
    return text_clean(work->arena, str_from(outcome->message), CASE_MESSAGE_BYTES_MAX);
}

static bool judge_case(struct sql_judging *it, int32_t index, struct case_result *ret_result,
                       struct err *err) {
    struct work *work = it->work;
    const struct manifest_case *row = &it->job->request->manifest->cases[index];
    struct sql_script data = {.count = 0};
    struct sql_case_run run = {
        .job = it->job, .index = index, .data = &data, .statements = &it->job->student};
    struct sql_tables expected = {.count = 0};
    struct sql_case_outcome outcome = {.verdict = VERDICT_NONE};
    if (!load_script(work, it->job->dialect, &row->input, &data, err) ||
        !expect(it, &run, &expected, err) || !run_text(it, &run, &outcome, err)) {
        return false;
    }
    *ret_result = (struct case_result){.index = index,
                                       .name = arena_str(work->arena, row->name),
                                       .sample = row->sample,
                                       .verdict = outcome.verdict,
                                       .cpu_ms = outcome.cpu_ms,
                                       .wall_ms = outcome.wall_ms,
                                       .memory_kib = outcome.memory_kib};
    if (outcome.verdict == VERDICT_NONE) {
        compare(it, row, &expected, &outcome, ret_result);
    } else {
        ret_result->message = message_of(work, row->sample, &outcome);
    }
    return true;
}

static bool judge_cases(struct sql_judging *it, struct judgement *judgement, struct err *err) {
    const struct judge_request *request = it->job->request;
    const struct manifest *manifest = request->manifest;
    struct work *work = it->work;
    judgement->cases =
        arena_array(work->arena, (size_t)manifest->case_count, sizeof *judgement->cases);
    work->now.stage = JUDGE_STAGE_JUDGING;
    for (int32_t i = 0; i < manifest->case_count; i++) {
        if (!work_wants_case(request, judgement, i)) {
            continue;
        }
        struct case_result *result = &judgement->cases[judgement->case_count];
        work->now.case_index = i;
        if (!work_report(work, err) || !judge_case(it, i, result, err)) {
            return false;
        }
        judgement->case_count++;
        work->now.finished = result;
    }
    return work_report(work, err);
}

/* While another slot measures alone, a database stands still as any program does. */
static bool judge_on_server(struct sql_judging *it, struct judgement *judgement, struct err *err) {
    if (!quiet_enter(it->work, err)) {
        return false;
    }
    bool good =
        sql_mysql_begin(it->work, it->job, &it->engine, err) && judge_cases(it, judgement, err);
    sql_mysql_end(it->engine);
    quiet_leave(it->work);
    return good;
}

bool sql_judge(struct work *work, const struct judge_request *request, struct judgement *judgement,
               struct err *err) {
    struct sql_job job = {.request = request};
    struct sql_judging it = {.work = work, .job = &job};
    if (!prove_version(work, request->language, &judgement->language_version, err)) {
        return work_node_fault(err);
    }
    if (!load_job(work, &job, err)) {
        return false;
    }
    if (!read_student(work, &job, judgement)) {
        return true;
    }
    return job.dialect == SQL_MYSQL ? judge_on_server(&it, judgement, err)
                                    : judge_cases(&it, judgement, err);
}

/* ---- versions ---- */

static bool is_configured(const struct work *work) {
    const struct judge_sql *options =
        work->judge->sql == NULL ? NULL : sql_pool_options(work->judge->sql);
    return options != NULL && options->server.user != NULL;
}

bool sql_has_version(const struct work *work, const struct language *language) {
    return language->sql != NULL &&
           (sql_dialect_of(str_from(language->sql)) == SQL_SQLITE || is_configured(work));
}

bool sql_version(struct work *work, const struct language *language, struct str *ret_version,
                 struct err *err) {
    struct sql_server *server = NULL;
    char version[256];
    if (sql_dialect_of(str_from(language->sql)) == SQL_SQLITE) {
        return sql_sqlite_version(work, language, ret_version, err);
    }
    if (!sql_server_acquire(work, language, &server, err) ||
        !sql_link_ask(sql_server_admin(server), "SELECT VERSION()", version, err)) {
        return false;
    }
    *ret_version = arena_str(work->arena, str_from(version));
    return true;
}
