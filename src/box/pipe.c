/* Pipes between two runs of one slot. */
#include "box/supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define RELAY_BYTES (64 * 1024)

static bool make(struct slot *slot, struct slot_pipe *pipe, struct err *err) {
    int ends[2];
    if (!stream_pipe(slot->uid_base + 1, ends, err)) {
        return false;
    }
    *pipe = (struct slot_pipe){.from = -1, .read_fd = ends[0], .write_fd = ends[1], .open = true};
    return true;
}

void pipe_close(struct slot_pipe *pipe) {
    if (!pipe->open) {
        return;
    }
    supervisor_close(&pipe->from);
    supervisor_close(&pipe->read_fd);
    supervisor_close(&pipe->write_fd);
    *pipe = (struct slot_pipe){.from = -1, .read_fd = -1, .write_fd = -1};
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

/* Both ends given away and nothing to relay: the number is free for a new pipe. */
static bool is_done(const struct slot_pipe *pipe) {
    return pipe->writer_taken && pipe->reader_taken && pipe->from < 0;
}

static bool ready(struct slot *slot, struct slot_pipe *pipe, bool taken, struct err *err) {
    if (pipe->open && is_done(pipe)) {
        pipe_close(pipe);
    } else if (pipe->open && taken) {
        return err_set(err, ERR_INVALID, message_code_name(CODE_BAD_RUN),
                       "this end of the pipe belongs to another run of the slot");
    }
    return pipe->open || make(slot, pipe, err);
}

/* The supervisor between the two: its own pipe to the writer, and the writing end of the slot's. */
static bool stand_between(struct supervisor *box, struct slot *slot, int number,
                          int *ret_program_end, struct err *err) {
    struct slot_pipe *pipe = &slot->pipes[number];
    int ends[2];
    if (!stream_pipe(slot->uid_base + 1, ends, err)) {
        return false;
    }
    pipe->from = ends[0];
    *ret_program_end = ends[1];
    if (fcntl(pipe->from, F_SETFL, O_NONBLOCK) != 0 ||
        fcntl(pipe->write_fd, F_SETFL, O_NONBLOCK) != 0) {
        return err_system(err, message_code_name(CODE_FAILED), "set up a pipe");
    }
    return supervisor_watch(box, pipe->from, EPOLLIN | EPOLLET, SOURCE_PIPE, slot->number, number,
                            0, err) &&
           supervisor_watch(box, pipe->write_fd, EPOLLOUT | EPOLLET, SOURCE_PIPE, slot->number,
                            number, 1, err);
}

bool pipe_writer(struct supervisor *box, struct slot *slot, int number, int64_t bytes_max,
                 int *ret_program_end, struct err *err) {
    struct slot_pipe *pipe = &slot->pipes[number];
    if (!ready(slot, pipe, pipe->writer_taken, err)) {
        return false;
    }
    pipe->writer_taken = true;
    pipe->bytes_max = bytes_max;
    if (bytes_max > 0) {
        return stand_between(box, slot, number, ret_program_end, err);
    }
    *ret_program_end = take_fd(&pipe->write_fd);
    return true;
}

bool pipe_reader(struct slot *slot, int number, int *ret_program_end, struct err *err) {
    struct slot_pipe *pipe = &slot->pipes[number];
    if (!ready(slot, pipe, pipe->reader_taken, err)) {
        return false;
    }
    pipe->reader_taken = true;
    *ret_program_end = take_fd(&pipe->read_fd);
    return true;
}

bool pipe_relay(struct slot_pipe *pipe) {
    while (pipe->from >= 0) {
        ssize_t moved = splice(pipe->from, NULL, pipe->write_fd, NULL, RELAY_BYTES,
                               SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
        if (moved < 0 && errno == EINTR) {
            continue;
        }
        if (moved < 0 && errno == EAGAIN) {
            break;
        }
        if (moved <= 0) { /* the writer is through, or nobody reads any more */
            supervisor_close(&pipe->from);
            supervisor_close(&pipe->write_fd);
            break;
        }
        pipe->bytes += moved;
    }
    return pipe->bytes_max == 0 || pipe->bytes <= pipe->bytes_max;
}

int64_t pipe_written(const struct slot_pipe *pipe) {
    int waiting = 0;
    if (pipe->from >= 0) {
        (void)ioctl(pipe->from, FIONREAD, &waiting);
    }
    return pipe->bytes + waiting;
}
