#ifndef PACKAGE_TREE_INTERNAL_H
#define PACKAGE_TREE_INTERNAL_H

#include "package/tree.h"

/* What the readers of folders and zips share. */

struct package_tree {
    struct arena *arena;
    struct package_file *files;
    size_t count;
    size_t capacity;
    size_t entries; /* met so far, ignored ones and folders too */
    size_t ignored;
    int64_t total_bytes;
    int folder_fd; /* -1: a zip */
    int store_fd;  /* everything unpacked, one after the other; -1: a folder */
    bool single;   /* one XML file */
    bool borrowed; /* a part of another tree, which owns arena and descriptors */
    struct str name;
    const char *charset; /* of names that were not UTF-8, or NULL */
};

struct package_tree *tree_create(void);
/* ERR_INVALID "bad_package": "<path>: <why>", with the path made printable. */
bool tree_refuse(struct err *err, struct str path, const char *why);
/* Counts an entry and decides whether it belongs to the package.
 * Errors: its path is not plain, or there are too many. */
checked bool tree_accept(struct package_tree *tree, struct str path, bool *ret_ignored,
                         struct err *err);
/* Adds an accepted file. Errors: it is too large, or all together are. */
checked bool tree_add(struct package_tree *tree, const struct package_file *file, struct err *err);
/* Takes off the top folder, sorts. `strict`: refuses what a zip can hold and a folder cannot. */
checked bool tree_finish(struct package_tree *tree, bool strict, struct err *err);
/* Order of names: '/' comes before every other byte. */
int tree_compare(struct str a, struct str b);

#endif
