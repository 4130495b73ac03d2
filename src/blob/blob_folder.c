/* Blobs in a folder:
 *
 *     store.id      a random id in hex, made with the store
 *     tmp/<random>  being written
 *     ab/cdef...    the blob whose SHA-256 begins with ab
 *
 * A blob is written to tmp/, synced, renamed into its place, and the place's folder is synced: a
 * reader sees a whole blob or none, and what was acknowledged survives a power cut. Two writers of
 * the same content rename equal files over each other. Renaming, and blob_keep, renew the time of
 * the file, from which the collection of unused blobs counts its grace period. */
#include "blob/blob_folder.h"

#include "base/buf.h"
#include "base/check.h"
#include "base/file.h"
#include "blob/blob_copy.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MARKER "store.id"
#define TEMPORARY "tmp"
#define TEMPORARY_MS_MAX (INT64_C(24) * 3600 * 1000) /* no upload takes a day */
#define FOLDER_MODE 0700                             /* the answers of exams are in here */
#define FILE_MODE 0400

struct blob_folder {
    struct blob_store store;
    bool read_only;
    const struct random *random;
    const struct clock *clock;
    int root_fd;
};

/* "tmp/" and 32 hex digits; "ab" and "ab/cdef...". With NUL. */
#define TEMPORARY_BYTES 37
#define PLACE_BYTES 66

static bool failed(struct err *err, const char *verb, const char *path) {
    return err_system(err, "blob_failed", "cannot %s %s", verb, path);
}

static struct blob_folder *folder_of(struct blob_store *store) {
    return (struct blob_folder *)(void *)store;
}

static void place_of(const struct digest *digest, char out[PLACE_BYTES]) {
    char hex[DIGEST_HEX_BYTES];
    digest_hex(digest, hex);
    (void)snprintf(out, PLACE_BYTES, "%.2s/%s", hex, hex + 2);
}

static void random_hex(const struct random *random, char out[BLOB_STORE_ID_CHARS + 1]) {
    uint8_t bytes[BLOB_STORE_ID_CHARS / 2];
    random_fill(random, bytes, sizeof(bytes));
    hex_encode(bytes, sizeof(bytes), out);
    out[BLOB_STORE_ID_CHARS] = '\0';
}

static void temporary_name(const struct blob_folder *folder, char out[TEMPORARY_BYTES]) {
    char name[BLOB_STORE_ID_CHARS + 1];
    random_hex(folder->random, name);
    (void)snprintf(out, TEMPORARY_BYTES, TEMPORARY "/%s", name);
}

static bool sync_folder(const struct blob_folder *folder, const char *name, struct err *err) {
    own_fd fd = openat(folder->root_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || fsync(fd) != 0) {
        return failed(err, "sync folder", name);
    }
    return true;
}

/* Makes the two-digit folder of a place when it is missing. */
static bool make_parent(const struct blob_folder *folder, const char place[PLACE_BYTES],
                        struct err *err) {
    char parent[3] = {place[0], place[1], '\0'};
    if (mkdirat(folder->root_fd, parent, FOLDER_MODE) == 0) {
        return sync_folder(folder, ".", err);
    }
    return errno == EEXIST || failed(err, "make folder", parent);
}

/* put */

/* Writes and syncs the temporary file, and learns its digest. */
static bool write_temporary(int fd, const struct blob_source *source, struct blob_info *ret_info,
                            struct err *err) {
    return blob_copy(fd, source, ret_info, err) &&
           (fsync(fd) == 0 || failed(err, "sync", "a new blob"));
}

static bool move_into_place(const struct blob_folder *folder, const char *temporary,
                            const struct digest *digest, struct err *err) {
    char place[PLACE_BYTES];
    place_of(digest, place);
    if (!make_parent(folder, place, err)) {
        return false;
    }
    if (renameat(folder->root_fd, temporary, folder->root_fd, place) != 0) {
        return failed(err, "rename to", place);
    }
    char parent[3] = {place[0], place[1], '\0'};
    return sync_folder(folder, parent, err);
}

static bool folder_put(struct blob_store *store, const struct blob_source *source,
                       struct blob_info *ret_info, struct err *err) {
    struct blob_folder *folder = folder_of(store);
    if (folder->read_only) {
        return err_set(err, ERR_DENIED, "blob_read_only", "the file store is open for reading");
    }
    char temporary[TEMPORARY_BYTES];
    temporary_name(folder, temporary);
    own_fd fd =
        openat(folder->root_fd, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, FILE_MODE);
    if (fd < 0) {
        return failed(err, "make", temporary);
    }
    struct blob_info info;
    if (!write_temporary(fd, source, &info, err) ||
        !move_into_place(folder, temporary, &info.digest, err)) {
        (void)unlinkat(folder->root_fd, temporary, 0);
        return false;
    }
    *ret_info = info;
    return true;
}

/* open, keep */

/* A blob that was kept while it was being removed is away for an instant: remove_if_old. */
#define OPEN_TRIES 5
#define OPEN_PAUSE_MS 2

static int open_place(const struct blob_folder *folder, const char *place) {
    for (int i = 1;; i++) {
        int fd = openat(folder->root_fd, place, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
        if (fd >= 0 || errno != ENOENT || i == OPEN_TRIES) {
            return fd;
        }
        clock_sleep_ms(folder->clock, OPEN_PAUSE_MS);
    }
}

static bool folder_open(struct blob_store *store, const struct digest *digest, int *ret_fd,
                        int64_t *ret_bytes, struct err *err) {
    char place[PLACE_BYTES];
    place_of(digest, place);
    own_fd fd = open_place(folder_of(store), place);
    if (fd < 0 && errno == ENOENT) {
        return err_set(err, ERR_MISSING, "no_blob", "no file with SHA-256 %.2s%s is stored", place,
                       place + 3);
    }
    if (fd < 0) {
        return failed(err, "open", place);
    }
    if (!file_size(fd, ret_bytes, err)) {
        return false;
    }
    *ret_fd = take_fd(&fd);
    return true;
}

static bool folder_keep(struct blob_store *store, const struct digest *digest, bool *ret_stored,
                        struct err *err) {
    struct blob_folder *folder = folder_of(store);
    char place[PLACE_BYTES];
    place_of(digest, place);
    int result = folder->read_only ? faccessat(folder->root_fd, place, F_OK, 0)
                                   : utimensat(folder->root_fd, place, NULL, AT_SYMLINK_NOFOLLOW);
    if (result != 0 && errno != ENOENT) {
        return failed(err, "look at", place);
    }
    *ret_stored = result == 0;
    return true;
}

/* each */

static DIR *open_listing(const struct blob_folder *folder, const char *name) {
    int fd = openat(folder->root_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *listing = fd < 0 ? NULL : fdopendir(fd);
    if (listing == NULL && fd >= 0) {
        (void)close(fd);
    }
    return listing;
}

static int64_t file_time_ms(const struct stat *status) {
    return (int64_t)status->st_mtim.tv_sec * 1000 + status->st_mtim.tv_nsec / 1000000;
}

/* False when the visitor has seen enough. Names that are no blob's are not ours to judge. */
static bool visit_entry(DIR *listing, const char *parent, const char *name, blob_visit_fn *visit,
                        void *context) {
    char hex[DIGEST_HEX_BYTES];
    struct blob_visit blob = {0};
    struct stat status;
    int length = snprintf(hex, sizeof(hex), "%s%s", parent, name);
    if (length != DIGEST_HEX_BYTES - 1 || !digest_parse(str_from(hex), &blob.info.digest) ||
        fstatat(dirfd(listing), name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
        return true;
    }
    blob.info.bytes = status.st_size;
    blob.stored_ms = file_time_ms(&status);
    return visit(context, &blob);
}

static bool folder_each(struct blob_store *store, blob_visit_fn *visit, void *context,
                        struct err *err) {
    struct blob_folder *folder = folder_of(store);
    bool more = true;
    for (int prefix = 0; prefix < 256 && more; prefix++) {
        char parent[3];
        (void)snprintf(parent, sizeof(parent), "%02x", (unsigned)prefix);
        DIR *listing = open_listing(folder, parent);
        if (listing == NULL && errno == ENOENT) {
            continue;
        }
        if (listing == NULL) {
            return failed(err, "list", parent);
        }
        const struct dirent *entry = NULL;
        while (more && (entry = readdir(listing)) != NULL) {
            more = visit_entry(listing, parent, entry->d_name, visit, context);
        }
        (void)closedir(listing);
    }
    return true;
}

/* Renamed away first, then looked at: who keeps the blob meanwhile either made it young before, and
 * it goes back, or does not find it, and puts it again. */
static bool remove_if_old(const struct blob_folder *folder, const char *place, int64_t before_ms,
                          bool *ret_removed, struct err *err) {
    char temporary[TEMPORARY_BYTES];
    struct stat status;
    temporary_name(folder, temporary);
    if (renameat(folder->root_fd, place, folder->root_fd, temporary) != 0) {
        return errno == ENOENT || failed(err, "remove", place);
    }
    if (fstatat(folder->root_fd, temporary, &status, AT_SYMLINK_NOFOLLOW) != 0) {
        return failed(err, "look at", temporary);
    }
    *ret_removed = file_time_ms(&status) < before_ms;
    if (!*ret_removed && linkat(folder->root_fd, temporary, folder->root_fd, place, 0) != 0 &&
        errno != EEXIST) {
        return failed(err, "put back", place);
    }
    return unlinkat(folder->root_fd, temporary, 0) == 0 || failed(err, "remove", temporary);
}

static bool folder_remove(struct blob_store *store, const struct digest *digest, int64_t before_ms,
                          bool *ret_removed, struct err *err) {
    struct blob_folder *folder = folder_of(store);
    char place[PLACE_BYTES];
    struct stat status;
    place_of(digest, place);
    *ret_removed = false;
    if (folder->read_only) {
        return err_set(err, ERR_DENIED, "blob_read_only", "the file store is open for reading");
    }
    if (fstatat(folder->root_fd, place, &status, AT_SYMLINK_NOFOLLOW) != 0) {
        return errno == ENOENT || failed(err, "look at", place);
    }
    return file_time_ms(&status) >= before_ms ||
           remove_if_old(folder, place, before_ms, ret_removed, err);
}

static void folder_close(struct blob_store *store) {
    struct blob_folder *folder = folder_of(store);
    fd_cleanup(&folder->root_fd);
    free(folder);
}

static const struct blob_kind folder_kind = {
    .put = folder_put,
    .open = folder_open,
    .keep = folder_keep,
    .each = folder_each,
    .remove = folder_remove,
    .close = folder_close,
};

/* opening */

/* Whether something lies in the folder that does not belong to a store that is being made. */
static bool has_strangers(const struct blob_folder *folder, const char *path, bool *ret_found,
                          struct err *err) {
    DIR *listing = open_listing(folder, ".");
    if (listing == NULL) {
        return failed(err, "list", path);
    }
    static const char *const ours[] = {".", "..", TEMPORARY, MARKER, "lost+found"};
    bool found = false;
    const struct dirent *entry = NULL;
    while (!found && (entry = readdir(listing)) != NULL) {
        found = true;
        for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++) {
            found = found && strcmp(entry->d_name, ours[i]) != 0;
        }
    }
    (void)closedir(listing);
    *ret_found = found;
    return true;
}

/* Writes the marker so that of several servers at once one wins and all read the same id. */
static bool make_marker(const struct blob_folder *folder, struct err *err) {
    char id[BLOB_STORE_ID_CHARS + 1];
    char temporary[TEMPORARY_BYTES];
    random_hex(folder->random, id);
    temporary_name(folder, temporary);
    own_fd fd =
        openat(folder->root_fd, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, FILE_MODE);
    if (fd < 0) {
        return failed(err, "make", temporary);
    }
    bool made = file_write_all(fd, str_from(id), err);
    if (made && fsync(fd) != 0) {
        made = failed(err, "sync", MARKER);
    }
    if (made && linkat(folder->root_fd, temporary, folder->root_fd, MARKER, 0) != 0 &&
        errno != EEXIST) {
        made = failed(err, "make", MARKER);
    }
    (void)unlinkat(folder->root_fd, temporary, 0);
    return made && sync_folder(folder, ".", err);
}

/* *ret_found false: there is none. */
static bool read_marker(struct blob_folder *folder, bool *ret_found, struct err *err) {
    own_fd fd = openat(folder->root_fd, MARKER, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    *ret_found = fd >= 0;
    if (fd < 0) {
        return errno == ENOENT || failed(err, "open", MARKER);
    }
    own_buf text = {0};
    buf_init(&text, BLOB_STORE_ID_CHARS);
    uint8_t bytes[BLOB_STORE_ID_CHARS / 2];
    if (!file_read_all(fd, BLOB_STORE_ID_CHARS, &text, err) ||
        !hex_decode(buf_str(&text), bytes, sizeof(bytes))) {
        return err_set(err, ERR_CONFLICT, "no_blob_folder", "%s holds no id of a file store",
                       MARKER);
    }
    return str_to_c(buf_str(&text), folder->store.id, sizeof(folder->store.id), err);
}

/* What a killed server left in tmp/. That it cannot be removed is no reason not to start. */
static void remove_old_temporaries(const struct blob_folder *folder) {
    DIR *listing = open_listing(folder, TEMPORARY);
    int64_t now_ms = clock_utc_ms(folder->clock);
    const struct dirent *entry = NULL;
    while (listing != NULL && (entry = readdir(listing)) != NULL) {
        struct stat status;
        if (fstatat(dirfd(listing), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(status.st_mode) && now_ms - file_time_ms(&status) > TEMPORARY_MS_MAX) {
            (void)unlinkat(dirfd(listing), entry->d_name, 0);
        }
    }
    if (listing != NULL) {
        (void)closedir(listing);
    }
}

static bool make_store(struct blob_folder *folder, const char *path, struct err *err) {
    bool strangers = false;
    bool found = false;
    if (!has_strangers(folder, path, &strangers, err)) {
        return false;
    }
    if (strangers) {
        return err_set(err, ERR_CONFLICT, "no_blob_folder",
                       "%s holds other files; give an empty folder for the file store", path);
    }
    if (mkdirat(folder->root_fd, TEMPORARY, FOLDER_MODE) != 0 && errno != EEXIST) {
        return failed(err, "make", TEMPORARY);
    }
    return make_marker(folder, err) && read_marker(folder, &found, err) &&
           (found || failed(err, "read", MARKER));
}

static bool open_store(struct blob_folder *folder, const char *path, struct err *err) {
    bool found = false;
    if (!read_marker(folder, &found, err)) {
        return false;
    }
    if (found) {
        if (!folder->read_only) {
            remove_old_temporaries(folder);
        }
        return true;
    }
    if (folder->read_only) {
        return err_set(err, ERR_MISSING, "no_blob_folder", "%s is no file store", path);
    }
    return make_store(folder, path, err);
}

bool blob_folder_open(const struct blob_folder_options *options, struct blob_store **ret_store,
                      struct err *err) {
    if (!options->read_only && !file_make_dirs(options->path, FOLDER_MODE, err)) {
        return err_wrap(err, "file store");
    }
    own_fd root_fd = open(options->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (root_fd < 0 && errno == ENOENT) {
        return err_set(err, ERR_MISSING, "no_blob_folder", "%s is no file store", options->path);
    }
    if (root_fd < 0) {
        return failed(err, "open folder", options->path);
    }
    struct blob_folder folder = {.store.kind = &folder_kind,
                                 .read_only = options->read_only,
                                 .random = options->random,
                                 .clock = options->clock,
                                 .root_fd = root_fd};
    if (!open_store(&folder, options->path, err)) {
        return false;
    }
    struct blob_folder *kept = malloc(sizeof(*kept));
    CHECK(kept != NULL);
    *kept = folder;
    kept->root_fd = take_fd(&root_fd);
    *ret_store = &kept->store;
    return true;
}
