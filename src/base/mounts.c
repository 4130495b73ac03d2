#include "base/mounts.h"

#include "base/own.h"
#include <fcntl.h>
#include <sys/mount.h>

bool mount_bind(int source, const char *target, unsigned long long attr_set, struct err *err) {
    struct mount_attr attr = {.attr_set = attr_set};
    own_fd tree =
        open_tree(source, "", AT_EMPTY_PATH | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
    return tree >= 0 &&
                   mount_setattr(tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &attr, sizeof(attr)) ==
                       0 &&
                   move_mount(tree, "", AT_FDCWD, target, MOVE_MOUNT_F_EMPTY_PATH) == 0
               ? true
               : err_system(err, "mount_bind", "bind %s", target);
}
