/* The root that every run of a launcher sees: a tmpfs with a handful of folders, links and devices,
 * and the roots asked for, bound read-only. Built by real root in a mount namespace of its own, so
 * that in the user namespace made afterwards every one of these mounts is locked: even a process
 * with all capabilities there can neither remove one nor make it writable. */
#include "box/launch.h"

#include "base/file.h"
#include "base/mounts.h"
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
#define STAGING "/sys" /* always there and not needed; /proc must stay uncovered: see below */
#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

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
static const char *const devices[] = {"dev/null", "dev/zero", "dev/full", "dev/urandom"};

/* Something to mount on, in the new root, which is the working folder: a folder or an empty file,
 * and the folders above it. */
static bool make_place(const char *path, bool folder, struct err *err) {
    char above[MESSAGE_ROOT_BYTES_MAX];
    const char *slash = strrchr(path, '/');
    snprintf(above, sizeof(above), "%.*s", slash == NULL ? 1 : (int)(slash - path),
             slash == NULL ? "." : path);
    if (!file_make_dirs(folder ? path : above, 0755, err)) {
        return false;
    }
    return folder || mknod(path, S_IFREG | 0644, 0) == 0 ||
           err_system(err, FAILED, "make %s in the new root", path);
}

static bool make_link(const char *path, const char *target, struct err *err) {
    return symlink(target, path) == 0 ||
           err_system(err, FAILED, "make the link %s in the new root", path);
}

/* One root. Opened without following a link anywhere, so that what is bound lies where the
 * allow-list says; a link itself (/lib64 of a merged /usr) is copied as a link. */
static bool add_root(int host, const char *root, struct err *err) {
    char target[MESSAGE_ROOT_BYTES_MAX] = "";
    char place[BOX_PLACE_BYTES];
    const char *path = box_root_place(root, place) + 1;
    struct open_how how = {
        .flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
        .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
    };
    struct stat stat = {0};
    own_fd source = (int)syscall(SYS_openat2, host, root + 1, &how, sizeof(how));
    if (source < 0 || fstat(source, &stat) != 0) {
        return err_system(err, FAILED, "open the root %s (it must not lead over links)", root);
    }
    if (S_ISLNK(stat.st_mode)) {
        return readlinkat(source, "", target, sizeof(target) - 1) > 0 &&
               make_place(path, false, err) && unlink(path) == 0 && make_link(path, target, err);
    }
    return make_place(path, S_ISDIR(stat.st_mode), err) &&
           mount_bind(source, path, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, err);
}

static bool add_device(int host, const char *path, struct err *err) {
    own_fd source = openat(host, path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    return make_place(path, false, err) &&
           mount_bind(source, path, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC, err);
}

static bool fill(int host, const char *const *roots, struct err *err) {
    bool made = true;
    for (size_t i = 0; made && i < COUNT(folders); i++) {
        made = make_place(folders[i], true, err);
    }
    for (size_t i = 0; made && i < COUNT(links); i++) {
        made = make_link(links[i].path, links[i].target, err);
    }
    for (size_t i = 0; made && i < COUNT(devices); i++) {
        made = add_device(host, devices[i], err);
    }
    for (size_t i = 0; made && roots[i] != NULL; i++) {
        made = add_root(host, roots[i], err);
    }
    return made;
}

/* The new root over the old one, the old one away, the new one closed against writing. */
static bool enter(struct err *err) {
    struct mount_attr attr = {.attr_set =
                                  MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC};
    if (syscall(SYS_pivot_root, ".", ".") != 0) {
        return err_system(err, FAILED,
                          "pivot_root (on an initial ramdisk: switch to a real root first)");
    }
    return (umount2(".", MNT_DETACH) == 0 && chdir("/") == 0 &&
            mount_setattr(AT_FDCWD, "/", 0, &attr, sizeof(attr)) == 0) ||
           err_system(err, FAILED, "leave the old root");
}

bool root_build(const char *const *roots, struct err *err) {
    own_fd host = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (mount("", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("root", STAGING, "tmpfs", 0, "size=256k,nr_inodes=512,mode=0755") != 0 ||
        chdir(STAGING) != 0) {
        return err_system(err, FAILED, "mount a tmpfs for the new root");
    }
    if (!fill(host, roots, err)) {
        return false;
    }
    /* A whole /proc must be visible here, or the kernel refuses each run one of its own. Runs mount
     * theirs over it. */
    if (mount("proc", "proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) != 0) {
        return err_system(err, FAILED, "mount /proc");
    }
    return enter(err);
}
