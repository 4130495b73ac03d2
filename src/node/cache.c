/* Names are 64 hex digits. What is being fetched is called "new-" and these, and whoever fetches it
 * has it locked: another slot or process waits for it instead of fetching the same, and a file
 * whose process was killed is known by having no lock. */
#include "node/cache.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/thread.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_CHARS 64
#define TEMPORARY_PREFIX "new-"
#define ENTRIES_MAX 100000
#define OTHERS_STEP_MS 20
#define OTHERS_MS_MAX 500 /* then the caller is asked whether it still wants it */
#define SEEN_MAX 4096     /* a power of two */
#define SCAN_PARTS 16     /* the folder is looked through when a part of its size was added */

struct cache {
    int folder_fd;
    int64_t bytes_max;
    struct mutex lock; /* bytes, trimming */
    int64_t bytes;
    int64_t added;              /* since the folder was looked through: others add to it too */
    uint8_t seen[SEEN_MAX][32]; /* contents that this process has checked, by their first bytes */
};

struct cache_wanted {
    struct digest digest;
    int64_t bytes; /* negative: any */
    char temporary[sizeof TEMPORARY_PREFIX + DIGEST_HEX_BYTES];
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

static bool is_named(const struct cache *cache, const char *name, int fd) {
    struct stat opened;
    struct stat named;
    return fstat(fd, &opened) == 0 &&
           fstatat(cache->folder_fd, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
           opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

/* Left by a process that is no more: nobody has it locked. */
static void remove_if_left(const struct cache *cache, const char *name) {
    own_fd fd = openat(cache->folder_fd, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 && is_named(cache, name, fd)) {
        (void)unlinkat(cache->folder_fd, name, 0);
    }
}

static void add_entry(struct entry *entries, size_t *count, const char *name,
                      const struct stat *info) {
    if (entries != NULL && *count < ENTRIES_MAX) {
        memcpy(entries[*count].name, name, NAME_CHARS + 1);
        entries[*count].bytes = info->st_size;
        entries[*count].used_ns =
            (int64_t)info->st_mtim.tv_sec * 1000000000 + info->st_mtim.tv_nsec;
        (*count)++;
    }
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
            remove_if_left(cache, item->d_name);
        } else if (is_entry_name(item->d_name) &&
                   fstatat(cache->folder_fd, item->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0) {
            bytes += info.st_size;
            add_entry(entries, &count, item->d_name, &info);
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
        int64_t aim = bytes > cache->bytes_max ? cache->bytes_max / 4 * 3 : bytes;
        qsort(entries, count, sizeof *entries, by_use);
        for (size_t i = 0; i < count && bytes > aim; i++) {
            if (unlinkat(cache->folder_fd, entries[i].name, 0) == 0) {
                bytes -= entries[i].bytes;
            }
        }
        cache->bytes = bytes;
        cache->added = 0;
    }
    free(entries);
}

static void note_added(struct cache *cache, int64_t bytes) {
    mutex_lock(&cache->lock);
    cache->bytes += bytes;
    cache->added += bytes;
    if (cache->bytes > cache->bytes_max || cache->added > cache->bytes_max / SCAN_PARTS) {
        trim_locked(cache);
    }
    mutex_unlock(&cache->lock);
}

/* ---- what was checked ---- */

static uint8_t *seen_place(struct cache *cache, const struct digest *digest) {
    return cache->seen[(digest->bytes[0] * 256 + digest->bytes[1]) % SEEN_MAX];
}

static bool is_seen(struct cache *cache, const struct digest *digest) {
    mutex_lock(&cache->lock);
    bool seen = memcmp(seen_place(cache, digest), digest->bytes, sizeof digest->bytes) == 0;
    mutex_unlock(&cache->lock);
    return seen;
}

static void note_seen(struct cache *cache, const struct digest *digest) {
    mutex_lock(&cache->lock);
    memcpy(seen_place(cache, digest), digest->bytes, sizeof digest->bytes);
    mutex_unlock(&cache->lock);
}

/* What another process has left is read once before it is believed. */
static bool is_whole(struct cache *cache, const struct digest *digest, int fd) {
    struct digest found = {0};
    struct err ignored = {0};
    int64_t bytes = 0;
    if (is_seen(cache, digest)) {
        return true;
    }
    if (!digest_of_fd(fd, ARTIFACT_BYTES_MAX, &found, &bytes, &ignored) ||
        !digest_equal(&found, digest) || lseek(fd, 0, SEEK_SET) != 0) {
        return false;
    }
    note_seen(cache, digest);
    return true;
}

/* ---- fetching ---- */

/* A file with another size or content (a disk that lost power keeps names longer than contents) is
 * none. */
static bool open_entry(struct cache *cache, const struct digest *digest, int64_t bytes,
                       int *ret_fd) {
    struct stat info;
    char name[DIGEST_HEX_BYTES];
    digest_hex(digest, name);
    int fd = openat(cache->folder_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) {
        return false;
    }
    if (fstat(fd, &info) != 0 || (bytes >= 0 && info.st_size != bytes) ||
        !is_whole(cache, digest, fd)) {
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

enum begun { BEGUN_OURS, BEGUN_OTHERS, BEGUN_FAILED };

static enum begun begin_new(struct cache *cache, const char *temporary, int *ret_fd,
                            struct err *err) {
    own_fd fd =
        openat(cache->folder_fd, temporary, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) {
        (void)err_system(err, "cache_failed", "cannot write into the artifact cache");
        err->fault = FAULT_NODE;
        return BEGUN_FAILED;
    }
    if (flock(fd, LOCK_EX | LOCK_NB) != 0 || !is_named(cache, temporary, fd)) {
        return BEGUN_OTHERS; /* they have it, or have just finished */
    }
    *ret_fd = take_fd(&fd);
    return BEGUN_OURS;
}

/* The lock of `fd` holds until it is closed. */
static bool fill_new(struct cache *cache, const struct cache_fetch *fetch,
                     const struct cache_wanted *wanted, int fd, struct err *err) {
    struct stat info;
    char name[DIGEST_HEX_BYTES];
    digest_hex(&wanted->digest, name);
    bool ok = ftruncate(fd, 0) == 0; /* half of it, of one that was killed */
    if (ok && !download(fetch, &wanted->digest, wanted->bytes, fd, err)) {
        return false;
    }
    if (!ok || fstat(fd, &info) != 0 || fsync(fd) != 0 ||
        renameat(cache->folder_fd, wanted->temporary, cache->folder_fd, name) != 0) {
        (void)err_system(err, "cache_failed", "cannot store an artifact");
        err->fault = FAULT_NODE;
        return false;
    }
    note_seen(cache, &wanted->digest);
    note_added(cache, info.st_size);
    return true;
}

/* *ret_again: others are at it. */
static bool fetch_entry(struct cache *cache, const struct cache_fetch *fetch,
                        const struct cache_wanted *wanted, int *ret_fd, bool *ret_again,
                        struct err *err) {
    own_fd fd = -1;
    enum begun begun = begin_new(cache, wanted->temporary, &fd, err);
    *ret_again = begun == BEGUN_OTHERS;
    if (begun != BEGUN_OURS) {
        return false;
    }
    bool there = open_entry(cache, &wanted->digest, wanted->bytes, ret_fd); /* by now */
    if (there || !fill_new(cache, fetch, wanted, fd, err)) {
        (void)unlinkat(cache->folder_fd, wanted->temporary, 0);
        return there;
    }
    if (!open_entry(cache, &wanted->digest, wanted->bytes, ret_fd)) {
        (void)err_system(err, "cache_failed", "the artifact cache does not keep what it got");
        err->fault = FAULT_NODE; /* trimmed at once: it is far too small */
        return false;
    }
    return true;
}

bool cache_get(struct cache *cache, const struct cache_fetch *fetch, const struct digest *digest,
               int64_t bytes, int *ret_fd, struct err *err) {
    struct cache_wanted wanted = {.digest = *digest, .bytes = bytes};
    char name[DIGEST_HEX_BYTES];
    digest_hex(digest, name);
    (void)snprintf(wanted.temporary, sizeof wanted.temporary, TEMPORARY_PREFIX "%s", name);
    bool again = true;
    for (int64_t waited_ms = 0; again && waited_ms <= OTHERS_MS_MAX; waited_ms += OTHERS_STEP_MS) {
        if (waited_ms > 0) {
            clock_sleep_ms(fetch->clock, OTHERS_STEP_MS);
        }
        if (open_entry(cache, digest, bytes, ret_fd) ||
            fetch_entry(cache, fetch, &wanted, ret_fd, &again, err)) {
            return true;
        }
    }
    if (again) {
        return err_fault(err, FAULT_NODE, ERR_BUSY, "artifact_busy",
                         "another slot is still fetching an artifact");
    }
    return false;
}
