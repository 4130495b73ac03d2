#ifndef JUDGE_SQL_CASE_H
#define JUDGE_SQL_CASE_H

#include "judge/work.h"
#include "sql/result.h"
#include "sql/script.h"

/* Running one text of statements on one case's data: what both dialects have in common. Private to
 * the judge module. */

/* Everything of a job that lasts for all its cases. */
struct sql_job {
    const struct judge_request *request;
    enum sql_dialect dialect;
    struct sql_bounds bounds;
    struct sql_script ddl;
    struct sql_script seed;
    struct sql_script reference; /* count 0: the answers are pinned */
    struct sql_script check;     /* count 0: the statements' own results are compared */
    struct sql_script student;
    bool writes;      /* the problem allows more than reading */
    bool stores_code; /* the student's text makes routines or triggers */
};

struct sql_case_run {
    const struct sql_job *job;
    int32_t index;                       /* of the case */
    const struct sql_script *data;       /* the case's own statements, behind the seed */
    const struct sql_script *statements; /* the student's, or the reference */
};

/* VERDICT_NONE: everything ran, and `tables` is what to compare. */
struct sql_case_outcome {
    enum verdict verdict;
    const char *message; /* for the student */
    bool reveals;        /* the message may hold data: only for samples */
    struct sql_tables tables;
    int64_t cpu_ms;
    int64_t wall_ms;
    int64_t memory_kib;
};

/* Errors: FAULT_PROBLEM when schema, data or checks do not run; FAULT_NODE; ERR_CANCELLED. */
struct sql_engine;
checked bool sql_mysql_begin(struct work *work, const struct sql_job *job,
                             struct sql_engine **ret_engine, struct err *err);
checked bool sql_mysql_run(struct sql_engine *engine, const struct sql_case_run *run,
                           struct sql_case_outcome *ret_outcome, struct err *err);
void sql_mysql_end(struct sql_engine *engine); /* accepts NULL */

checked bool sql_sqlite_run(struct work *work, const struct sql_case_run *run,
                            struct sql_case_outcome *ret_outcome, struct err *err);
checked bool sql_sqlite_version(struct work *work, const struct language *language,
                                struct str *ret_version, struct err *err);

/* What a server's error means for a student's statement. */
enum verdict sql_error_verdict(unsigned code);
/* Errors that name only what the student wrote or may see: unknown columns, wrong syntax. */
bool sql_error_is_plain(unsigned code);

#endif
