#ifndef DOMAIN_ANSWER_FILES_H
#define DOMAIN_ANSWER_FILES_H

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

/* Several answer files as one text, which is how a submission is stored: a line `=== NAME ===`
 * begins each. A text that does not begin so is one file without a name. */

/* Appends one file. Errors: ERR_INVALID "bad_answers" for a name or content that would be read back
 * as something else; ERR_TOO_LARGE when `into` is full. */
checked bool answer_files_add(struct buf *into, struct str name, struct str content,
                              struct err *err);

bool answer_files_are_several(struct str text);

/* Takes the next file off *rest; false at the end. Name and content point into the text. */
bool answer_files_next(struct str *rest, struct str *ret_name, struct str *ret_content);

#endif
