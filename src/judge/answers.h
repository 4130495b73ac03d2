#ifndef JUDGE_ANSWERS_H
#define JUDGE_ANSWERS_H

#include "judge/judge.h"

/* Submit-answer problems: the submission is the answers, a file for each case. Nothing of it runs.
 * Private to the judge module. */

/* The file of a case, by name: the case's last part or, with slashes or '_' between the parts, more
 * of it, followed by nothing, .out, .ans, .a, .txt or .answer; the longest name wins. Of a problem
 * with a single case, an only file may be called anything. NULL: there is none. */
const struct judge_source *answers_find(const struct judge_request *request, int32_t index);

/* A submission stored as one text, as the files it holds (domain/answer_files.h); any other is
 * itself. Errors: ERR_TOO_LARGE for more than SOURCE_FILES_MAX files. */
checked bool answers_open(const struct judge_request *request, struct arena *arena,
                          struct judge_request *ret_request, struct err *err);

#endif
