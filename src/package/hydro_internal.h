#ifndef PACKAGE_HYDRO_INTERNAL_H
#define PACKAGE_HYDRO_INTERNAL_H

#include "package/builder.h"

/* testdata/: config.yaml, or what the names of the files say. */
checked bool hydro_config_read(struct builder *builder, struct err *err);

/* "1000ms", "1s", "1.5s" in milliseconds; "256m", "262144k", "1g" in KiB. Errors: neither. */
checked bool hydro_time(const struct yaml *node, int64_t *ret_ms, struct err *err);
checked bool hydro_memory(const struct yaml *node, int64_t *ret_kib, struct err *err);

#define HYDRO_TESTDATA STR("testdata")

/* Cases by the names of files: hydro_names.c. In natural order; `group` is 0 without one. */
struct hydro_pair {
    const struct package_file *input;
    const struct package_file *answer; /* NULL: there is none */
    int64_t group;
};
/* The pairs in `folder`; inputs without an answer are among them. */
void hydro_pairs(const struct package_tree *tree, struct str folder, struct arena *arena,
                 struct hydro_pair **ret_pairs, size_t *ret_count);

#endif
