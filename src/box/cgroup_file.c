/* Reading and writing cgroup folders. */
#include "box/cgroup_file.h"

#include "box/cgroup_find.h"
#include "box/message.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FAILED message_code_name(CODE_FAILED)
#define DEPTH_MAX 4 /* parent, instance, slot, leaf */

bool cgroup_write(int dir, const char *name, const char *value, struct err *err) {
    own_fd fd = openat(dir, name, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) {
        return err_system(err, FAILED, "open the cgroup file %s", name);
    }
    ssize_t length = (ssize_t)strlen(value);
    if (write(fd, value, (size_t)length) != length) {
        return err_system(err, FAILED, "write %s to the cgroup file %s", value, name);
    }
    return true;
}

bool cgroup_write_i64(int dir, const char *name, int64_t value, struct err *err) {
    char text[32];
    snprintf(text, sizeof(text), "%lld", (long long)value);
    return cgroup_write(dir, name, text, err);
}

bool cgroup_limit(int dir, const char *name, int64_t value, struct err *err) {
    int64_t set = -1;
    if (!cgroup_write_i64(dir, name, value, err)) {
        return false;
    }
    if (!cgroup_read_i64(dir, name, &set) || set != value) {
        return err_set(err, ERR_SYSTEM, FAILED, "the kernel made %lld of the limit %s = %lld",
                       (long long)set, name, (long long)value);
    }
    return true;
}

bool cgroup_read(int dir, const char *name, char *out, size_t size) {
    own_fd fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    ssize_t got = fd < 0 ? -1 : pread(fd, out, size - 1, 0);
    out[got < 0 ? 0 : got] = '\0';
    return got >= 0;
}

bool cgroup_read_i64(int dir, const char *name, int64_t *ret_value) {
    char text[64];
    struct err err = {0};
    return cgroup_read(dir, name, text, sizeof(text)) &&
           str_to_i64(str_trim(str_from(text)), 0, INT64_MAX, ret_value, &err);
}

bool cgroup_read_key(int dir, const char *name, const char *key, int64_t *ret_value) {
    char text[4096];
    return cgroup_read(dir, name, text, sizeof(text)) && cgroup_key(str_from(text), key, ret_value);
}

bool cgroup_open_dir(int dir, const char *path, int *ret_fd, struct err *err) {
    *ret_fd = openat(dir, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return *ret_fd >= 0 ? true : err_system(err, FAILED, "open the cgroup %s", path);
}

bool cgroup_make(int dir, const char *name, int *ret_fd, struct err *err) {
    if (mkdirat(dir, name, 0755) != 0 && errno != EEXIST) {
        return err_system(err, FAILED, "make the cgroup %s", name);
    }
    return cgroup_open_dir(dir, name, ret_fd, err);
}

/* Calls `act` with each process number in a folder. */
static void each_process(int dir, void (*act)(int context, long pid), int context) {
    own_fd fd = openat(dir, "cgroup.procs", O_RDONLY | O_CLOEXEC);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
    if (file == NULL) {
        return;
    }
    (void)take_fd(&fd);
    char line[32];
    while (fgets(line, sizeof(line), file) != NULL) {
        int64_t pid = 0;
        struct err err = {0};
        if (str_to_i64(str_trim(str_from(line)), 1, INT32_MAX, &pid, &err)) {
            act(context, (long)pid);
        }
    }
    fclose(file);
}

static void kill_process(int context, long pid) {
    (void)context;
    kill((pid_t)pid, SIGKILL);
}

static void move_process(int to, long pid) {
    struct err err = {0};
    if (!cgroup_write_i64(to, "cgroup.procs", pid, &err)) {
        return; /* it has ended, or is a kernel thread; what is left shows when it matters */
    }
}

void cgroup_move_all(int from, int to) {
    each_process(from, move_process, to);
}

static bool remove_below(int dir, int depth) {
    own_fd copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = copy < 0 ? NULL : fdopendir(copy);
    if (list == NULL) {
        return false;
    }
    (void)take_fd(&copy);
    bool clean = true;
    for (struct dirent *entry = readdir(list); entry != NULL; entry = readdir(list)) {
        if (entry->d_type != DT_DIR || entry->d_name[0] == '.') {
            continue;
        }
        own_fd child = openat(dir, entry->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
        if (child >= 0) {
            each_process(child, kill_process, 0);
            clean = (depth == 0 || remove_below(child, depth - 1)) && clean;
        }
        clean = (unlinkat(dir, entry->d_name, AT_REMOVEDIR) == 0 || errno == ENOENT) && clean;
    }
    closedir(list);
    return clean;
}

bool cgroup_remove_tree(int dir, const char *name) {
    own_fd child = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (child < 0) {
        return errno == ENOENT;
    }
    each_process(child, kill_process, 0);
    bool clean = remove_below(child, DEPTH_MAX);
    return (unlinkat(dir, name, AT_REMOVEDIR) == 0 || errno == ENOENT) && clean;
}
