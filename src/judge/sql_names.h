#ifndef JUDGE_SQL_NAMES_H
#define JUDGE_SQL_NAMES_H

#include "judge/sql_link.h"

/* Schemas and users of jobs are called az_<node>_<job>_<epoch>: eight digits of the digest of the
 * node's name, then job and lease epoch, so that what a killed node left is known by its name at
 * its next start. Users end in "a" (the problem's statements) or "s" (the student's). Private to
 * the judge module. */

#define SQL_NAME_BYTES 40 /* MySQL's users have 32 characters at most */

struct sql_names {
    char schema[SQL_NAME_BYTES];
    char author[SQL_NAME_BYTES];
    char student[SQL_NAME_BYTES];
};

void sql_names_make(const char *node, int64_t job, int64_t epoch, struct sql_names *ret_names);

/* Removes every schema and user of this node. */
checked bool sql_names_clean(struct sql_link *admin, const char *node, struct err *err);

#endif
