/* Who uses a prepared folder, and which ones go. */
#include "judge/prepared.h"
#include "base/file.h"
#include "base/log.h"
#include "base/own.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define SEEN_MAX 4096 /* folders looked at in one go */
#define HALF_MADE_MS ((int64_t)24 * 60 * 60 * 1000)
#define MS_PER_S 1000

struct seen {
    char name[NAME_MAX + 1];
    int64_t used_ms;
};

static bool lock(int fd, int how) {
    int done = flock(fd, how);
    while (done != 0 && errno == EINTR) {
        done = flock(fd, how);
    }
    return done == 0;
}

/* Whether the path still leads to what is open. */
static bool is_there(const char *folder, int fd) {
    struct stat held;
    struct stat there;
    return fstat(fd, &held) == 0 && stat(folder, &there) == 0 && held.st_ino == there.st_ino &&
           held.st_dev == there.st_dev;
}

bool prepared_hold(const char *folder, int *ret_fd) {
    own_fd fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || !lock(fd, LOCK_SH) || !is_there(folder, fd)) {
        return false;
    }
    (void)futimens(fd, NULL); /* another user's: it keeps its time */
    *ret_fd = fd;
    fd = -1;
    return true;
}

static int by_use(const void *a, const void *b) {
    const struct seen *one = a;
    const struct seen *other = b;
    return (one->used_ms > other->used_ms) - (one->used_ms < other->used_ms);
}

static size_t look(const char *above, struct seen *seen) {
    size_t count = 0;
    DIR *folder = opendir(above);
    for (const struct dirent *entry = folder == NULL ? NULL : readdir(folder);
         entry != NULL && count < SEEN_MAX; entry = readdir(folder)) {
        struct stat status;
        if (entry->d_name[0] != '.' &&
            fstatat(dirfd(folder), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISDIR(status.st_mode)) {
            (void)snprintf(seen[count].name, sizeof seen[count].name, "%s", entry->d_name);
            seen[count++].used_ms =
                status.st_mtim.tv_sec * MS_PER_S + status.st_mtim.tv_nsec / 1000000;
        }
    }
    if (folder != NULL) {
        (void)closedir(folder);
    }
    return count;
}

/* Returns: it is gone. */
static bool remove_unused(const char *above, const char *name) {
    char path[PATH_MAX];
    char gone[PATH_MAX];
    struct err err = {0};
    int length = snprintf(path, sizeof path, "%s/%s", above, name);
    if (length < 0 || (size_t)length >= sizeof path) {
        return false;
    }
    own_fd fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || !lock(fd, LOCK_EX | LOCK_NB) || !is_there(path, fd)) {
        return false;
    }
    /* First out of its place: nobody may find the half that is left if this process is killed. */
    int gone_length = snprintf(gone, sizeof gone, "%s.gone-%ld", path, (long)getpid());
    if (gone_length < 0 || (size_t)gone_length >= sizeof gone || rename(path, gone) != 0) {
        return false;
    }
    if (!file_remove_tree(gone, &err)) {
        log_debug("language.leftover", LOG_STR("error", err.text));
        return false;
    }
    return true;
}

void prepared_prune(const char *above, int keep, int64_t now_utc_ms) {
    struct seen *seen = calloc(SEEN_MAX, sizeof *seen);
    if (seen == NULL) {
        return;
    }
    size_t count = look(above, seen);
    size_t whole = 0;
    for (size_t i = 0; i < count; i++) {
        whole += strchr(seen[i].name, '.') == NULL ? 1 : 0;
    }
    qsort(seen, count, sizeof *seen, by_use);
    for (size_t i = 0; i < count; i++) {
        bool is_whole = strchr(seen[i].name, '.') == NULL;
        bool goes = is_whole ? whole > (size_t)keep : now_utc_ms - seen[i].used_ms > HALF_MADE_MS;
        if (goes && remove_unused(above, seen[i].name) && is_whole) {
            whole--;
        }
    }
    free(seen);
}
