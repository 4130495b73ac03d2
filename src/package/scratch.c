/* Anonymous files for what is unpacked or rewritten. */
#include "package/scratch.h"

#include "base/check.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/own.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define STEP_BYTES ((size_t)64 * KIB)
#define MEMORY_BYTES_MAX (1 * MIB) /* small files do not touch a disk */

static int open_in(const char *folder) {
    return folder == NULL ? -1 : open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

static int open_in_memory(void) {
    return memfd_create("package", MFD_CLOEXEC);
}

bool scratch_create(int *ret_fd, struct err *err) {
    const char *const folders[] = {getenv("TMPDIR"), "/var/tmp", "/tmp"};
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        int fd = open_in(folders[i]);
        if (fd >= 0) {
            *ret_fd = fd;
            return true;
        }
    }
    int fd = open_in_memory();
    if (fd < 0) {
        return err_system(err, "scratch_failed", "cannot make a temporary file");
    }
    *ret_fd = fd;
    return true;
}

static bool copy_bytes(int from_fd, int64_t offset, int64_t bytes, int to_fd, struct err *err) {
    own_text step = malloc(STEP_BYTES);
    CHECK(step != NULL);
    while (bytes > 0) {
        size_t want = bytes < (int64_t)STEP_BYTES ? (size_t)bytes : STEP_BYTES;
        ssize_t got = pread(from_fd, step, want, offset);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return err_system(err, "read_failed", "cannot read an unpacked file");
        }
        if (!file_write_all(to_fd, str_of(step, (size_t)got), err)) {
            return false;
        }
        offset += got;
        bytes -= got;
    }
    return true;
}

bool scratch_copy(int from_fd, int64_t offset, int64_t bytes, int *ret_fd, struct err *err) {
    own_fd fd = bytes <= MEMORY_BYTES_MAX ? open_in_memory() : -1;
    if (fd < 0 && !scratch_create(&fd, err)) {
        return false;
    }
    if (!copy_bytes(from_fd, offset, bytes, fd, err)) {
        return false;
    }
    if (lseek(fd, 0, SEEK_SET) != 0) {
        return err_system(err, "scratch_failed", "cannot rewind a temporary file");
    }
    *ret_fd = take_fd(&fd);
    return true;
}
