#ifndef LOCAL_LOADED_H
#define LOCAL_LOADED_H

#include "local/blob_map.h"
#include "package/package.h"

/* A package that was read for judging here. It may hold many problems; one of them is loaded at a
 * time. */
struct loaded {
    struct arena *list_arena;
    struct package_list list;
    struct str file_name;
    struct arena *arena; /* of the problem */
    struct package_tree *tree;
    struct blob_map *blobs;
    struct package_problem problem;
    struct package_report report;
};

/* `path`: a folder, a zip, or an XML file. Half-built on failure too: end it by loaded_done in any
 * case. */
checked bool loaded_find(struct loaded *loaded, const char *path, struct err *err);
/* Problem `index` of the list, instead of the one before. */
checked bool loaded_read(struct loaded *loaded, int32_t index, struct err *err);
/* Both, for a package of one problem. Errors: ERR_INVALID when it has several. */
checked bool loaded_open(struct loaded *loaded, const char *path, struct err *err);
void loaded_done(struct loaded *loaded); /* accepts NULL and a zeroed one */
#define own_loaded __attribute__((cleanup(loaded_done))) struct loaded

/* The report's guesses and warnings, or all of it, as lines on standard error. */
void loaded_print_notes(const struct loaded *loaded, bool all);

#endif
