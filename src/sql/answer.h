#ifndef SQL_ANSWER_H
#define SQL_ANSWER_H

#include "sql/result.h"

/* An answer as authors write it: tables of values separated by tabs, the first line of each the
 * names of its columns, a line "--" between two tables. NULL is \N; \t \n \r \\ stand for what they
 * are called, and \- for a minus. Values have no type: they are what the other side's are. */

/* Errors: ERR_INVALID "bad_answer" with the line; ERR_TOO_LARGE. Everything lives in `arena`. */
checked bool sql_answer_read(struct str text, const struct sql_bounds *bounds, struct arena *arena,
                             struct sql_tables *ret_tables, struct err *err);

#endif
