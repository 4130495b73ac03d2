#ifndef PACKAGE_ANSWERS_H
#define PACKAGE_ANSWERS_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

/* A zip of answer files, as a submission to a submit-answer problem, as one text
 * (domain/answer_files.h). One folder around all is fine; others become
 * part of the name: "group1/02.out" is "group1_02.out".
 * Borrows `fd`, a plain file. The text lives in `arena`.
 *
 * Errors: ERR_INVALID "bad_answers", "bad_package" for a zip that is not safe to read;
 * ERR_TOO_LARGE over SOURCE_BYTES_MAX or SOURCE_FILES_MAX. */
checked bool package_answers_read(int fd, struct arena *arena, struct str *ret_text,
                                  struct err *err);

#endif
