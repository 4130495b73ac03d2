#ifndef JUDGE_SQL_JUDGE_H
#define JUDGE_SQL_JUDGE_H

#include "judge/work.h"

/* Judging a submission of statements: split, look at what they begin with, run them on each case's
 * data, compare with what the reference gives there. Private to the judge module. */

/* Fills *judgement up to the scoring; in an open slot. Errors as judge_submission. */
checked bool sql_judge(struct work *work, const struct judge_request *request,
                       struct judgement *judgement, struct err *err);

/* True when the version comes from sql_version: SQLite's from our program, MySQL's from a
 * configured server. */
bool sql_has_version(const struct work *work, const struct language *language);
checked bool sql_version(struct work *work, const struct language *language,
                         struct str *ret_version, struct err *err);

/* Reads and writes a schema as a student would, is refused what no student may, and finds a schema
 * as new behind it. Errors: FAULT_NODE "language_broken". */
checked bool sql_prove(struct work *work, const struct language *language, struct err *err);

#endif
