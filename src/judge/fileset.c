/* The files of a run. */
#include "judge/fileset.h"
#include "base/file.h"
#include "base/frozen.h"

#include <fcntl.h>

#define KEPT_BYTES_MIN (64 * 1024) /* a smaller one is copied as fast */

void fileset_done(struct fileset *set) {
    if (set == NULL) {
        return;
    }
    for (size_t i = 0; i < set->count; i++) {
        fd_cleanup(&set->files[i].fd);
    }
    set->count = 0;
}

static struct box_file *find(struct fileset *set, struct str name) {
    for (size_t i = 0; i < set->count; i++) {
        if (str_eq_c(name, set->files[i].name)) {
            return &set->files[i];
        }
    }
    return NULL;
}

bool fileset_add(struct fileset *set, struct arena *arena, struct str name, int *fd,
                 struct fileset_options options, struct err *err) {
    struct box_file *file = find(set, name);
    if (file != NULL && !options.replace) {
        return err_set(err, ERR_INVALID, "double_file", "two files are called " STR_FMT,
                       STR_ARG(name));
    }
    if (file == NULL && set->count == BOX_FILES_MAX) {
        return err_set(err, ERR_INVALID, "too_many_files", "more than %d files together",
                       BOX_FILES_MAX);
    }
    if (file != NULL) {
        fd_cleanup(&file->fd);
    } else {
        file = &set->files[set->count++];
    }
    *file = (struct box_file){.name = arena_cstr(arena, name),
                              .fd = take_fd(fd),
                              .executable = options.executable,
                              .writable = options.writable};
    return true;
}

bool fileset_add_text(struct fileset *set, struct arena *arena, struct str name, struct str content,
                      struct fileset_options options, struct err *err) {
    own_fd fd = -1;
    return file_memory("assize-source", content, true, &fd, err) &&
           fileset_add(set, arena, name, &fd, options, err);
}

bool fileset_dup(int fd, int *ret_fd, struct err *err) {
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    if (copy < 0) {
        return err_system(err, "no_descriptor", "duplicate a descriptor");
    }
    *ret_fd = copy;
    return true;
}

bool fileset_copy(struct fileset *set, struct arena *arena, const struct fileset *from,
                  struct err *err) {
    for (size_t i = 0; i < from->count; i++) {
        const struct box_file *file = &from->files[i];
        own_fd fd = -1;
        if (!fileset_dup(file->fd, &fd, err) ||
            !fileset_add(set, arena, str_from(file->name), &fd,
                         (struct fileset_options){.executable = file->executable,
                                                  .writable = file->writable},
                         err)) {
            return false;
        }
        set->files[set->count - 1].kept = file->kept;
    }
    return true;
}

bool fileset_keep(struct fileset *set, struct err *err) {
    for (size_t i = 0; i < set->count; i++) {
        struct box_file *file = &set->files[i];
        int64_t bytes = 0;
        own_fd frozen = -1;
        if (!file_size(file->fd, &bytes, err)) {
            return false;
        }
        if (file->writable || bytes < KEPT_BYTES_MIN || bytes > BOX_KEPT_BYTES_MAX) {
            continue;
        }
        if (!fd_freeze_copy(file->fd, &frozen, err)) {
            return false;
        }
        fd_cleanup(&file->fd);
        file->fd = take_fd(&frozen);
        file->kept = true;
    }
    return true;
}

bool fileset_bytes(const struct fileset *set, int64_t *ret_bytes, struct err *err) {
    int64_t sum = 0;
    for (size_t i = 0; i < set->count; i++) {
        int64_t bytes = 0;
        if (!file_size(set->files[i].fd, &bytes, err)) {
            return false;
        }
        sum += bytes;
    }
    *ret_bytes = sum;
    return true;
}
