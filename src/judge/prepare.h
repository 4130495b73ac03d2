#ifndef JUDGE_PREPARE_H
#define JUDGE_PREPARE_H

#include "judge/work.h"

/* What stands in a language's {prepared} folder: its support files, and what its prepare command
 * made of them in the box. Made once on each machine, in `<cache folder>/prepared/<key>`; the key
 * covers the spec, the support files and the toolchain's version. Submissions see it read-only, and
 * nothing of theirs ever goes into it. Those that nobody uses are removed, oldest first, when there
 * are too many (prepared.h). Private to the judge module. */

/* Finds the folder or makes it; others that need the same one wait. What is only for speed is made
 * when `all`, else only found.
 *
 * Errors: ERR_MISSING "language_unavailable"; ERR_SYSTEM, FAULT_NODE: the command failed or the
 * folder cannot be written; ERR_CANCELLED. */
checked bool prepare_language(struct work *work, const struct language *language, bool all,
                              struct err *err);

/* The folder found or made above, owned by the judge; NULL: there is none. */
const char *prepare_folder(struct judge *judge, const struct language *language);
/* What a run calls it; in `arena`. */
const char *prepare_place(struct judge *judge, const struct language *language,
                          struct arena *arena);

/* The roots of a step of the language, its prepared folder among them; in the work's arena. */
const char *const *prepare_roots(const struct work *work, const struct language *language,
                                 const char *const *roots);

#endif
