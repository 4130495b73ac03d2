#ifndef APP_CRASH_H
#define APP_CRASH_H

#include "app/app_world.h"

static inline void copy_file(struct fixture *f, const char *from, const char *to) {
    own_buf bytes = {0};
    buf_init(&bytes, (size_t)256 * MIB);
    must(f, file_load(from, (size_t)256 * MIB, &bytes, &f->err) &&
                file_save_atomic(to, buf_str(&bytes), 0600, &f->err));
}

/* Another app on what is in the files at this moment, as after a SIGKILL. Closed by the caller. */
static inline struct fixture *crash(struct fixture *f) {
    static int crashes;
    struct fixture *after = malloc(sizeof *after);
    char from[128];
    char to[128];
    *after = *f;
    if (f->app != NULL && test_db() != NULL) { /* the first one does nothing more */
        open_app(after);
        return after;
    }
    (void)snprintf(after->path, sizeof after->path, "%s/crash%d.db", f->folder, ++crashes);
    copy_file(f, f->path, after->path);
    (void)snprintf(from, sizeof from, "%s-wal", f->path);
    (void)snprintf(to, sizeof to, "%s-wal", after->path);
    copy_file(f, from, to);
    open_app(after);
    return after;
}

#endif
