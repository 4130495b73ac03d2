#ifndef PACKAGE_DMOJ_INTERNAL_H
#define PACKAGE_DMOJ_INTERNAL_H

#include "package/builder.h"

/* The reader of DMOJ packages in two parts. */

struct dmoj {
    struct builder *builder;
    struct package_tree *archive; /* NULL: there is none */
    const struct yaml *root;
    int batches;
    int32_t batch_groups[MANIFEST_GROUPS_MAX]; /* of the builder, by number of batch */
    const struct manifest_program *generator;  /* NULL: there is none */
};

/* dmoj_cases.c: test_cases, as a list or by a pattern of names. */
checked bool dmoj_cases_read(struct dmoj *dmoj, struct err *err);
/* dmoj_programs.c: checker, interactor, grader, generator. */
checked bool dmoj_programs_read(struct dmoj *dmoj, struct err *err);

/* The text of a key, of the node or inherited from the top. */
const struct yaml *dmoj_get(const struct dmoj *dmoj, const struct yaml *node, const char *key);
/* A file in the folder or in the archive. Errors: there is none. */
checked bool dmoj_put(struct dmoj *dmoj, const struct yaml *node, struct blob_ref *ret_blob,
                      struct err *err);

#endif
