#ifndef STORE_SQL_SPLIT_H
#define STORE_SQL_SPLIT_H

#include "base/str.h"

/* Cuts the next statement off a script, without its semicolon. Quotes and comments are understood;
 * a piece that holds nothing but blanks and comments is passed over. False at the end. */
bool sql_next(struct str *rest, struct str *ret_statement);

#endif
