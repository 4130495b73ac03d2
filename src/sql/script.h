#ifndef SQL_SCRIPT_H
#define SQL_SCRIPT_H

#include "base/arena.h"
#include "base/limits.h"
#include "sql/lexer.h"

/* A text cut into its statements. A statement ends at a `;`, not at those inside BEGIN ... END of
 * stored code; in MySQL also at what the last DELIMITER line named. */

struct sql_statement {
    struct str text; /* borrowed; begins with its first word, ends without the delimiter */
    int32_t line;    /* where it begins, from 1 */
};

struct sql_script {
    const struct sql_statement *statements;
    int32_t count;
};

/* Statements without words are left out. The text must be UTF-8.
 * Errors: ERR_INVALID "bad_sql" in words for whoever wrote it; more than SQL_STATEMENTS_MAX. */
checked bool sql_script_split(enum sql_dialect dialect, struct str text, struct arena *arena,
                              struct sql_script *ret_script, struct err *err);

#endif
