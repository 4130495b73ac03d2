#ifndef JUDGE_CHECKER_CACHE_H
#define JUDGE_CHECKER_CACHE_H

#include "judge/work.h"

/* Checkers, each compiled once per digest of everything that goes into it, shared by all slots.
 * While one slot compiles, others that need the same checker wait. Private to the judge module. */

/* SHA-256 over language, its spec's digest, entry file, names and digests of all files. */
struct digest checker_key(const struct manifest_program *program, const struct language *language);

/* Compiles or finds `source`, the manifest's checker or its interactor. Give it back with
 * checker_release.
 * Errors: ERR_CANCELLED; ERR_SYSTEM with FAULT_PROBLEM (it does not compile: the text holds the
 * beginning of the compiler's log) or FAULT_NODE. */
checked bool checker_acquire(struct work *work, const struct manifest *manifest,
                             const struct manifest_program *source,
                             const struct program **ret_program, struct err *err);
void checker_release(struct judge *judge, const struct program *program); /* accepts NULL */

void checker_cache_done(struct judge *judge);

/* ---- on disk (checker_store.c) ---- */

/* Writes the program's files under `key` into `folder`; the list is written last, so a half-written
 * program is none. */
checked bool checker_save(const char *folder, const struct digest *key,
                          const struct program *program, struct err *err);
/* Reads them back and checks each digest. ERR_MISSING when there is no whole program. */
checked bool checker_load(const char *folder, const struct digest *key, struct arena *arena,
                          struct program *program, struct err *err);

/* A checker given as `build` and `run` scripts. */
const struct language *checker_script_language(void);

#endif
