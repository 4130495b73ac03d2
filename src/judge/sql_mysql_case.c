/* One job on a MySQL or MariaDB server: a schema and two users of its own, made anew for each run
 * that may have been written to, and gone when the job is over. The problem's own statements run as
 * the first user, who may do anything in the schema and nothing outside; the student's and the
 * reference as the second, who has only the rights that the problem's statements need. */
#include "base/check.h"
#include "base/random.h"
#include "judge/sql_case.h"
#include "judge/sql_names.h"
#include "judge/sql_server.h"
#include "sql/verb.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SETUP_MS 60000 /* schema and data of a case, and the checks, each */
#define GRANTS_BYTES 512
#define STATEMENT_BYTES 1024
#define PASSWORD_BYTES 33
#define NO_CASE (-2) /* -1 is a run for no case, as of the self-test */

/* What a configured server may have otherwise. STRICT and ONLY_FULL_GROUP_BY: an answer that
 * depends on the row the server picks is no answer. */
#define SESSION                                                                                    \
    "SET SESSION sql_mode = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,"                      \
    "NO_ENGINE_SUBSTITUTION,ONLY_FULL_GROUP_BY', time_zone = '+00:00', autocommit = 1"

struct sql_engine {
    struct work *work;
    const struct sql_job *job;
    struct sql_server *server;
    struct sql_names names;
    char password[PASSWORD_BYTES];
    int32_t made_for; /* the case whose data are in the schema, untouched; or NO_CASE */
    bool users;
    bool has_schema;
    bool trusted;
    struct sql_link *author;
};

static bool is_wanted(void *context) {
    struct err ignored = {0};
    return work_report(context, &ignored);
}

static bool cancelled(struct err *err) {
    return err_set(err, ERR_CANCELLED, "judging_stopped", "the judging is no longer wanted");
}

static bool lost(struct sql_engine *engine, struct err *err) {
    engine->trusted = false;
    return err_fault(err, FAULT_NODE, ERR_SYSTEM, "sql_server_lost",
                     "the judge database stopped answering");
}

__attribute__((format(printf, 3, 4))) static bool admin(struct sql_engine *engine, struct err *err,
                                                        const char *format, ...) {
    char statement[STATEMENT_BYTES];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(statement, sizeof statement, format, args);
    va_end(args);
    CHECK(length > 0 && (size_t)length < sizeof statement);
    if (!sql_link_do(sql_server_admin(engine->server), statement, err)) {
        engine->trusted = false;
        return false;
    }
    return true;
}

/* ---- users ---- */

static void make_password(char password[PASSWORD_BYTES]) {
    uint8_t bytes[(PASSWORD_BYTES - 1) / 2];
    random_fill(&random_real, bytes, sizeof bytes);
    hex_encode(bytes, sizeof bytes, password);
    password[PASSWORD_BYTES - 1] = '\0';
}

/* What stored code does, it does with the rights of who stored it. */
static void make_grants(uint32_t rights, char grants[GRANTS_BYTES]) {
    static const struct {
        uint32_t right;
        const char *grants;
    } rows[] = {
        {SQL_RIGHT_INSERT, ", INSERT"},
        {SQL_RIGHT_UPDATE, ", UPDATE"},
        {SQL_RIGHT_DELETE, ", DELETE"},
        {SQL_RIGHT_TABLES, ", CREATE, ALTER, DROP, REFERENCES, CREATE TEMPORARY TABLES"},
        {SQL_RIGHT_INDEX, ", INDEX"},
        {SQL_RIGHT_VIEWS, ", CREATE VIEW, SHOW VIEW, DROP"},
        {SQL_RIGHT_ROUTINES, ", CREATE ROUTINE, ALTER ROUTINE, EXECUTE, INSERT, UPDATE, DELETE"},
        {SQL_RIGHT_TRIGGERS, ", TRIGGER, INSERT, UPDATE, DELETE"},
        {SQL_RIGHT_CALL, ", EXECUTE"},
    };
    size_t length = (size_t)snprintf(grants, GRANTS_BYTES, "SELECT");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if ((rights & rows[i].right) != 0) {
            length +=
                (size_t)snprintf(grants + length, GRANTS_BYTES - length, "%s", rows[i].grants);
        }
    }
}

/* An underscore is a wildcard in the name of a grant's schema. */
static void escape_schema(const char *schema, char escaped[2 * SQL_NAME_BYTES]) {
    size_t length = 0;
    for (; *schema != '\0'; schema++) {
        if (*schema == '_') {
            escaped[length++] = '\\';
        }
        escaped[length++] = *schema;
    }
    escaped[length] = '\0';
}

static bool make_users(struct sql_engine *engine, struct err *err) {
    const struct judge_request *request = engine->job->request;
    char grants[GRANTS_BYTES];
    char schema[2 * SQL_NAME_BYTES];
    make_password(engine->password);
    make_grants(sql_verb_rights(request->manifest->sql.statements), grants);
    escape_schema(engine->names.schema, schema);
    engine->users = true;
    return admin(engine, err, "CREATE USER '%s'@'%%' IDENTIFIED BY '%s'", engine->names.author,
                 engine->password) &&
           admin(engine, err, "GRANT ALL ON `%s`.* TO '%s'@'%%'", schema, engine->names.author) &&
           admin(engine, err, "CREATE USER '%s'@'%%' IDENTIFIED BY '%s'", engine->names.student,
                 engine->password) &&
           admin(engine, err, "GRANT %s ON `%s`.* TO '%s'@'%%'", grants, schema,
                 engine->names.student);
}

static bool connect_as(struct sql_engine *engine, const char *user, struct sql_link **ret_link,
                       struct err *err) {
    own(sql_link) link = NULL;
    if (!sql_server_connect(engine->server, user, engine->password, engine->names.schema, &link,
                            err) ||
        !sql_link_do(link, SESSION, err)) {
        engine->trusted = false;
        return false;
    }
    *ret_link = take(link);
    return true;
}

/* ---- the problem's own statements ---- */

static bool run_own(struct sql_engine *engine, const struct sql_script *script, const char *what,
                    struct sql_tables *tables, struct err *err) {
    struct sql_bounds left = engine->job->bounds;
    const struct sql_ask ask = {.killer = sql_server_admin(engine->server),
                                .deadline_ms = clock_mono_ms(&clock_real) + SETUP_MS,
                                .wanted = is_wanted,
                                .context = engine->work,
                                .arena = engine->work->arena,
                                .tables = tables,
                                .left = &left};
    for (int32_t i = 0; i < script->count; i++) {
        struct sql_outcome outcome = sql_link_run(engine->author, script->statements[i].text, &ask);
        switch (outcome.end) {
        case SQL_END_DONE: break;
        case SQL_END_UNWANTED: engine->trusted = false; return cancelled(err);
        case SQL_END_LOST: return lost(engine, err);
        case SQL_END_ERROR:
        case SQL_END_TIME:
        case SQL_END_LARGE:
            return err_fault(err, FAULT_PROBLEM, ERR_SYSTEM, "sql_problem_failed",
                             "the problem's %s, line %d: %s", what, script->statements[i].line,
                             outcome.end == SQL_END_ERROR  ? outcome.text
                             : outcome.end == SQL_END_TIME ? "it took too long"
                                                           : "too many rows");
        }
    }
    return true;
}

static bool drop_schema(struct sql_engine *engine, struct err *err) {
    sql_link_close(engine->author);
    engine->author = NULL;
    if (engine->has_schema && !admin(engine, err, "DROP DATABASE `%s`", engine->names.schema)) {
        return false;
    }
    engine->has_schema = false;
    engine->made_for = NO_CASE;
    return true;
}

static bool make_schema(struct sql_engine *engine, const struct sql_case_run *run,
                        struct err *err) {
    const struct sql_job *job = engine->job;
    if (engine->made_for == run->index) {
        return true;
    }
    if (!drop_schema(engine, err) ||
        !admin(engine, err, "CREATE DATABASE `%s` CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci",
               engine->names.schema)) {
        return false;
    }
    engine->has_schema = true;
    if (!connect_as(engine, engine->names.author, &engine->author, err) ||
        !sql_link_do(engine->author, "SET SESSION foreign_key_checks = 1, unique_checks = 1",
                     err) ||
        !run_own(engine, &job->ddl, "schema", NULL, err) ||
        !sql_link_do(engine->author, "START TRANSACTION", err) ||
        !run_own(engine, &job->seed, "data", NULL, err) ||
        !run_own(engine, run->data, "data of the case", NULL, err) ||
        !sql_link_do(engine->author, "COMMIT", err)) {
        return false;
    }
    engine->made_for = run->index;
    return true;
}

/* ---- the student's ---- */

/* Time of the processor that the student's statements took, in ms; -1: the server does not say. */
static int64_t cpu_ms_of(struct sql_engine *engine) {
    char statement[STATEMENT_BYTES];
    char text[256];
    struct err ignored = {0};
    int64_t us = 0;
    if (!sql_server_is_own(engine->server)) {
        return -1;
    }
    (void)snprintf(statement, sizeof statement,
                   "SELECT CAST(CEIL(cpu_time * 1000000) AS SIGNED) FROM "
                   "information_schema.user_statistics WHERE user = '%s'",
                   engine->names.student);
    if (!sql_link_ask(sql_server_admin(engine->server), statement, text, &ignored) ||
        (text[0] != '\0' && !str_to_i64(str_from(text), 0, INT64_MAX / 2, &us, &ignored))) {
        return -1;
    }
    return (us + 999) / 1000;
}

static const char *words(struct sql_engine *engine, const struct sql_statement *statement,
                         const struct sql_outcome *outcome) {
    return arena_printf(engine->work->arena, "line %d: error %u: %s", statement->line,
                        outcome->code, outcome->text);
}

/* The server is gone: by its memory limit, which a statement went over, or by itself. */
static bool judge_lost(struct sql_engine *engine, struct sql_case_outcome *outcome,
                       struct err *err) {
    bool memory = false;
    engine->trusted = false;
    if (!sql_server_is_own(engine->server)) {
        return lost(engine, err);
    }
    sql_server_retire(engine->work, engine->server, &memory);
    if (!memory) {
        return lost(engine, err);
    }
    outcome->verdict = VERDICT_MEMORY_LIMIT_EXCEEDED;
    outcome->message = "the statement used up the database's memory";
    return true;
}

static bool judge_end(struct sql_engine *engine, const struct sql_statement *statement,
                      const struct sql_outcome *end, struct sql_case_outcome *outcome,
                      struct err *err) {
    switch (end->end) {
    case SQL_END_DONE: return true;
    case SQL_END_UNWANTED: engine->trusted = false; return cancelled(err);
    case SQL_END_LOST: return judge_lost(engine, outcome, err);
    case SQL_END_TIME:
        outcome->verdict = VERDICT_TIME_LIMIT_EXCEEDED;
        outcome->message = arena_printf(engine->work->arena, "line %d: the statement was stopped",
                                        statement->line);
        return true;
    case SQL_END_LARGE:
        outcome->verdict = VERDICT_OUTPUT_LIMIT_EXCEEDED;
        outcome->message = arena_printf(
            engine->work->arena, "line %d: more than %lld rows or %lld bytes", statement->line,
            (long long)engine->job->bounds.rows_max, (long long)engine->job->bounds.bytes_max);
        return true;
    case SQL_END_ERROR:
        outcome->verdict = sql_error_verdict(end->code);
        outcome->reveals = !sql_error_is_plain(end->code);
        outcome->message = words(engine, statement, end);
        return true;
    }
    CHECK(false);
}

static bool run_student(struct sql_engine *engine, const struct sql_case_run *run,
                        struct sql_link *link, struct sql_case_outcome *outcome, struct err *err) {
    const struct sql_job *job = engine->job;
    const struct manifest *manifest = job->request->manifest;
    struct sql_bounds left = job->bounds;
    int64_t limit_ms = manifest_time_ms(manifest, run->index, str_from(job->request->language->id));
    const struct sql_ask ask = {.killer = sql_server_admin(engine->server),
                                .deadline_ms =
                                    clock_mono_ms(&clock_real) + outcome_box_wall_ms(limit_ms),
                                .wanted = is_wanted,
                                .context = engine->work,
                                .arena = engine->work->arena,
                                .tables = job->check.count > 0 ? NULL : &outcome->tables,
                                .left = &left};
    for (int32_t i = 0; i < run->statements->count && outcome->verdict == VERDICT_NONE; i++) {
        const struct sql_statement *statement = &run->statements->statements[i];
        struct sql_outcome end = sql_link_run(link, statement->text, &ask);
        if (!judge_end(engine, statement, &end, outcome, err)) {
            return false;
        }
    }
    return true;
}

/* The server's own clock, behind which the watchdog stands. MySQL has one for reading only. */
static bool bound_time(struct sql_engine *engine, struct sql_link *link, int32_t index,
                       struct err *err) {
    char statement[STATEMENT_BYTES];
    char version[256];
    const struct judge_request *request = engine->job->request;
    int64_t ms = outcome_box_wall_ms(
        manifest_time_ms(request->manifest, index, str_from(request->language->id)));
    if (!sql_link_ask(link, "SELECT VERSION()", version, err)) {
        return false;
    }
    if (strstr(version, "MariaDB") != NULL) {
        (void)snprintf(statement, sizeof statement, "SET SESSION max_statement_time = %lld.%03lld",
                       (long long)(ms / 1000), (long long)(ms % 1000));
    } else {
        (void)snprintf(statement, sizeof statement, "SET SESSION max_execution_time = %lld",
                       (long long)ms);
    }
    return sql_link_do(link, statement, err);
}

static void judge_time(struct sql_engine *engine, const struct sql_case_run *run,
                       int64_t cpu_before_ms, int64_t begun_ms, struct sql_case_outcome *outcome) {
    const struct judge_request *request = engine->job->request;
    int64_t limit_ms =
        manifest_time_ms(request->manifest, run->index, str_from(request->language->id));
    outcome->wall_ms = clock_mono_ms(&clock_real) - begun_ms;
    int64_t cpu_ms = sql_server_admin(engine->server) == NULL ? -1 : cpu_ms_of(engine);
    /* A statement that was cut off is not counted by the server. */
    bool unknown =
        cpu_ms < 0 || cpu_before_ms < 0 || outcome->verdict == VERDICT_TIME_LIMIT_EXCEEDED;
    outcome->cpu_ms = unknown ? outcome->wall_ms : cpu_ms - cpu_before_ms;
    if (outcome->cpu_ms > limit_ms &&
        (outcome->verdict == VERDICT_NONE || outcome->verdict == VERDICT_TIME_LIMIT_EXCEEDED)) {
        outcome->verdict = VERDICT_TIME_LIMIT_EXCEEDED;
        outcome->message = arena_printf(
            engine->work->arena, "the statements took more than %lld ms", (long long)limit_ms);
    }
}

static bool run_checks(struct sql_engine *engine, const struct sql_case_run *run,
                       struct sql_case_outcome *outcome, struct err *err) {
    bool is_student = run->statements == &engine->job->student;
    if (run_own(engine, &engine->job->check, "check", &outcome->tables, err)) {
        return true;
    }
    if (!is_student || err->fault != FAULT_PROBLEM) {
        return false;
    }
    /* They run after the reference: the student left something that they do not run on. */
    outcome->verdict = VERDICT_WRONG_ANSWER;
    outcome->message = "the check statements do not run on what the statements left";
    return true;
}

bool sql_mysql_run(struct sql_engine *engine, const struct sql_case_run *run,
                   struct sql_case_outcome *ret_outcome, struct err *err) {
    own(sql_link) link = NULL;
    struct sql_case_outcome outcome = {.verdict = VERDICT_NONE};
    if (!make_schema(engine, run, err) || !connect_as(engine, engine->names.student, &link, err) ||
        !bound_time(engine, link, run->index, err)) {
        return false;
    }
    engine->made_for = engine->job->writes ? NO_CASE : engine->made_for;
    int64_t cpu_before_ms = cpu_ms_of(engine);
    int64_t begun_ms = clock_mono_ms(&clock_real);
    if (!run_student(engine, run, link, &outcome, err)) {
        return false;
    }
    judge_time(engine, run, cpu_before_ms, begun_ms, &outcome);
    sql_link_close(link); /* what is not committed is undone */
    link = NULL;
    if (outcome.verdict == VERDICT_NONE && engine->job->check.count > 0 &&
        !run_checks(engine, run, &outcome, err)) {
        return false;
    }
    *ret_outcome = outcome;
    return true;
}

/* ---- the whole job ---- */

bool sql_mysql_begin(struct work *work, const struct sql_job *job, struct sql_engine **ret_engine,
                     struct err *err) {
    struct sql_engine *engine = calloc(1, sizeof *engine);
    CHECK(engine != NULL);
    *engine = (struct sql_engine){.work = work, .job = job, .made_for = NO_CASE, .trusted = true};
    *ret_engine = engine; /* the caller ends it in any case */
    if (!sql_server_acquire(work, job->request->language, &engine->server, err)) {
        return work_node_fault(err);
    }
    if (job->stores_code && !sql_server_is_own(engine->server)) {
        return err_fault(err, FAULT_NODE, ERR_SYSTEM, "sql_server_shared",
                         "stored code is only run on a node's own server, which can be discarded");
    }
    sql_names_make(sql_pool_options(work->judge->sql)->node, job->request->job,
                   job->request->lease_epoch, &engine->names);
    return make_users(engine, err);
}

void sql_mysql_end(struct sql_engine *engine) {
    struct err ignored = {0};
    if (engine == NULL) {
        return;
    }
    sql_link_close(engine->author);
    engine->author = NULL;
    bool has_server = engine->server != NULL && sql_server_admin(engine->server) != NULL;
    bool discards = engine->job->stores_code && engine->server != NULL;
    if (has_server && !discards) {
        bool gone = drop_schema(engine, &ignored);
        gone = gone && (!engine->users || admin(engine, &ignored, "DROP USER '%s'@'%%', '%s'@'%%'",
                                                engine->names.author, engine->names.student));
        engine->trusted = engine->trusted && gone;
    }
    if (engine->server != NULL) {
        sql_server_release(engine->work, engine->server,
                           engine->trusted && !discards && has_server);
    }
    free(engine);
}
