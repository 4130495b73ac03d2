#ifndef SQL_POLICY_H
#define SQL_POLICY_H

#include "sql/verb.h"

/* What a student's text may hold at all. The first wall and the one that explains: the rights of
 * the user, the limits of the server, the watchdog and the box are behind it, and none of them
 * leans on this one. */

struct sql_policy {
    enum sql_dialect dialect;
    struct str verbs; /* allowed ones, separated by spaces; WITH must be among them to begin one */
    int32_t statements_max;
};

/* Errors: ERR_INVALID "sql_refused", the text for the student. *ret_stores_code: some statement
 * makes a routine or a trigger. */
checked bool sql_policy_check(const struct sql_policy *policy, const struct sql_script *script,
                              bool *ret_stores_code, struct err *err);

#endif
