/* The self-test of a dialect: what a node shows before a student's statements reach it. */
#include "judge/sql_case.h"
#include "judge/sql_judge.h"

#include <string.h>

#define TIME_MS 10000
#define MEMORY_KIB (256 * KIB)

/* Each runs on a schema of its own. */
static const struct proof {
    const char *what;
    const char *statements;
    enum verdict verdict; /* NONE: it runs, and gives one value: */
    const char *value;
} proofs[] = {
    {"reading", "SELECT SUM(a) FROM t", VERDICT_NONE, "3"},
    {"writing", "INSERT INTO t VALUES (7); SELECT SUM(a) FROM t", VERDICT_NONE, "10"},
    {"a schema as new", "SELECT SUM(a) FROM t", VERDICT_NONE, "3"},
    {"refusing what was not allowed", "DROP TABLE t", VERDICT_RUNTIME_ERROR, NULL},
    {"refusing other schemas", "SELECT COUNT(*) FROM mysql.user", VERDICT_RUNTIME_ERROR, NULL},
};

static bool broken(const struct language *language, const struct proof *proof, const char *why,
                   struct err *err) {
    return err_fault(err, FAULT_NODE, ERR_SYSTEM, "language_broken", "%s: %s did not work: %s",
                     language->name, proof->what, why == NULL ? "another result" : why);
}

static bool split(struct work *work, enum sql_dialect dialect, const char *text,
                  struct sql_script *ret_script, struct err *err) {
    return sql_script_split(dialect, str_from(text), work->arena, ret_script, err);
}

static bool gives(const struct sql_tables *tables, const char *value) {
    return tables->count == 1 && tables->items[0].row_count == 1 &&
           str_eq_c(tables->items[0].values[0].text, value);
}

static bool prove_one(struct work *work, struct sql_engine *engine, struct sql_job *job,
                      const struct proof *proof, struct err *err) {
    struct sql_script data = {.count = 0};
    struct sql_case_run run = {.job = job, .index = -1, .data = &data, .statements = &job->student};
    struct sql_case_outcome outcome = {.verdict = VERDICT_NONE};
    bool is_mysql = job->dialect == SQL_MYSQL;
    if (!split(work, job->dialect, proof->statements, &job->student, err) ||
        !(is_mysql ? sql_mysql_run(engine, &run, &outcome, err)
                   : sql_sqlite_run(work, &run, &outcome, err))) {
        return false;
    }
    bool good = outcome.verdict == proof->verdict &&
                (proof->value == NULL || gives(&outcome.tables, proof->value));
    return good || broken(job->request->language, proof, outcome.message, err);
}

bool sql_prove(struct work *work, const struct language *language, struct err *err) {
    struct manifest manifest;
    struct judge_request request = {.language = language, .manifest = &manifest};
    struct sql_job job = {.request = &request,
                          .dialect = sql_dialect_of(str_from(language->sql)),
                          .bounds = {.rows_max = 10, .bytes_max = KIB},
                          .writes = true};
    struct sql_engine *engine = NULL;
    manifest_defaults(&manifest);
    manifest.limits.time_ms = TIME_MS;
    manifest.limits.memory_kib = MEMORY_KIB;
    manifest.sql.statements = STR("SELECT INSERT");
    if (!split(work, job.dialect, "CREATE TABLE t (a INT)", &job.ddl, err) ||
        !split(work, job.dialect, "INSERT INTO t VALUES (1), (2)", &job.seed, err)) {
        return false;
    }
    bool good = job.dialect != SQL_MYSQL || sql_mysql_begin(work, &job, &engine, err);
    for (size_t i = 0; good && i < sizeof proofs / sizeof proofs[0]; i++) {
        /* SQLite has no rights of users: what a statement begins with is looked at before. */
        bool by_rights = strncmp(proofs[i].what, "refusing what", 13) == 0;
        good = (job.dialect == SQL_SQLITE && by_rights) ||
               prove_one(work, engine, &job, &proofs[i], err);
    }
    sql_mysql_end(engine);
    return good;
}
