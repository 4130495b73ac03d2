#ifndef LOCAL_SOURCES_H
#define LOCAL_SOURCES_H

#include "base/arena.h"
#include "judge/judge.h"
#include "package/package.h"

/* The files of one submission. */
struct sources {
    struct judge_source *items;
    size_t count;
};

/* Files by their paths: each is stored under its base name. One that ends in .zip is answer files.
 * Errors: ERR_MISSING, ERR_TOO_LARGE; ERR_INVALID "bad_source" (empty, or two of one name). */
checked bool sources_load(const char *const *paths, int count, struct arena *arena,
                          struct sources *ret_sources, struct err *err);
/* The files of a bundled submission. Errors: as above. */
checked bool sources_bundled(const struct package_tree *tree,
                             const struct package_submission *submission, struct arena *arena,
                             struct sources *ret_sources, struct err *err);
/* The language of a submission to a problem with this manifest: that of answers where it takes
 * answers, else `id` if it is not empty, else by the names of the files.
 * Errors: ERR_INVALID "unknown_language" naming what is there. */
checked bool sources_language(const struct language_set *languages, const struct manifest *manifest,
                              const struct sources *sources, struct str id,
                              const struct language **ret_language, struct err *err);

#endif
