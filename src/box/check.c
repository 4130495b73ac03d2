/* What a request may hold. The box looks here at every field before it acts; the client looks here
 * first, so that a wrong spec is answered without a journey. */
#include "base/limits.h"
#include "base/path.h"
#include "box/message.h"

#include <stddef.h>
#include <string.h>

#define DAY_MS (24LL * 3600 * 1000)

struct limit_row {
    const char *name;
    size_t offset;
    bool wide; /* int64_t, else int32_t */
    int64_t min;
    int64_t max;
};

/* clang-format off */
#define WIDE(field, min, max) {#field, offsetof(struct box_limits, field), true, (min), (max)}
#define NARROW(field, min, max) {#field, offsetof(struct box_limits, field), false, (min), (max)}
static const struct limit_row limit_rows[] = {
    WIDE(cpu_ms,           1,         30 * DAY_MS),
    WIDE(wall_ms,          1,         30 * DAY_MS),
    WIDE(memory_bytes,     1 * MIB,   1024LL * 1024 * MIB),
    WIDE(file_bytes,       1,         1024LL * 1024 * MIB),
    WIDE(work_bytes,       4 * KIB,   64LL * 1024 * MIB),
    WIDE(stack_bytes,      0,         1024LL * 1024 * MIB),
    NARROW(work_inodes,    8,         1000000),
    NARROW(pids_max,       1,         4096),
    NARROW(open_files_max, 4,         65536),
};
/* clang-format on */

static bool bad(struct err *err, const char *what) {
    return err_set(err, ERR_INVALID, message_code_name(CODE_BAD_RUN), "%s", what);
}

static bool check_limits(const struct box_limits *limits, struct err *err) {
    for (size_t i = 0; i < sizeof(limit_rows) / sizeof(limit_rows[0]); i++) {
        const struct limit_row *row = &limit_rows[i];
        const char *field = (const char *)limits + row->offset;
        int64_t value = 0;
        if (row->wide) {
            memcpy(&value, field, sizeof(value));
        } else {
            int32_t narrow = 0;
            memcpy(&narrow, field, sizeof(narrow));
            value = narrow;
        }
        if (value < row->min || value > row->max) {
            return err_set(err, ERR_INVALID, message_code_name(CODE_BAD_RUN),
                           "the limit %s is %lld; it must lie within %lld and %lld", row->name,
                           (long long)value, (long long)row->min, (long long)row->max);
        }
    }
    return true;
}

static bool check_reader(const struct message_stream *stream, struct err *err) {
    if (stream->kind == BOX_STREAM_CAPTURE) {
        return bad(err, "fd 0 cannot be captured");
    }
    return true;
}

static bool check_writer(const struct message_stream *stream, bool service, struct err *err) {
    if (stream->kind == BOX_STREAM_FD && !service) {
        return bad(err, "only a service may write to a descriptor of its caller");
    }
    int64_t min = stream->kind == BOX_STREAM_CAPTURE || stream->kind == BOX_STREAM_NULL ? 1 : 0;
    if (stream->bytes_max < min || stream->bytes_max > 4096LL * MIB) {
        return bad(err, "bytes_max of a written stream must lie within 1 byte and 4 GiB");
    }
    return true;
}

static bool check_streams(const struct message_start *start, struct err *err) {
    for (int i = 0; i < 3; i++) {
        const struct message_stream *stream = &start->streams[i];
        if (stream->kind > BOX_STREAM_PIPE) {
            return bad(err, "a stream has an unknown kind");
        }
        if (stream->kind == BOX_STREAM_PIPE &&
            (stream->pipe < 0 || stream->pipe >= BOX_PIPES_MAX)) {
            return bad(err, "a pipe's number is out of range");
        }
        if (!(i == 0 ? check_reader(stream, err) : check_writer(stream, start->service, err))) {
            return false;
        }
    }
    if (start->streams[1].kind == BOX_STREAM_PIPE && start->streams[2].kind == BOX_STREAM_PIPE) {
        return bad(err, "only one of fd 1 and fd 2 may be a pipe");
    }
    return true;
}

/* Whether `packed` holds exactly `count` texts, each with its NUL. */
static bool list_is_whole(const char *packed, size_t bytes, uint32_t count) {
    size_t at = 0;
    for (uint32_t i = 0; i < count; i++) {
        const char *end = memchr(packed + at, '\0', bytes - at);
        if (end == NULL) {
            return false;
        }
        at = (size_t)(end - packed) + 1;
    }
    return true;
}

static bool check_lists(const struct message_start *start, struct err *err) {
    if (start->argc < 1 || start->argc > MESSAGE_ARGS_MAX || start->argv[0] != '/' ||
        !list_is_whole(start->argv, sizeof(start->argv), start->argc)) {
        return bad(err, "the command is empty, too long, or does not begin with an absolute path");
    }
    if (start->envc > MESSAGE_ARGS_MAX ||
        !list_is_whole(start->env, sizeof(start->env), start->envc)) {
        return bad(err, "the environment is too long");
    }
    return true;
}

static bool name_is_plain(const char *name, size_t bytes) {
    return memchr(name, '\0', bytes) != NULL && path_is_plain(str_from(name));
}

/* An absolute path without "." or ".." or double slashes; "/" alone is none. */
static bool root_is_plain(const char *root, size_t bytes) {
    return memchr(root, '\0', bytes) != NULL && root[0] == '/' && path_is_plain(str_from(root + 1));
}

static bool check_names(const struct message_start *start, struct err *err) {
    if (start->root_count > BOX_ROOTS_MAX || start->file_count > BOX_FILES_MAX ||
        start->output_count > BOX_FILES_MAX) {
        return bad(err, "too many roots, files or outputs");
    }
    for (uint32_t i = 0; i < start->root_count; i++) {
        if (!root_is_plain(start->roots[i], sizeof(start->roots[i]))) {
            return bad(err, "a root must be an absolute plain path");
        }
    }
    for (uint32_t i = 0; i < start->file_count; i++) {
        if (!name_is_plain(start->files[i].name, sizeof(start->files[i].name))) {
            return bad(err, "the name of a file must be a relative plain path");
        }
    }
    for (uint32_t i = 0; i < start->output_count; i++) {
        if (!name_is_plain(start->outputs[i], sizeof(start->outputs[i]))) {
            return bad(err, "the name of an output must be a relative plain path");
        }
    }
    if (start->output_file_bytes_max < 0 || start->output_file_bytes_max > 4096LL * MIB) {
        return bad(err, "output_file_bytes_max must lie within 0 and 4 GiB");
    }
    return true;
}

static bool check_start(const struct message_start *start, size_t fd_count, struct err *err) {
    if (start->profile < BOX_PROFILE_COMPILE || start->profile > BOX_PROFILE_MANAGED ||
        start->service > 1) {
        return bad(err, "unknown profile");
    }
    if (!check_limits(&start->limits, err) || !check_streams(start, err) ||
        !check_lists(start, err) || !check_names(start, err)) {
        return false;
    }
    if (fd_count != message_start_fds(start)) {
        return bad(err, "descriptors do not match the run");
    }
    return true;
}

bool message_check(const struct box_request *request, int slots, size_t fd_count, struct err *err) {
    if (request->magic != MESSAGE_MAGIC || request->kind < REQUEST_SLOT_OPEN ||
        request->kind > REQUEST_KILL) {
        return bad(err, "assize and assize-box are of different versions: install both again");
    }
    if (request->slot < 0 || request->slot >= slots) {
        return err_set(err, ERR_INVALID, message_code_name(CODE_BAD_SLOT),
                       "there is no slot %d: the box has %d", request->slot, slots);
    }
    if (request->kind == REQUEST_START) {
        return check_start(&request->start, fd_count, err);
    }
    return fd_count == 0 ? true : bad(err, "descriptors came with a request that takes none");
}
