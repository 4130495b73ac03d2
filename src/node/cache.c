/* Names are 64 hex digits; temporary names begin with "new-". */
#include "node/cache.h"
#include "base/check.h"
#include "base/file.h"
#include "base/thread.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_CHARS 64
#define TEMPORARY_PREFIX "new-"
#define ENTRIES_MAX 100000

struct cache {
    int folder_fd;
    int64_t bytes_max;
    struct mutex lock; /* bytes, trimming */
    int64_t bytes;
    uint64_t serial;
};

struct entry {
    char name[NAME_CHARS + 1];
    int64_t bytes;
    int64_t used_ns;
};

static bool is_entry_name(const char *name) {
    uint8_t unused[NAME_CHARS / 2];
    return hex_decode(str_from(name), unused, sizeof unused);
}

/* Lists the whole files; removes what an earlier process left half-written when `clean`. */
static bool scan(struct cache *cache, bool clean, struct entry *entries, size_t *ret_count,
                 int64_t *ret_bytes) {
    int fd = fcntl(cache->folder_fd, F_DUPFD_CLOEXEC, 0);
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);
    if (folder == NULL) {
        fd_cleanup(&fd);
        return false;
    }
    rewinddir(folder);
    size_t count = 0;
    int64_t bytes = 0;
    for (struct dirent *item = readdir(folder); item != NULL; item = readdir(folder)) {
        struct stat info;
        if (clean && strncmp(item->d_name, TEMPORARY_PREFIX, strlen(TEMPORARY_PREFIX)) == 0) {
            (void)unlinkat(cache->folder_fd, item->d_name, 0);
        } else if (is_entry_name(item->d_name) && count < ENTRIES_MAX &&
                   fstatat(cache->folder_fd, item->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0) {
            bytes += info.st_size;
            if (entries != NULL) {
                memcpy(entries[count].name, item->d_name, NAME_CHARS + 1);
                entries[count].bytes = info.st_size;
                entries[count].used_ns =
                    (int64_t)info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec;
            }
            count++;
        }
    }
    closedir(folder);
    *ret_count = count;
    *ret_bytes = bytes;
    return true;
}

bool cache_open(const char *folder, int64_t bytes_max, struct cache **ret_cache, struct err *err) {
    size_t count = 0;
    int64_t bytes = 0;
    if (!file_make_dirs(folder, 0700, err)) {
        return err_wrap(err, "artifact cache");
    }
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        return err_system(err, "cache_failed", "cannot open the artifact cache %s", folder);
    }
    struct cache *cache = calloc(1, sizeof *cache);
    CHECK(cache != NULL);
    cache->folder_fd = fd;
    cache->bytes_max = bytes_max;
    mutex_init(&cache->lock);
    if (!scan(cache, true, NULL, &count, &bytes)) {
        cache_close(cache);
        return err_system(err, "cache_failed", "cannot read the artifact cache %s", folder);
    }
    cache->bytes = bytes;
    *ret_cache = cache;
    return true;
}

void cache_close(struct cache *cache) {
    if (cache != NULL) {
        fd_cleanup(&cache->folder_fd);
        mutex_done(&cache->lock);
        free(cache);
    }
}

/* ---- making room ---- */

static int by_use(const void *a, const void *b) {
    const struct entry *left = a;
    const struct entry *right = b;
    return left->used_ns < right->used_ns ? -1 : left->used_ns > right->used_ns;
}

/* Down to three quarters, so that not every fetch scans. With the lock held. */
static void trim_locked(struct cache *cache) {
    struct entry *entries = calloc(ENTRIES_MAX, sizeof *entries);
    size_t count = 0;
    int64_t bytes = 0;
    CHECK(entries != NULL);
    if (scan(cache, false, entries, &count, &bytes)) {
        qsort(entries, count, sizeof *entries, by_use);
        for (size_t i = 0; i < count && bytes > cache->bytes_max / 4 * 3; i++) {
            if (unlinkat(cache->folder_fd, entries[i].name, 0) == 0) {
                bytes -= entries[i].bytes;
            }
        }
        cache->bytes = bytes;
    }
    free(entries);
}

static void note_added(struct cache *cache, int64_t bytes) {
    mutex_lock(&cache->lock);
    cache->bytes += bytes;
    if (cache->bytes > cache->bytes_max) {
        trim_locked(cache);
    }
    mutex_unlock(&cache->lock);
}

/* ---- fetching ---- */

/* A file whose size is another (a disk that lost power keeps names longer than contents) is none.
 */
static bool open_entry(struct cache *cache, const char *name, int64_t bytes, int *ret_fd) {
    struct stat info;
    int fd = openat(cache->folder_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) {
        return false;
    }
    if (fstat(fd, &info) != 0 || (bytes >= 0 && info.st_size != bytes)) {
        (void)unlinkat(cache->folder_fd, name, 0);
        close(fd);
        return false;
    }
    (void)futimens(fd, NULL); /* used now; fails harmlessly when the file is another user's */
    *ret_fd = fd;
    return true;
}

static bool check_content(int fd, const struct digest *digest, int64_t expected, int64_t got,
                          struct err *err) {
    struct digest found = {0};
    int64_t read_bytes = 0;
    if (!digest_of_fd(fd, ARTIFACT_BYTES_MAX, &found, &read_bytes, err)) {
        err->fault = FAULT_NODE;
        return err_wrap(err, "check an artifact");
    }
    if ((expected >= 0 && got != expected) || !digest_equal(&found, digest)) {
        return err_fault(err, FAULT_NODE, ERR_SYSTEM, "artifact_damaged",
                         "an artifact of %lld bytes arrived with another content",
                         (long long)expected);
    }
    return true;
}

static bool download(const struct cache_fetch *fetch, const struct digest *digest, int64_t bytes,
                     int fd, struct err *err) {
    struct machine_artifact request = {.session_epoch = fetch->session_epoch,
                                       .lease = fetch->lease,
                                       .digest = *digest,
                                       .bytes_max = bytes >= 0 ? bytes : ARTIFACT_BYTES_MAX};
    int64_t got = 0;
    if (!fetch->api->artifact(fetch->api->context, &request, fd, &got, err)) {
        err->fault = err->kind == ERR_MISSING ? FAULT_PROBLEM : FAULT_NODE;
        return err_wrap(err, "fetch an artifact");
    }
    return check_content(fd, digest, bytes, got, err);
}

static bool fetch_entry(struct cache *cache, const struct cache_fetch *fetch,
                        const struct digest *digest, int64_t bytes, const char *name,
                        struct err *err) {
    char temporary[64];
    mutex_lock(&cache->lock);
    (void)snprintf(temporary, sizeof temporary, TEMPORARY_PREFIX "%d-%llu", getpid(),
                   (unsigned long long)++cache->serial);
    mutex_unlock(&cache->lock);
    own_fd fd = openat(cache->folder_fd, temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) {
        (void)err_system(err, "cache_failed", "cannot write into the artifact cache");
        err->fault = FAULT_NODE;
        return false;
    }
    struct stat info;
    bool ok = download(fetch, digest, bytes, fd, err);
    if (ok && (fstat(fd, &info) != 0 || fsync(fd) != 0 ||
               renameat(cache->folder_fd, temporary, cache->folder_fd, name) != 0)) {
        ok = err_system(err, "cache_failed", "cannot store an artifact");
        err->fault = FAULT_NODE;
    }
    if (!ok) {
        (void)unlinkat(cache->folder_fd, temporary, 0);
        return false;
    }
    note_added(cache, info.st_size);
    return true;
}

bool cache_get(struct cache *cache, const struct cache_fetch *fetch, const struct digest *digest,
               int64_t bytes, int *ret_fd, struct err *err) {
    char name[DIGEST_HEX_BYTES];
    digest_hex(digest, name);
    if (open_entry(cache, name, bytes, ret_fd)) {
        return true;
    }
    if (!fetch_entry(cache, fetch, digest, bytes, name, err)) {
        return false;
    }
    if (!open_entry(cache, name, bytes, ret_fd)) { /* trimmed at once: the cache is far too small */
        (void)err_system(err, "cache_failed", "the artifact cache does not keep what it got");
        err->fault = FAULT_NODE;
        return false;
    }
    return true;
}
