#ifndef JUDGE_FILESET_H
#define JUDGE_FILESET_H

#include "base/arena.h"
#include "box/box.h"

/* Files that will stand in the work folder of a run. Owns its descriptors; names live in the arena
 * given when they were added. Private to the judge module. */
struct fileset {
    struct box_file files[BOX_FILES_MAX];
    size_t count;
};

void fileset_done(struct fileset *set); /* accepts NULL and a zeroed set */
#define own_fileset __attribute__((cleanup(fileset_done))) struct fileset

struct fileset_options {
    bool executable;
    bool writable;
    bool replace; /* a file of the same name is exchanged instead of refused */
};

/* Takes *fd over, and leaves -1 there, when it returns true.
 * Errors: ERR_INVALID "too_many_files" over BOX_FILES_MAX, "double_file" for a second of the name.
 */
checked bool fileset_add(struct fileset *set, struct arena *arena, struct str name, int *fd,
                         struct fileset_options options, struct err *err);
/* A sealed memory file with that content. */
checked bool fileset_add_text(struct fileset *set, struct arena *arena, struct str name,
                              struct str content, struct fileset_options options, struct err *err);
/* Another descriptor of the same file. */
checked bool fileset_dup(int fd, int *ret_fd, struct err *err);
/* Duplicates of all files of `from`. */
checked bool fileset_copy(struct fileset *set, struct arena *arena, const struct fileset *from,
                          struct err *err);
/* The files will stand in many runs: those for which it pays become sealed memory files that the
 * box keeps ready. */
checked bool fileset_keep(struct fileset *set, struct err *err);
/* Bytes of all files together. */
checked bool fileset_bytes(const struct fileset *set, int64_t *ret_bytes, struct err *err);

#endif
