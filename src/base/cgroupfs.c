#include "base/cgroupfs.h"

#include "base/file.h"
#include "base/own.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#define PROCS_BYTES (64 * 1024)

bool cgroupfs_is(const char *path, bool version2) {
    struct statfs mounted = {0};
    return statfs(path, &mounted) == 0 &&
           mounted.f_type == (version2 ? CGROUP2_SUPER_MAGIC : CGROUP_SUPER_MAGIC);
}

struct str cgroupfs_own(struct str self, const char *controller) {
    struct str line = STR("");
    while (str_next_line(&self, &line)) {
        struct str number = STR("");
        struct str names = STR("");
        struct str path = STR("");
        if (!str_cut(line, ':', &number, &path) || !str_cut(path, ':', &names, &path)) {
            continue;
        }
        bool found = controller[0] == '\0' && names.len == 0;
        for (bool more = names.len > 0; more && !found;) {
            struct str name = STR("");
            more = str_cut(names, ',', &name, &names);
            found = str_eq_c(name, controller);
        }
        if (found) {
            return path;
        }
    }
    return STR("/");
}

int cgroupfs_open(int dir, const char *name) {
    return openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
}

bool cgroupfs_make(int dir, const char *name, int *ret_fd, struct err *err) {
    bool made = mkdirat(dir, name, 0755) == 0 || errno == EEXIST;
    *ret_fd = made ? cgroupfs_open(dir, name) : -1;
    return *ret_fd >= 0 ? true : err_system(err, "cgroupfs_make", "make the cgroup %s", name);
}

/* Kills each process of a folder, or writes its number to `to`. */
static void each_process(int dir, int to) {
    static char text[PROCS_BYTES];
    (void)file_read_at(dir, "cgroup.procs", text, sizeof(text));
    struct str rest = str_from(text);
    struct str word = STR("");
    while (str_next_word(&rest, &word)) {
        int64_t pid = 0;
        struct err err = {0};
        if (!str_to_i64(word, 1, INT32_MAX, &pid, &err)) {
            continue;
        }
        if (to < 0) {
            kill((pid_t)pid, SIGKILL);
        } else {
            (void)!file_write_i64_at(to, "cgroup.procs", pid, &err); /* it may have ended */
        }
    }
}

void cgroupfs_move_all(int dir, int to) {
    each_process(dir, to);
}

/* Recurses as deep as folders were made, by those who may. */
bool cgroupfs_remove(int dir, const char *name) {
    own_fd child = cgroupfs_open(dir, name);
    if (child < 0) {
        return errno == ENOENT;
    }
    each_process(child, -1);
    bool clean = file_each_folder(child, cgroupfs_remove);
    return (unlinkat(dir, name, AT_REMOVEDIR) == 0 || errno == ENOENT) && clean;
}
