/* System calls wrapped once: O_CLOEXEC, EINTR, and errors that name the path. */
#include "base/file.h"

#include "base/check.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define READ_STEP_BYTES ((size_t)64 * 1024)

/* The errors that a caller can act on get their own kind; the rest is the system's. */
static bool path_error(struct err *err, const char *verb, const char *path) {
    if (errno == ENOENT || errno == ENOTDIR) {
        return err_set(err, ERR_MISSING, "no_file", "cannot %s %s: there is no such file", verb,
                       path);
    }
    return err_system(err, "file_failed", "cannot %s %s", verb, path);
}

static int open_retrying(int dir_fd, const char *path, int flags, mode_t mode) {
    int fd = -1;
    do {
        fd = openat(dir_fd, path, flags | O_CLOEXEC, mode);
    } while (fd < 0 && errno == EINTR);
    return fd;
}

bool file_open_read(const char *path, int *ret_fd, struct err *err) {
    int fd = open_retrying(AT_FDCWD, path, O_RDONLY, 0);
    if (fd < 0) {
        return path_error(err, "open", path);
    }
    *ret_fd = fd;
    return true;
}

bool file_open_at(int dir_fd, const char *path, int flags, mode_t mode, int *ret_fd,
                  struct err *err) {
    int fd = open_retrying(dir_fd, path, flags | O_NOFOLLOW, mode);
    if (fd < 0) {
        return path_error(err, "open", path);
    }
    *ret_fd = fd;
    return true;
}

/* Reads up to `bytes`; -1 with errno, 0 at the end. */
static ssize_t read_retrying(int fd, char *place, size_t bytes) {
    ssize_t got = -1;
    do {
        got = read(fd, place, bytes);
    } while (got < 0 && errno == EINTR);
    return got;
}

/* Whether anything is left to read, when the maximum is reached. */
static bool refuse_more(int fd, size_t bytes_max, struct err *err) {
    char one_more = 0;
    ssize_t got = read_retrying(fd, &one_more, 1);
    if (got < 0) {
        return err_system(err, "read_failed", "cannot read");
    }
    if (got > 0) {
        return err_set(err, ERR_TOO_LARGE, "too_large", "it is larger than %zu bytes", bytes_max);
    }
    return true;
}

bool file_read_all(int fd, size_t bytes_max, struct buf *into, struct err *err) {
    size_t room = into->bytes_max - into->len;
    size_t left = bytes_max < room ? bytes_max : room;
    while (left > 0) {
        size_t step = left < READ_STEP_BYTES ? left : READ_STEP_BYTES;
        char *place = buf_reserve(into, step);
        CHECK(place != NULL);
        ssize_t got = read_retrying(fd, place, step);
        if (got < 0) {
            return err_system(err, "read_failed", "cannot read");
        }
        if (got == 0) {
            return true;
        }
        buf_grew(into, (size_t)got);
        left -= (size_t)got;
    }
    return refuse_more(fd, bytes_max < room ? bytes_max : room, err);
}

bool file_load(const char *path, size_t bytes_max, struct buf *into, struct err *err) {
    own_fd fd = -1;
    if (!file_open_read(path, &fd, err)) {
        return false;
    }
    if (!file_read_all(fd, bytes_max, into, err)) {
        return err_wrap(err, "%s", path);
    }
    return true;
}

bool file_write_all(int fd, struct str content, struct err *err) {
    while (content.len > 0) {
        ssize_t written = write(fd, content.ptr, content.len);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written < 0) {
            return err_system(err, "write_failed", "cannot write");
        }
        content = str_sub(content, (size_t)written, content.len);
    }
    return true;
}

/* Syncs the folder that holds `path`: a rename is durable only then. */
static bool sync_parent(const char *path, struct err *err) {
    char parent[PATH_MAX];
    struct str head = STR("");
    struct str tail = STR("");
    if (!str_cut_last(str_from(path), '/', &head, &tail)) {
        head = STR(".");
    } else if (head.len == 0) {
        head = STR("/");
    }
    if (!str_to_c(head, parent, sizeof(parent), err)) {
        return false;
    }
    own_fd fd = open_retrying(AT_FDCWD, parent, O_RDONLY | O_DIRECTORY, 0);
    if (fd < 0 || fsync(fd) != 0) {
        return err_system(err, "sync_failed", "cannot sync folder %s", parent);
    }
    return true;
}

static bool fill_and_rename(int fd, const char *temporary, const char *path, struct str content,
                            mode_t mode, struct err *err) {
    if (!file_write_all(fd, content, err)) {
        return err_wrap(err, "%s", temporary);
    }
    if (fchmod(fd, mode) != 0 || fsync(fd) != 0) {
        return err_system(err, "write_failed", "cannot finish %s", temporary);
    }
    if (rename(temporary, path) != 0) {
        return err_system(err, "rename_failed", "cannot rename %s to %s", temporary, path);
    }
    return true;
}

bool file_save_atomic(const char *path, struct str content, mode_t mode, struct err *err) {
    char temporary[PATH_MAX];
    int length = snprintf(temporary, sizeof(temporary), "%s.XXXXXX", path);
    if (length < 0 || (size_t)length >= sizeof(temporary)) {
        return err_set(err, ERR_TOO_LARGE, "path_too_long", "the path is too long: %s", path);
    }
    own_fd fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0) {
        return path_error(err, "create", temporary);
    }
    if (!fill_and_rename(fd, temporary, path, content, mode, err)) {
        unlink(temporary);
        return false;
    }
    return sync_parent(path, err);
}

bool file_make_dirs(const char *path, mode_t mode, struct err *err) {
    char prefix[PATH_MAX];
    if (!str_to_c(str_from(path), prefix, sizeof(prefix), err)) {
        return err_wrap(err, "make folder %.60s", path);
    }
    for (size_t i = 1; prefix[0] != '\0'; i++) {
        char kept = prefix[i];
        if (kept != '/' && kept != '\0') {
            continue;
        }
        prefix[i] = '\0';
        if (mkdir(prefix, mode) != 0 && errno != EEXIST) {
            return err_system(err, "mkdir_failed", "cannot make folder %s", prefix);
        }
        prefix[i] = kept;
        if (kept == '\0') {
            break;
        }
    }
    struct stat status = {0};
    if (stat(path, &status) != 0) {
        return err_system(err, "mkdir_failed", "cannot make folder %s", path);
    }
    if (!S_ISDIR(status.st_mode)) {
        errno = ENOTDIR;
        return err_system(err, "mkdir_failed", "cannot make folder %s", path);
    }
    return true;
}

bool file_size(int fd, int64_t *ret_bytes, struct err *err) {
    struct stat status = {0};
    if (fstat(fd, &status) != 0) {
        return err_system(err, "stat_failed", "cannot ask for a file's size");
    }
    *ret_bytes = status.st_size;
    return true;
}

bool file_memory(const char *name, struct str content, bool seal, int *ret_fd, struct err *err) {
    own_fd fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0) {
        return err_system(err, "memfd_failed", "cannot make memory file %s", name);
    }
    if (!file_write_all(fd, content, err)) {
        return err_wrap(err, "memory file %s", name);
    }
    const int seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
    if (lseek(fd, 0, SEEK_SET) != 0 || (seal && fcntl(fd, F_ADD_SEALS, seals) != 0)) {
        return err_system(err, "memfd_failed", "cannot finish memory file %s", name);
    }
    *ret_fd = take_fd(&fd);
    return true;
}

static void dir_close(DIR **dir) {
    if (*dir != NULL) {
        closedir(*dir);
    }
}

/* Opens a folder for reading its names, without following a link. */
static DIR *dir_open_at(int dir_fd, const char *name) {
    const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
    own_fd fd = open_retrying(dir_fd, name, flags, 0);
    if (fd < 0 && errno == EACCES && fchmodat(dir_fd, name, 0700, 0) == 0) {
        fd = open_retrying(dir_fd, name, flags, 0); /* ours, but locked against ourselves */
    }
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (dir != NULL) {
        take_fd(&fd); /* closedir closes it */
    }
    return dir;
}

static bool is_dot(const char *name) {
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* Moving a folder rewrites its "..", so the kernel demands the right to write into it. */
static bool move_up(int from_fd, const char *name, int top_fd, const char *fresh) {
    if (renameat(from_fd, name, top_fd, fresh) == 0) {
        return true;
    }
    return errno == EACCES && fchmodat(from_fd, name, 0700, 0) == 0 &&
           renameat(from_fd, name, top_fd, fresh) == 0;
}

/* Empties the folder `name` of `top_fd`: its files are removed, its folders move up into `top_fd`
 * under fresh names. So a tree of any depth goes with two open folders and no recursion. */
static bool flatten(int top_fd, const char *name, int64_t *moved, struct err *err) {
    __attribute__((cleanup(dir_close))) DIR *dir = dir_open_at(top_fd, name);
    if (dir == NULL) {
        return err_system(err, "remove_failed", "cannot open folder %s", name);
    }
    struct dirent *entry = NULL;
    while ((entry = readdir(dir)) != NULL) {
        if (is_dot(entry->d_name) || unlinkat(dirfd(dir), entry->d_name, 0) == 0) {
            continue;
        }
        char fresh[48];
        struct stat status = {0};
        do {
            snprintf(fresh, sizeof(fresh), ".removed-%lld", (long long)(*moved)++);
        } while (fstatat(top_fd, fresh, &status, AT_SYMLINK_NOFOLLOW) == 0);
        if (!move_up(dirfd(dir), entry->d_name, top_fd, fresh)) {
            return err_system(err, "remove_failed", "cannot remove %s/%s", name, entry->d_name);
        }
    }
    return true;
}

/* One pass over the top folder. Folders moved up meanwhile may or may not be seen: the caller goes
 * round until nothing is left. */
static bool empty_top(DIR *top, int64_t *moved, bool *ret_empty, struct err *err) {
    bool empty = true;
    struct dirent *entry = NULL;
    rewinddir(top);
    while ((entry = readdir(top)) != NULL) {
        if (is_dot(entry->d_name)) {
            continue;
        }
        empty = false;
        if (unlinkat(dirfd(top), entry->d_name, 0) == 0) {
            continue;
        }
        if (errno != EISDIR && errno != EPERM) {
            return err_system(err, "remove_failed", "cannot remove %s", entry->d_name);
        }
        if (!flatten(dirfd(top), entry->d_name, moved, err)) {
            return false;
        }
        if (unlinkat(dirfd(top), entry->d_name, AT_REMOVEDIR) != 0) {
            return err_system(err, "remove_failed", "cannot remove folder %s", entry->d_name);
        }
    }
    *ret_empty = empty;
    return true;
}

bool file_remove_tree(const char *path, struct err *err) {
    if (unlink(path) == 0 || errno == ENOENT) {
        return true;
    }
    if (errno != EISDIR && errno != EPERM) {
        return err_system(err, "remove_failed", "cannot remove %s", path);
    }
    __attribute__((cleanup(dir_close))) DIR *top = dir_open_at(AT_FDCWD, path);
    if (top == NULL) {
        return err_system(err, "remove_failed", "cannot open folder %s", path);
    }
    int64_t moved = 0;
    bool empty = false;
    while (!empty) {
        if (!empty_top(top, &moved, &empty, err)) {
            return err_wrap(err, "remove %s", path);
        }
    }
    if (rmdir(path) != 0 && errno != ENOENT) {
        return err_system(err, "remove_failed", "cannot remove folder %s", path);
    }
    return true;
}

bool fd_set_nonblocking(int fd, bool on, struct err *err) {
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0) {
        return err_system(err, "fcntl_failed", "cannot read a descriptor's flags");
    }
    int wanted = on ? flags | O_NONBLOCK : flags & ~O_NONBLOCK;
    if (fcntl(fd, F_SETFL, wanted) != 0) {
        return err_system(err, "fcntl_failed", "cannot set a descriptor's flags");
    }
    return true;
}

bool file_read_at(int dir_fd, const char *name, char *ret_text, size_t size) {
    own_fd fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    ssize_t got = fd < 0 ? -1 : pread(fd, ret_text, size - 1, 0);
    ret_text[got < 0 ? 0 : got] = '\0';
    return got >= 0;
}

bool file_write_at(int dir_fd, const char *name, const char *text, struct err *err) {
    own_fd fd = openat(dir_fd, name, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) {
        return err_system(err, "file_open", "open %s", name);
    }
    ssize_t length = (ssize_t)strlen(text);
    return write(fd, text, (size_t)length) == length
               ? true
               : err_system(err, "file_write", "write %s to %s", text, name);
}

bool file_read_i64_at(int dir_fd, const char *name, int64_t *ret_value) {
    char text[64];
    struct err err = {0};
    return file_read_at(dir_fd, name, text, sizeof(text)) &&
           str_to_i64(str_trim(str_from(text)), 0, INT64_MAX, ret_value, &err);
}

bool file_write_i64_at(int dir_fd, const char *name, int64_t value, struct err *err) {
    char text[32];
    snprintf(text, sizeof(text), "%lld", (long long)value);
    return file_write_at(dir_fd, name, text, err);
}

bool file_set_i64_at(int dir_fd, const char *name, int64_t value, struct err *err) {
    int64_t set = -1;
    if (!file_write_i64_at(dir_fd, name, value, err)) {
        return false;
    }
    return (file_read_i64_at(dir_fd, name, &set) && set == value) ||
           err_set(err, ERR_SYSTEM, "file_not_set", "the kernel made %lld of %s = %lld",
                   (long long)set, name, (long long)value);
}

bool file_each_folder(int dir_fd, bool (*act)(int dir_fd, const char *name)) {
    own_fd copy = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = copy < 0 ? NULL : fdopendir(copy);
    if (list == NULL) {
        return false;
    }
    (void)take_fd(&copy);
    bool right = true;
    for (struct dirent *entry = readdir(list); entry != NULL; entry = readdir(list)) {
        if (entry->d_type == DT_DIR && entry->d_name[0] != '.') {
            right = act(dir_fd, entry->d_name) && right;
        }
    }
    closedir(list);
    return right;
}
