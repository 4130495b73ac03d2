#ifndef JUDGE_COMPILE_CACHE_H
#define JUDGE_COMPILE_CACHE_H

#include "judge/compile.h"

/* Programs that this process compiled before, in sealed memory files. A program is found by the
 * digest of everything that went into it: the language's spec with its commands and flags, the
 * compiler's version, the limits, and name and content of every file. So nobody can bring about
 * what another submission finds here, but by handing in that very submission. Only what the
 * compiler accepted is kept, and nothing outlives the process: a machine whose libraries were
 * exchanged compiles anew after the restart. Source: docs/decisions/0014-compile-cache.md. Private
 * to the judge module; shared by all slots. */

struct compile_cache;

/* NULL when `bytes_max` is 0: every program is compiled. */
struct compile_cache *compile_cache_create(int64_t bytes_max);
void compile_cache_free(struct compile_cache *cache); /* accepts NULL */

/* The digest above. Errors: those of reading the files. */
checked bool compile_key(const struct compile_job *job, struct str version, struct digest *ret_key,
                         struct err *err);

/* As compile_program, but what is kept is not compiled again: result and measurements are then
 * those of the first time. */
checked bool compile_cached(struct work *work, const struct compile_job *job, struct arena *arena,
                            struct program *ret_program, struct compile_result *ret_result,
                            struct err *err);

#endif
