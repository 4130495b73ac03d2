#include "blob/blob_copy.h"

#include "base/buf.h"
#include "base/check.h"
#include "base/file.h"
#include "base/limits.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define STEP_BYTES ((size_t)64 * KIB)

struct writing {
    int fd;
    int64_t bytes;
    int64_t bytes_max;
    struct digest_stream digest;
};

static bool write_piece(struct writing *writing, struct str piece, struct err *err) {
    if ((int64_t)piece.len > writing->bytes_max - writing->bytes) {
        return err_set(err, ERR_TOO_LARGE, "too_large", "the file is larger than %lld bytes",
                       (long long)writing->bytes_max);
    }
    writing->bytes += (int64_t)piece.len;
    digest_add(&writing->digest, piece);
    return file_write_all(writing->fd, piece, err);
}

static bool copy_fd(int from, struct writing *writing, struct err *err) {
    own_text block = malloc(STEP_BYTES);
    CHECK(block != NULL);
    for (;;) {
        ssize_t got = read(from, block, STEP_BYTES);
        if (got == 0) {
            return true;
        }
        if (got < 0 && errno != EINTR) {
            return err_system(err, "blob_failed", "cannot read what is to be stored");
        }
        if (got > 0 && !write_piece(writing, str_of(block, (size_t)got), err)) {
            return false;
        }
    }
}

bool blob_copy(int fd, const struct blob_source *source, struct blob_info *ret_info,
               struct err *err) {
    struct writing writing = {.fd = fd, .bytes_max = source->bytes_max};
    digest_begin(&writing.digest);
    bool written = source->fd >= 0 ? copy_fd(source->fd, &writing, err)
                                   : write_piece(&writing, source->bytes, err);
    if (!written) {
        return false;
    }
    struct blob_info info = {digest_end(&writing.digest), writing.bytes};
    if (source->expected != NULL && !digest_equal(source->expected, &info.digest)) {
        char hex[DIGEST_HEX_BYTES];
        digest_hex(source->expected, hex);
        return err_set(err, ERR_INVALID, "digest_mismatch",
                       "the content is not the one with SHA-256 %s", hex);
    }
    *ret_info = info;
    return true;
}

bool blob_spool(const char *folder, int *ret_fd, struct err *err) {
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0) {
        return err_system(err, "blob_failed", "cannot make a temporary file in %s", folder);
    }
    *ret_fd = fd;
    return true;
}
