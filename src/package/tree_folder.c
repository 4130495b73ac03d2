/* A package from a folder. Every name is opened from the folder itself by openat2 with
 * RESOLVE_BENEATH: links may point around inside it, and none leads out, whoever changes the folder
 * meanwhile. */
#include "base/check.h"
#include "base/limits.h"
#include "base/path.h"
#include "package/tree_internal.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PATH_BYTES (PACKAGE_PATH_BYTES_MAX + 300)

static int open_beneath(int root_fd, const char *path, int flags) {
    struct open_how how = {.flags = (uint64_t)(unsigned)(flags | O_CLOEXEC),
                           .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
    return (int)syscall(SYS_openat2, root_fd, path, &how, sizeof(how));
}

static bool open_error(const char *path, struct err *err) {
    switch (errno) {
    case EXDEV: return tree_refuse(err, str_from(path), "this link leads outside the package");
    case ENOENT: return tree_refuse(err, str_from(path), "this link leads to nothing");
    case ELOOP: return tree_refuse(err, str_from(path), "this link leads to itself");
    case ENOSYS:
        return err_system(err, "kernel_too_old", "folders need Linux 5.6 or newer (openat2)");
    default: return err_system(err, "file_failed", "cannot open %s", path);
    }
}

static void dir_close(DIR **dir) {
    if (*dir != NULL) {
        closedir(*dir);
    }
}

static bool walk(struct package_tree *tree, const char *path, int depth, struct err *err);

static bool visit(struct package_tree *tree, const char *path, int depth, struct err *err) {
    struct stat status = {0};
    bool ignored = false;
    if (!tree_accept(tree, str_from(path), &ignored, err) || ignored) {
        return ignored;
    }
    own_fd fd = open_beneath(tree->folder_fd, path, O_PATH);
    if (fd < 0 || fstat(fd, &status) != 0) {
        return open_error(path, err);
    }
    if (S_ISDIR(status.st_mode)) {
        return walk(tree, path, depth + 1, err);
    }
    if (!S_ISREG(status.st_mode)) {
        return tree_refuse(err, str_from(path), "it is neither a plain file nor a folder");
    }
    const struct package_file file = {.name = str_from(path),
                                      .bytes = status.st_size,
                                      .executable = (status.st_mode & S_IXUSR) != 0};
    return tree_add(tree, &file, err);
}

/* Recursion ends at PACKAGE_DEPTH_MAX, because path_is_plain refuses deeper names; so a link to a
 * folder above itself ends there too. */
static bool walk(struct package_tree *tree, const char *path, int depth, struct err *err) {
    CHECK(depth <= PACKAGE_DEPTH_MAX);
    own_fd fd = open_beneath(tree->folder_fd, path, O_RDONLY | O_DIRECTORY);
    __attribute__((cleanup(dir_close))) DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (dir == NULL) {
        return open_error(path, err);
    }
    take_fd(&fd); /* closedir closes it */
    struct dirent *entry = NULL;
    while ((entry = readdir(dir)) != NULL) {
        char below[PATH_BYTES];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) {
            continue;
        }
        if (!path_is_name(str_from(entry->d_name))) {
            tree->ignored++; /* the package format leaves such names out as well */
            continue;
        }
        bool top = strcmp(path, ".") == 0;
        int length = snprintf(below, sizeof(below), "%s%s%s", top ? "" : path, top ? "" : "/",
                              entry->d_name);
        CHECK(length > 0 && (size_t)length < sizeof(below));
        if (!visit(tree, below, depth, err)) {
            return false;
        }
    }
    return true;
}

bool package_tree_open_folder(int folder_fd, struct package_tree **ret_tree, struct err *err) {
    own(package_tree) tree = tree_create();
    tree->folder_fd = fcntl(folder_fd, F_DUPFD_CLOEXEC, 0);
    if (tree->folder_fd < 0) {
        return err_system(err, "file_failed", "cannot keep the folder open");
    }
    if (!walk(tree, ".", 0, err) || !tree_finish(tree, false, err)) {
        return false;
    }
    *ret_tree = take(tree);
    return true;
}
