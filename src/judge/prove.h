#ifndef JUDGE_PROVE_H
#define JUDGE_PROVE_H

#include "judge/work.h"

/* The exact version of a language's toolchain. Private to the judge module. */

/* Runs the version command once and remembers its first line; *ret_version lives in the work's
 * arena. The slot is open. Errors: ERR_MISSING "language_unavailable"; ERR_SYSTEM, FAULT_NODE. */
checked bool prove_version(struct work *work, const struct language *language,
                           struct str *ret_version, struct err *err);
/* Compiles and runs the hello program. */
checked bool prove_hello(struct work *work, const struct language *language, struct err *err);

/* The first line of what a version command wrote, cleaned; empty when there is none. */
struct str prove_first_line(struct str text);

#endif
