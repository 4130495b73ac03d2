#ifndef DOMAIN_USERNAME_H
#define DOMAIN_USERNAME_H

#include "base/buf.h"

/* Which names accounts may have, and which names are the same. */

/* 1 to USERNAME_BYTES_MAX bytes of letters and digits of any script, '.', '_' and '-', beginning
 * with none of these three. No white space, no other ASCII signs, nothing invisible, no combining
 * marks (letters must be composed: two spellings of one letter would be two names).
 * Errors: ERR_INVALID "bad_field". */
checked bool username_check(struct str username, struct err *err);

/* Appends the name with capital letters of the Latin, Greek, Cyrillic and full-width scripts made
 * small, by the simple one-to-one rules: names with the same folded form are one name. */
void text_fold(struct str text, struct buf *into);

#endif
