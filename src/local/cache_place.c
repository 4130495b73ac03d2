/* Where local commands keep things. */
#include "local/cache_place.h"

#include "base/file.h"
#include "base/log.h"
#include "local/rights.h"
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROOT_FOLDER "/var/cache/assize"
#define NOBODY_FOLDER ROOT_FOLDER "/nobody"

static bool is_absolute(const char *path) {
    return path != NULL && path[0] == '/';
}

/* The folder for caches of the user whose home this is. */
static bool user_place(const char *home, char *ret_path, size_t path_bytes) {
    char resolved[PATH_MAX];
    const char *given = rights_sudo_uid() == 0 ? getenv("XDG_CACHE_HOME") : NULL;
    bool has_given = is_absolute(given) && realpath(given, resolved) != NULL;
    if (!has_given && (!is_absolute(home) || realpath(home, resolved) == NULL)) {
        return false;
    }
    int length =
        snprintf(ret_path, path_bytes, "%s%s/assize", resolved, has_given ? "" : "/.cache");
    return length > 0 && (size_t)length < path_bytes;
}

static bool nobody_place(char *ret_path, size_t path_bytes) {
    struct err err = {0};
    if (!file_make_dirs(NOBODY_FOLDER, 0755, &err) ||
        chown(NOBODY_FOLDER, RIGHTS_NOBODY, RIGHTS_NOBODY) != 0 ||
        chmod(NOBODY_FOLDER, 0700) != 0) {
        return false;
    }
    return str_to_c(STR(NOBODY_FOLDER), ret_path, path_bytes, &err);
}

bool cache_place_find(char *ret_path, size_t path_bytes) {
    uid_t sudo = rights_sudo_uid();
    if (geteuid() == 0 && sudo == 0) {
        return nobody_place(ret_path, path_bytes);
    }
    const struct passwd *entry = getpwuid(sudo != 0 ? sudo : geteuid());
    return entry != NULL && user_place(entry->pw_dir, ret_path, path_bytes);
}

bool cache_place_make(const char *path) {
    struct err err = {0};
    return file_make_dirs(path, 0700, &err) && access(path, R_OK | W_OK | X_OK) == 0;
}
