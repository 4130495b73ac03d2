#ifndef JUDGE_GRADER_H
#define JUDGE_GRADER_H

#include "judge/compile.h"

/* Files of the problem that stand beside a submission when it is compiled, and the grader among
 * them of a function problem: the part with the main program, which calls the submission. Private
 * to the judge module. */

/* Nobody can solve a function problem in a language that it has no grader for. */
bool grader_is_missing(const struct manifest *manifest, const struct language *language);

/* What an only source is called: the language's usual name, or solution.EXT where the problem
 * brings a file of that name, which is then what starts. In `arena`. */
struct str grader_source_name(const struct manifest *manifest, const struct language *language,
                              struct arena *arena);

/* Adds the problem's files for the request's language; they win over submitted ones of the same
 * name. Errors: FAULT_PROBLEM; those of fileset_add. */
checked bool grader_place(struct work *work, const struct judge_request *request,
                          struct fileset *files, struct err *err);

/* After a submission did not compile: false with FAULT_PROBLEM when the problem's own files do not
 * compile either, without any submission. A name that the submission should have defined is the
 * submission's error, as is everything that is in doubt. */
checked bool grader_prove(struct work *work, const struct judge_request *request, struct str log,
                          struct err *err);

/* Whether a compiler's log has an error inside a file of the problem that no submission can cause;
 * *ret_line is its first line, inside `log`. */
bool grader_is_to_blame(const struct manifest *manifest, const struct language *language,
                        struct str log, struct str *ret_line);

#endif
