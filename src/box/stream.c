/* What a program reads and writes: inputs made safe, outputs counted while they are written. */
#include "box/supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#define FAILED message_code_name(CODE_FAILED)
#define SEALS_ALL (F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL)
#define CHUNK_BYTES (64 * 1024)
#define CHUNKS_AT_ONCE 16 /* then other runs have their turn */

static bool bad_input(struct err *err, const char *what) {
    return err_set(err, ERR_INVALID, message_code_name(CODE_BAD_RUN), "fd 0: %s", what);
}

static bool reopen(int fd, int *ret_fd, struct err *err) {
    char path[64];
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    *ret_fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    return *ret_fd >= 0 ? true : err_system(err, FAILED, "open the input again");
}

/* A memory file of our own with the same bytes. */
static bool copy_input(int fd, int64_t bytes, int *ret_fd, struct err *err) {
    own_fd copy = memfd_create("input", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    off_t at = 0;
    while (copy >= 0 && at < bytes) {
        ssize_t sent = sendfile(copy, fd, &at, (size_t)(bytes - at));
        if (sent <= 0) {
            break; /* shorter than it said: the program gets what there is */
        }
    }
    if (copy < 0 || fcntl(copy, F_ADD_SEALS, SEALS_ALL) != 0) {
        return err_system(err, FAILED, "copy the input");
    }
    return reopen(copy, ret_fd, err);
}

/* The program could open /proc/self/fd/0 again, for writing too where the file's mode lets it, and
 * change the next run's input; and it must be able to for reading, since many programs read
 * /dev/stdin. So: a memory file is sealed; a file that only others than "others" may read is
 * copied; one that everybody may write is refused. */
static bool file_input(int fd, const struct stat *stat, int *ret_fd, struct err *err) {
    int seals = fcntl(fd, F_GET_SEALS);
    bool memory = seals >= 0 && (seals & F_SEAL_SEAL) == 0;
    if (memory && fcntl(fd, F_ADD_SEALS, SEALS_ALL & ~F_SEAL_SEAL) == 0) {
        return reopen(fd, ret_fd, err);
    }
    if (seals >= 0 && (seals & F_SEAL_WRITE) != 0) {
        return reopen(fd, ret_fd, err);
    }
    if (seals >= 0 || (stat->st_mode & S_IWOTH) != 0 || (stat->st_mode & S_IROTH) == 0) {
        return copy_input(fd, stat->st_size, ret_fd, err);
    }
    return reopen(fd, ret_fd, err);
}

bool stream_input(int fd, int *ret_fd, struct err *err) {
    struct stat stat = {0};
    if (fstat(fd, &stat) != 0) {
        return err_system(err, FAILED, "look at fd 0");
    }
    if ((fcntl(fd, F_GETFL) & O_PATH) != 0) {
        return bad_input(err, "the descriptor cannot be read");
    }
    if (S_ISREG(stat.st_mode)) {
        return file_input(fd, &stat, ret_fd, err);
    }
    if (!S_ISFIFO(stat.st_mode) && !S_ISSOCK(stat.st_mode)) {
        return bad_input(err, "only a file, a memory file, a pipe or a socket can be an input");
    }
    *ret_fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    return *ret_fd >= 0 ? true : err_system(err, FAILED, "copy fd 0");
}

bool stream_pipe(uid_t owner, int *ret_ends, struct err *err) {
    if (pipe2(ret_ends, O_CLOEXEC) != 0) {
        return err_system(err, FAILED, "make a pipe");
    }
    if (fchown(ret_ends[0], owner, owner) == 0) {
        return true;
    }
    (void)err_system(err, FAILED, "give a pipe to the program");
    message_close_fds(ret_ends, 2);
    return false;
}

bool stream_open(struct stream *stream, uid_t owner, bool keep, int64_t bytes_max,
                 int *ret_program_end, struct err *err) {
    int ends[2];
    if (!stream_pipe(owner, ends, err)) {
        return false;
    }
    *stream = (struct stream){.from = ends[0], .kept = -1, .keep = keep, .bytes_max = bytes_max};
    *ret_program_end = ends[1];
    /* O_NONBLOCK belongs to this end alone: the program's stays as it expects. */
    return fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0 ? true
                                                    : err_system(err, FAILED, "set up a pipe");
}

static void keep_bytes(struct stream *stream, const char *bytes, size_t count) {
    int64_t room = stream->bytes_max - stream->bytes;
    if (!stream->keep || stream->lost || room <= 0) {
        return;
    }
    if (stream->kept < 0) {
        stream->kept = memfd_create("output", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    }
    size_t some = (int64_t)count < room ? count : (size_t)room;
    if (stream->kept < 0 || write(stream->kept, bytes, some) != (ssize_t)some) {
        stream->lost = true; /* out of memory: stream_take says so */
    }
}

bool stream_drain(struct stream *stream) {
    static char chunk[CHUNK_BYTES];
    for (int i = 0; stream->from >= 0 && i < CHUNKS_AT_ONCE; i++) {
        ssize_t got = read(stream->from, chunk, sizeof(chunk));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            break; /* nothing there now */
        }
        if (got == 0) {
            supervisor_close(&stream->from);
            break;
        }
        keep_bytes(stream, chunk, (size_t)got);
        stream->bytes += got;
    }
    return stream->bytes <= stream->bytes_max;
}

void stream_close(struct stream *stream) {
    supervisor_close(&stream->from);
    fd_cleanup(&stream->kept);
    stream->kept = -1;
}

int stream_take(struct supervisor *box, struct stream *stream) {
    if (stream->lost) {
        return -1;
    }
    if (stream->kept < 0) {
        return fcntl(box->empty, F_DUPFD_CLOEXEC, 3);
    }
    if (lseek(stream->kept, 0, SEEK_SET) != 0 || fcntl(stream->kept, F_ADD_SEALS, SEALS_ALL) != 0) {
        return -1;
    }
    return take_fd(&stream->kept);
}
