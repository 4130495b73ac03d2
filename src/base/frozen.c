#include "base/frozen.h"

#include "base/own.h"
#include "base/packet.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#define SEALS (F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK)

bool fd_is_frozen(int fd) {
    int seals = fcntl(fd, F_GET_SEALS);
    return seals >= 0 && (seals & SEALS) == SEALS;
}

/* A memory file of our own with the same bytes. */
static bool copy_bytes(int fd, int64_t bytes, int *ret_fd, struct err *err) {
    own_fd copy = memfd_create("frozen", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    off_t at = 0;
    while (copy >= 0 && at < bytes && sendfile(copy, fd, &at, (size_t)(bytes - at)) > 0) {
        continue;
    }
    if (copy < 0 || at != bytes || fcntl(copy, F_ADD_SEALS, SEALS) != 0) {
        return err_system(err, "fd_freeze", "copy a file");
    }
    return fd_reopen(copy, O_RDONLY, ret_fd, err);
}

static bool freeze(int fd, bool copy, int *ret_fd, struct err *err) {
    struct stat stat = {0};
    if (fstat(fd, &stat) != 0 || !S_ISREG(stat.st_mode)) {
        return err_set(err, ERR_INVALID, "fd_freeze", "only a plain file can be frozen");
    }
    int seals = fcntl(fd, F_GET_SEALS);
    bool sealed = fd_is_frozen(fd) || (seals >= 0 && fcntl(fd, F_ADD_SEALS, SEALS) == 0);
    bool open_to_all = (stat.st_mode & (S_IWOTH | S_IROTH)) == S_IROTH;
    return sealed || (!copy && seals < 0 && open_to_all)
               ? fd_reopen(fd, O_RDONLY, ret_fd, err)
               : copy_bytes(fd, stat.st_size, ret_fd, err);
}

bool fd_freeze(int fd, int *ret_fd, struct err *err) {
    return freeze(fd, false, ret_fd, err);
}

bool fd_freeze_copy(int fd, int *ret_fd, struct err *err) {
    return freeze(fd, true, ret_fd, err);
}
