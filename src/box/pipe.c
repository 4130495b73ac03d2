/* Pipes between two runs of one slot. */
#include "box/supervisor.h"

#include "base/clock.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define RELAY_BYTES (64 * 1024)

void pipe_close(struct slot_pipe *pipe) {
    if (pipe->open) {
        fds_close(&pipe->from, 1);
        fds_close(&pipe->read_fd, 1);
        fds_close(&pipe->write_fd, 1);
        pipe->open = false;
    }
}

bool pipe_is_half_open(const struct slot_pipe *pipe) {
    return pipe->open && pipe->writer_taken != pipe->reader_taken;
}

void pipe_forget(struct slot *slot, const struct message_start *start) {
    for (int i = 0; i < 3; i++) {
        if (start->streams[i].kind == BOX_STREAM_PIPE) {
            struct slot_pipe *pipe = &slot->pipes[start->streams[i].pipe];
            if (i == 0 ? pipe->reader_taken : pipe->writer_taken) {
                pipe_close(pipe);
            }
        }
    }
}

/* Makes the pipe if it is not there, or if both ends of the last one are given away and nothing is
 * left to relay. */
static bool take_end(struct slot *slot, struct slot_pipe *pipe, bool writer, struct err *err) {
    if (pipe->open && pipe->writer_taken && pipe->reader_taken && pipe->from < 0) {
        pipe_close(pipe);
    }
    if (!pipe->open) {
        int ends[2];
        if (!stream_pipe(slot->uid_base + 1, ends, err)) {
            return false;
        }
        *pipe =
            (struct slot_pipe){.from = -1, .read_fd = ends[0], .write_fd = ends[1], .open = true};
        pipe->ended_ns = INT64_MAX;
    }
    bool *taken = writer ? &pipe->writer_taken : &pipe->reader_taken;
    if (*taken) {
        return err_set(err, ERR_INVALID, message_codes[CODE_BAD_RUN],
                       "this end of the pipe belongs to another run of the slot");
    }
    *taken = true;
    return true;
}

bool pipe_writer(struct slot *slot, const struct message_stream *stream, int *ret_program_end,
                 struct err *err) {
    struct slot_pipe *pipe = &slot->pipes[stream->pipe];
    int ends[2];
    if (!take_end(slot, pipe, true, err)) {
        return false;
    }
    pipe->bytes_max = stream->bytes_max;
    if (stream->bytes_max == 0) {
        *ret_program_end = take_fd(&pipe->write_fd);
        return true;
    }
    if (!stream_pipe(slot->uid_base + 1, ends, err)) {
        return false;
    }
    pipe->from = ends[0];
    *ret_program_end = ends[1];
    if (fcntl(pipe->from, F_SETFL, O_NONBLOCK) != 0 ||
        fcntl(pipe->write_fd, F_SETFL, O_NONBLOCK) != 0) {
        return err_system(err, message_codes[CODE_FAILED], "set up a pipe");
    }
    uint64_t source = supervisor_source(SOURCE_PIPE, slot->number, stream->pipe, 0);
    return supervisor_watch(slot->box, pipe->from, EPOLLIN | EPOLLET, source, err) &&
           supervisor_watch(slot->box, pipe->write_fd, EPOLLOUT | EPOLLET, source, err);
}

bool pipe_reader(struct slot *slot, int number, int *ret_program_end, struct err *err) {
    if (!take_end(slot, &slot->pipes[number], false, err)) {
        return false;
    }
    *ret_program_end = take_fd(&slot->pipes[number].read_fd);
    return true;
}

bool pipe_relay(struct slot_pipe *pipe) {
    while (pipe->from >= 0) {
        ssize_t moved = splice(pipe->from, NULL, pipe->write_fd, NULL, RELAY_BYTES,
                               SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
        if (moved < 0 && errno == EAGAIN) {
            break;
        }
        if (moved <= 0) { /* the writer is through, or nobody reads any more */
            pipe->ended_ns = moved == 0 ? clock_real_mono_ns() : INT64_MAX;
            fds_close(&pipe->from, 1);
            fds_close(&pipe->write_fd, 1);
            break;
        }
        pipe->bytes += moved;
    }
    return pipe->bytes_max == 0 || pipe->bytes <= pipe->bytes_max;
}

int64_t pipe_written(const struct slot_pipe *pipe) {
    int waiting = 0;
    return pipe->from >= 0 && ioctl(pipe->from, FIONREAD, &waiting) == 0 ? pipe->bytes + waiting
                                                                         : pipe->bytes;
}
