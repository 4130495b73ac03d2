#ifndef PACKAGE_FORMAT_H
#define PACKAGE_FORMAT_H

#include "package/package.h"

/* The kinds of packages that are read: one row each. A kind is found by what is in the files. */

struct package_reader;

/* What a look through a tree found of one kind. */
struct package_finds {
    struct arena *arena;
    struct package_item *items;
    int32_t count;
    int32_t capacity;
    size_t depth; /* of the shallowest one: folders above its mark */
};

struct package_format {
    const char *name;
    /* Adds the problems of this kind that the tree holds; none is no error. Errors: a file cannot
     * be read. */
    bool (*recognise)(const struct package_tree *tree, struct package_finds *finds,
                      struct err *err);
    /* Reads one of them: reader->tree is its folder. */
    bool (*read)(struct package_reader *reader, struct err *err);
};

/* In the order in which they are asked; ends with a row without a name. */
extern const struct package_format package_formats[];

/* A problem whose mark is `file`, in its folder; with a place, in that file alone. Errors: too many
 * problems. */
#define FINDS_FOLDER INT64_C(-1)
checked bool finds_add(struct package_finds *finds, const struct package_file *file,
                       struct str name, int64_t place, struct err *err);
/* The beginning of a file, cut at FINDS_HEAD_BYTES; the arena is needed for as long as the text. */
#define FINDS_HEAD_BYTES ((size_t)64 * KIB)
#define FINDS_ARENA_BYTES (2 * FINDS_HEAD_BYTES)
checked bool finds_head(const struct package_tree *tree, const struct package_file *file,
                        struct arena *arena, struct str *ret_text, struct err *err);
/* Whether a line of `text` begins with `key` and a colon: a key of a YAML map's outermost level. */
bool finds_has_key(struct str text, const char *key);

#endif
