/* A window over a plain file. */
#include "judge/reader.h"
#include "base/check.h"
#include "judge/block.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void reader_init(struct reader *reader, int fd) {
    *reader = (struct reader){.fd = fd, .ended = fd < 0};
    reader->window = malloc(READER_WINDOW_BYTES);
    CHECK(reader->window != NULL);
}

void reader_done(struct reader *reader) {
    free(reader->window);
    reader->window = NULL;
}

static void read_more(struct reader *reader) {
    ssize_t got = pread(reader->fd, reader->window + reader->to, READER_WINDOW_BYTES - reader->to,
                        (off_t)reader->offset);
    if (got < 0 && errno == EINTR) {
        return;
    }
    if (got < 0) {
        reader->failed = true;
        reader->failed_errno = errno;
    }
    if (got <= 0) {
        reader->ended = true;
        return;
    }
    reader->to += (size_t)got;
    reader->offset += got;
}

struct str reader_peek(struct reader *reader, size_t wanted) {
    if (reader->to - reader->from < wanted && !reader->ended) {
        memmove(reader->window, reader->window + reader->from, reader->to - reader->from);
        reader->to -= reader->from;
        reader->from = 0;
        while (!reader->ended && reader->to < READER_WINDOW_BYTES) {
            read_more(reader);
        }
    }
    return str_of(reader->window + reader->from, reader->to - reader->from);
}

void reader_seek(struct reader *reader, int64_t offset) {
    reader->offset = offset;
    reader->from = 0;
    reader->to = 0;
    reader->ended = reader->fd < 0 || reader->failed;
}

void reader_skip(struct reader *reader, size_t bytes) {
    CHECK(bytes <= reader->to - reader->from);
    reader->from += bytes;
}

bool reader_at_end(struct reader *reader) {
    return reader_peek(reader, 1).len == 0;
}

int64_t reader_tell(const struct reader *reader) {
    return reader->offset - (int64_t)(reader->to - reader->from);
}

bool reader_is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

int64_t reader_skip_space(struct reader *reader) {
    int64_t lines = 0;
    for (;;) {
        struct str seen = reader_peek(reader, 1);
        size_t at = 0;
        while (at < seen.len && reader_is_space(seen.ptr[at])) {
            lines += seen.ptr[at] == '\n' ? 1 : 0;
            at++;
        }
        reader_skip(reader, at);
        if (at < seen.len || at == 0) {
            return lines;
        }
    }
}

size_t reader_token_bytes(struct str seen) {
    size_t length = 0;
    while (seen.len - length >= BLOCK_BYTES) {
        uint64_t spaces = block_spaces(seen.ptr + length);
        if (spaces != 0) {
            return length + (size_t)__builtin_ctzll(spaces);
        }
        length += BLOCK_BYTES;
    }
    while (length < seen.len && !reader_is_space(seen.ptr[length])) {
        length++;
    }
    return length;
}

struct str reader_token(struct reader *reader, bool *ret_whole) {
    struct str seen = reader_peek(reader, 1);
    size_t length = reader_token_bytes(seen);
    if (length == seen.len && !reader->ended && seen.len < READER_WINDOW_BYTES) {
        seen = reader_peek(reader, READER_WINDOW_BYTES);
        length = reader_token_bytes(seen);
    }
    *ret_whole = length < seen.len || reader->ended;
    return str_sub(seen, 0, length);
}

bool reader_ok(const struct reader *reader, const char *what, struct err *err) {
    if (!reader->failed) {
        return true;
    }
    errno = reader->failed_errno;
    (void)err_system(err, "read_failed", "read %s", what);
    err->fault = FAULT_NODE;
    return false;
}
