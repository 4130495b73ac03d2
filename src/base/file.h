#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/buf.h"
#include "base/err.h"
#include <sys/types.h>

/* System calls wrapped once: O_CLOEXEC set, EINTR handled, errors with the path in their text. */

checked bool file_open_read(const char *path, int *ret_fd, struct err *err);
/* openat with O_CLOEXEC|O_NOFOLLOW; dir_fd may be AT_FDCWD. */
checked bool file_open_at(int dir_fd, const char *path, int flags, mode_t mode, int *ret_fd,
                          struct err *err);
checked bool file_read_all(int fd, size_t bytes_max, struct buf *into, struct err *err);
/* Reads a whole file; ERR_MISSING "no_file" when absent, ERR_TOO_LARGE over bytes_max. */
checked bool file_load(const char *path, size_t bytes_max, struct buf *into, struct err *err);
/* Writes a temporary file beside `path`, syncs it, renames it into place, syncs the folder: a
 * reader sees the old or the whole new content, whatever is killed in between. */
checked bool file_save_atomic(const char *path, struct str content, mode_t mode, struct err *err);
checked bool file_write_all(int fd, struct str content, struct err *err);
checked bool file_make_dirs(const char *path, mode_t mode, struct err *err); /* mkdir -p */
checked bool file_size(int fd, int64_t *ret_bytes, struct err *err);
/* Anonymous memory file, sealed against change when `seal`; offset 0. */
checked bool file_memory(const char *name, struct str content, bool seal, int *ret_fd,
                         struct err *err);
/* Removes a folder and what is in it without following links; a missing folder is fine. */
checked bool file_remove_tree(const char *path, struct err *err);
/* Small files of the kernel, below a folder. Reading puts NUL behind the text and cuts it at
 * `size`; false when there is none. Writing is one write. */
bool file_read_at(int dir_fd, const char *name, char *ret_text, size_t size);
checked bool file_write_at(int dir_fd, const char *name, const char *text, struct err *err);
bool file_read_i64_at(int dir_fd, const char *name, int64_t *ret_value); /* not negative */
checked bool file_write_i64_at(int dir_fd, const char *name, int64_t value, struct err *err);
/* Writes a number, reads it back and compares: a limit that is silently not applied is the worst
 * kind. ERR_SYSTEM "file_not_set". */
checked bool file_set_i64_at(int dir_fd, const char *name, int64_t value, struct err *err);
/* Calls `act` for every folder in `dir_fd`; false when one of the calls was. */
bool file_each_folder(int dir_fd, bool (*act)(int dir_fd, const char *name));
checked bool fd_set_nonblocking(int fd, bool on, struct err *err);

#endif
