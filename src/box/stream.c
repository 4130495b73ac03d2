/* What a program reads and writes: inputs made safe, outputs counted while they are written. */
#include "base/frozen.h"
#include "box/supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define FAILED message_codes[CODE_FAILED]
#define SEALS (F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK)
#define CHUNK_BYTES (64 * 1024)
#define CHUNKS_AT_ONCE 16 /* then other runs have their turn */

bool stream_input(int fd, int *ret_fd, struct err *err) {
    struct stat stat = {0};
    if (fstat(fd, &stat) != 0) {
        return err_system(err, FAILED, "look at fd 0");
    }
    if (S_ISREG(stat.st_mode) && (fcntl(fd, F_GETFL) & O_PATH) == 0) {
        return fd_freeze(fd, ret_fd, err);
    }
    if (!S_ISFIFO(stat.st_mode) && !S_ISSOCK(stat.st_mode)) {
        return err_set(err, ERR_INVALID, message_codes[CODE_BAD_RUN],
                       "fd 0 can be a file, a memory file, a pipe or a socket");
    }
    return fd_copy(fd, ret_fd, err);
}

bool stream_pipe(uid_t owner, int *ret_ends, struct err *err) {
    if (pipe2(ret_ends, O_CLOEXEC) != 0) {
        return err_system(err, FAILED, "make a pipe");
    }
    if (fchown(ret_ends[0], owner, owner) == 0) {
        return true;
    }
    (void)err_system(err, FAILED, "give a pipe to the program");
    fds_close(ret_ends, 2);
    return false;
}

bool stream_open(struct stream *stream, uid_t owner, int *ret_program_end, struct err *err) {
    int ends[2];
    if (!stream_pipe(owner, ends, err)) {
        return false;
    }
    stream->from = ends[0];
    *ret_program_end = ends[1];
    /* O_NONBLOCK belongs to this end alone: the program's stays as it expects. */
    return fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0 ? true
                                                    : err_system(err, FAILED, "set up a pipe");
}

static void keep_bytes(struct stream *stream, const char *bytes, int64_t count) {
    int64_t room = stream->bytes_max - stream->bytes;
    if (!stream->keep || stream->lost || room <= 0) {
        return;
    }
    if (stream->kept < 0) {
        stream->kept = memfd_create("output", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    }
    int64_t some = count < room ? count : room;
    stream->lost = stream->kept < 0 || write(stream->kept, bytes, (size_t)some) != some;
}

bool stream_drain(struct stream *stream) {
    static char chunk[CHUNK_BYTES];
    for (int i = 0; stream->from >= 0 && i < CHUNKS_AT_ONCE; i++) {
        ssize_t got = read(stream->from, chunk, sizeof(chunk));
        if (got < 0) {
            break; /* nothing there now */
        }
        if (got == 0) {
            fds_close(&stream->from, 1);
        }
        keep_bytes(stream, chunk, got);
        stream->bytes += got;
    }
    return stream->bytes <= stream->bytes_max;
}

void stream_close(struct stream *stream) {
    fds_close(&stream->from, 1);
    fds_close(&stream->kept, 1);
}

int stream_take(struct supervisor *box, struct stream *stream) {
    if (stream->kept < 0 && !stream->lost) {
        return fcntl(box->empty, F_DUPFD_CLOEXEC, 3);
    }
    if (stream->lost || lseek(stream->kept, 0, SEEK_SET) != 0 ||
        fcntl(stream->kept, F_ADD_SEALS, SEALS) != 0) {
        return -1;
    }
    return take_fd(&stream->kept);
}
