/* The root that every run of a launcher sees: a tmpfs with a handful of folders, links and devices,
 * and the roots asked for, bound read-only. Built by real root in a mount namespace of its own, so
 * that in the user namespace made afterwards every one of these mounts is locked: even a process
 * with all capabilities there can neither remove one nor make it writable. */
#include "box/launch.h"

#include "base/file.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FAILED message_codes[CODE_FAILED]
#define PATH_BYTES (MESSAGE_ROOT_BYTES_MAX + 16)
#define STAGING "/proc" /* always there; the host's is not needed any more, and is covered */

struct link_row {
    const char *path;
    const char *target;
};

/* Programs open their input by these names. /dev/shm is where libc puts named shared memory. */
static const struct link_row links[] = {
    {"dev/fd", "/proc/self/fd"},
    {"dev/stdin", "/proc/self/fd/0"},
    {"dev/stdout", "/proc/self/fd/1"},
    {"dev/stderr", "/proc/self/fd/2"},
    {"dev/shm", "/tmp"},
};
static const char *const folders[] = {"dev", "proc", "w", "tmp"};
static const char *const devices[] = {"null", "zero", "full", "urandom"};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* Something to mount on: a folder, or an empty file. */
static bool make_place(int dir, const char *path, bool folder, struct err *err) {
    bool made = folder ? mkdirat(dir, path, 0755) == 0 || errno == EEXIST
                       : mknodat(dir, path, S_IFREG | 0644, 0) == 0;
    return made || err_system(err, FAILED, "make %s in the new root", path);
}

/* Makes the folders above the last part of a relative path. */
static bool make_parents(int dir, const char *path, struct err *err) {
    char part[PATH_BYTES];
    for (const char *slash = strchr(path, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        snprintf(part, sizeof(part), "%.*s", (int)(slash - path), path);
        if (!make_place(dir, part, true, err)) {
            return false;
        }
    }
    return true;
}

/* Binds what `source` names to `target` below `dir`, with the attributes `attr_set` on it and on
 * everything mounted below it. */
static bool bind(int source, int dir, const char *target, unsigned long long attr_set,
                 struct err *err) {
    struct mount_attr attr = {.attr_set = attr_set};
    own_fd tree =
        open_tree(source, "", AT_EMPTY_PATH | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
    if (tree < 0) {
        return err_system(err, FAILED, "open_tree of /%s", target);
    }
    if (mount_setattr(tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &attr, sizeof(attr)) != 0) {
        return err_system(err, FAILED, "make /%s read-only", target);
    }
    if (move_mount(tree, "", dir, target, MOVE_MOUNT_F_EMPTY_PATH) != 0) {
        return err_system(err, FAILED, "mount /%s", target);
    }
    return true;
}

static bool copy_link(int source, int dir, const char *path, struct err *err) {
    char target[PATH_BYTES];
    ssize_t length = readlinkat(source, "", target, sizeof(target) - 1);
    if (length < 0) {
        return err_system(err, FAILED, "read the link /%s", path);
    }
    target[length] = '\0';
    return symlinkat(target, dir, path) == 0 ? true
                                             : err_system(err, FAILED, "make the link /%s", path);
}

/* One root. Opened without following a link anywhere, so that what is bound lies where the
 * allow-list says; a link itself (/lib64 of a merged /usr) is copied as a link. */
static bool add_root(int host, int dir, const char *path, struct err *err) {
    struct open_how how = {
        .flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
        .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
    };
    own_fd source = (int)syscall(SYS_openat2, host, path, &how, sizeof(how));
    struct stat stat = {0};
    if (source < 0 || fstat(source, &stat) != 0) {
        return err_system(err, FAILED, "open the root /%s (it must not lead over links)", path);
    }
    if (!make_parents(dir, path, err)) {
        return false;
    }
    if (S_ISLNK(stat.st_mode)) {
        return copy_link(source, dir, path, err);
    }
    return make_place(dir, path, S_ISDIR(stat.st_mode), err) &&
           bind(source, dir, path, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, err);
}

static bool add_devices(int host, int dir, struct err *err) {
    for (size_t i = 0; i < COUNT(devices); i++) {
        char path[32];
        snprintf(path, sizeof(path), "dev/%s", devices[i]);
        own_fd source = openat(host, path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
        if (source < 0) {
            return err_system(err, FAILED, "open /%s", path);
        }
        if (!make_place(dir, path, false, err) ||
            !bind(source, dir, path, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC,
                  err)) {
            return false;
        }
    }
    return true;
}

static bool fill(int host, int dir, const char *const *roots, struct err *err) {
    for (size_t i = 0; i < COUNT(folders); i++) {
        if (!make_place(dir, folders[i], true, err)) {
            return false;
        }
    }
    for (size_t i = 0; i < COUNT(links); i++) {
        if (symlinkat(links[i].target, dir, links[i].path) != 0) {
            return err_system(err, FAILED, "make /%s", links[i].path);
        }
    }
    if (!add_devices(host, dir, err)) {
        return false;
    }
    for (size_t i = 0; roots[i] != NULL; i++) {
        if (!add_root(host, dir, roots[i] + 1, err)) {
            return false;
        }
    }
    return true;
}

/* The new root over the old one, the old one away, the new one closed against writing. */
static bool enter(int dir, struct err *err) {
    struct mount_attr attr = {.attr_set =
                                  MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC};
    if (fchdir(dir) != 0 || syscall(SYS_pivot_root, ".", ".") != 0) {
        return err_system(err, FAILED,
                          "pivot_root (on an initial ramdisk: switch to a real root first)");
    }
    if (umount2(".", MNT_DETACH) != 0 || chdir("/") != 0) {
        return err_system(err, FAILED, "detach the old root");
    }
    if (mount_setattr(AT_FDCWD, "/", 0, &attr, sizeof(attr)) != 0) {
        return err_system(err, FAILED, "close the new root");
    }
    return true;
}

bool root_build(const char *const *roots, struct err *err) {
    if (mount("", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) {
        return err_system(err, FAILED, "make the mounts private");
    }
    own_fd host = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (mount("root", STAGING, "tmpfs", 0, "size=256k,nr_inodes=512,mode=0755") != 0) {
        return err_system(err, FAILED, "mount a tmpfs for the new root");
    }
    own_fd dir = open(STAGING, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (host < 0 || dir < 0) {
        return err_system(err, FAILED, "open the new root");
    }
    if (!fill(host, dir, roots, err)) {
        return false;
    }
    /* A whole /proc must be visible here, or the kernel refuses each run one of its own. Runs mount
     * theirs over it. */
    if (fchdir(dir) != 0 ||
        mount("proc", "proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) != 0) {
        return err_system(err, FAILED, "mount /proc");
    }
    return enter(dir, err);
}
