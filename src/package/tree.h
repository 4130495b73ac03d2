#ifndef PACKAGE_TREE_H
#define PACKAGE_TREE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/own.h"

/* The files of a package, from a folder or a zip, read the same way. What a tree lists is safe to
 * name and to open: plain relative paths, plain files, within the limits of base/limits.h; nothing
 * outside the folder is reachable through it, whatever links a folder holds. A zip is unpacked into
 * one anonymous file, so nothing is left behind, also not by a killed process.
 *
 * Left out and counted as ignored: __MACOSX, .DS_Store, Thumbs.db, desktop.ini, folders of version
 * control, and in a folder names with control characters, backslashes or other than UTF-8. When
 * everything stands in one top folder, that folder is taken off and kept as the tree's name. */

struct package_tree;

struct package_file {
    struct str name; /* "data/secret/1.in" */
    int64_t bytes;
    bool executable;
    int64_t offset;  /* private: place in the unpacked file */
    struct str path; /* private: name before the top folder was taken off */
};

/* A folder, or a zip by its path. Errors: as below; ERR_MISSING "no_file". */
checked bool package_tree_open(const char *path, struct package_tree **ret_tree, struct err *err);
/* Borrows `folder_fd` for the call.
 * Errors: ERR_INVALID "bad_package", ERR_TOO_LARGE "package_too_large", ERR_SYSTEM. */
checked bool package_tree_open_folder(int folder_fd, struct package_tree **ret_tree,
                                      struct err *err);
/* Borrows `fd`, a plain file, read from its start. Also takes an XML file by itself, which some
 * formats are: a tree of one file. Errors: as package_tree_open_folder. */
checked bool package_tree_open_zip(int fd, struct package_tree **ret_tree, struct err *err);
/* A zip and nothing else, that unpacks to at most `unpacked_max` bytes. */
checked bool package_tree_open_small_zip(int fd, int64_t unpacked_max,
                                         struct package_tree **ret_tree, struct err *err);
void package_tree_close(struct package_tree *tree); /* accepts NULL */
OWN_DEFINE(package_tree, package_tree_close)

/* In byte order, a folder's files before those of its longer-named neighbours: "a/x" before "a-b".
 */
size_t package_tree_count(const struct package_tree *tree);
const struct package_file *package_tree_at(const struct package_tree *tree, size_t index);
/* NULL when there is no such file. */
const struct package_file *package_tree_find(const struct package_tree *tree, struct str name);
/* The range of indices below folder `name`, "" for all; empty when there is none. */
void package_tree_below(const struct package_tree *tree, struct str name, size_t *ret_from,
                        size_t *ret_to);
/* The files below folder `name` as a tree of their own, "" for the tree itself; lives as long as
 * `tree`. */
const struct package_tree *package_tree_sub(const struct package_tree *tree, struct str name);
struct str package_tree_name(const struct package_tree *tree); /* of the top folder; may be empty */
size_t package_tree_ignored(const struct package_tree *tree);
/* How names that were not UTF-8 were read: "GBK", "CP437"; empty when all were. */
struct str package_tree_charset(const struct package_tree *tree);

/* A plain file to read from its start, the caller's to close. */
checked bool package_tree_read(const struct package_tree *tree, const struct package_file *file,
                               int *ret_fd, struct err *err);
/* The whole content, followed by a NUL. Errors: ERR_TOO_LARGE naming the file. */
checked bool package_tree_text(const struct package_tree *tree, const struct package_file *file,
                               size_t bytes_max, struct arena *arena, struct str *ret_text,
                               struct err *err);

/* Writes a zip of the folder's files into `fd`: in the tree's order, with one fixed time, so that
 * the same files give the same bytes. */
checked bool package_zip_folder(const char *path, int fd, struct err *err);

#endif
