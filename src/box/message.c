/* What a request may hold. The box looks here at every field before it acts; the client looks here
 * first, so that a wrong spec is answered without a journey. */
#include "box/message.h"

#include "base/limits.h"
#include "base/path.h"
#include "base/texts.h"
#include <assert.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#define DAY_MS (24LL * 3600 * 1000)
#define GIB (1024LL * MIB)

/* clang-format off */
/* Of every field of struct box_limits in its order. */
static const struct {
    const char *name;
    int64_t min, max;
} limit_rows[] = {
    {"cpu_ms",         1,         30 * DAY_MS},
    {"wall_ms",        1,         30 * DAY_MS},
    {"memory_bytes",   2 * MIB,   1024 * GIB},
    {"file_bytes",     1,         1024 * GIB},
    {"work_bytes",     4 * KIB,   64 * GIB},
    {"stack_bytes",    0,         1024 * GIB},
    {"work_inodes",    8,         1000000},
    {"pids_max",       1,         4096},
    {"open_files_max", 4,         65536},
};
static_assert(sizeof(limit_rows) / sizeof(limit_rows[0]) ==
                  sizeof(struct box_limits) / sizeof(int64_t),
              "each limit has its row");

const char *const message_codes[CODE_COUNT] = {
    [CODE_NONE]        = "none",
    [CODE_UNAVAILABLE] = "box_unavailable",
    [CODE_BAD_RUN]     = "box_bad_run",
    [CODE_BAD_SLOT]    = "box_bad_slot",
    [CODE_NO_RUN]      = "box_no_run",
    [CODE_SLOT_FULL]   = "box_slot_full",
    [CODE_FAILED]      = "box_failed",
    [CODE_BROKEN]      = "box_broken",
};
/* clang-format on */

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static bool bad(struct err *err, const char *what) {
    return err_set(err, ERR_INVALID, message_codes[CODE_BAD_RUN], "%s", what);
}

static bool check_limits(const struct box_limits *limits, struct err *err) {
    int64_t values[COUNT(limit_rows)];
    memcpy(values, limits, sizeof(values));
    for (size_t i = 0; i < COUNT(limit_rows); i++) {
        if (values[i] < limit_rows[i].min || values[i] > limit_rows[i].max) {
            return err_set(err, ERR_INVALID, message_codes[CODE_BAD_RUN],
                           "the limit %s is %lld; it must lie within %lld and %lld",
                           limit_rows[i].name, (long long)values[i], (long long)limit_rows[i].min,
                           (long long)limit_rows[i].max);
        }
    }
    return true;
}

static bool check_stream(const struct message_stream *stream, int number, bool service,
                         struct err *err) {
    bool kept = stream->kind == BOX_STREAM_CAPTURE || stream->kind == BOX_STREAM_NULL;
    if (stream->kind > BOX_STREAM_PIPE) {
        return bad(err, "a stream has an unknown kind");
    }
    if (stream->kind == BOX_STREAM_PIPE && (stream->pipe < 0 || stream->pipe >= BOX_PIPES_MAX)) {
        return bad(err, "a pipe's number is out of range");
    }
    if (number == 0) {
        return stream->kind != BOX_STREAM_CAPTURE || bad(err, "fd 0 cannot be captured");
    }
    if (stream->kind == BOX_STREAM_FD && !service) {
        return bad(err, "only a service may write to a descriptor of its caller");
    }
    return (stream->bytes_max >= (kept ? 1 : 0) && stream->bytes_max <= 4 * GIB) ||
           bad(err, "bytes_max of a written stream must lie within 1 byte and 4 GiB");
}

static bool check_streams(const struct message_start *start, struct err *err) {
    for (int i = 0; i < 3; i++) {
        if (!check_stream(&start->streams[i], i, start->service != 0, err)) {
            return false;
        }
    }
    bool both =
        start->streams[1].kind == BOX_STREAM_PIPE && start->streams[2].kind == BOX_STREAM_PIPE;
    return !both || bad(err, "only one of fd 1 and fd 2 may be a pipe");
}

static bool is_name(const char *name, size_t size) {
    return memchr(name, '\0', size) != NULL && path_is_plain(str_from(name));
}

const char *box_root_place(const char *root, char place[BOX_PLACE_BYTES]) {
    if (strncmp(root, "/tmp/", 5) != 0 && strncmp(root, "/w/", 3) != 0) {
        return root;
    }
    snprintf(place, BOX_PLACE_BYTES, "/roots%s", root);
    return place;
}

/* An absolute path without "." or ".." or double slashes; "/" alone is none. */
static bool is_root(const char *root) {
    return root[0] == '/' && is_name(root + 1, MESSAGE_ROOT_BYTES_MAX - 1);
}

static bool check_texts(const struct message_start *start, struct err *err) {
    if (start->argc < 1 || start->argc > MESSAGE_ARGS_MAX || start->argv[0] != '/' ||
        !texts_are_whole(start->argv, sizeof(start->argv), start->argc)) {
        return bad(err, "the command is empty, too long, or does not begin with an absolute path");
    }
    if (start->envc > MESSAGE_ARGS_MAX ||
        !texts_are_whole(start->env, sizeof(start->env), start->envc)) {
        return bad(err, "the environment is too long");
    }
    if (start->root_count > BOX_ROOTS_MAX || start->file_count > BOX_FILES_MAX ||
        start->output_count > BOX_FILES_MAX) {
        return bad(err, "too many roots, files or outputs");
    }
    uint32_t names = start->file_count + start->output_count;
    bool plain = texts_are_whole(start->names, sizeof(start->names), names);
    const char *list[MESSAGE_NAMES_MAX + 1];
    texts_unpack(start->names, plain ? names : 0, list);
    for (uint32_t i = 0; plain && i < names; i++) {
        plain = path_is_plain(str_from(list[i]));
    }
    for (uint32_t i = 0; i < start->file_count; i++) {
        plain = plain && start->file_bits[i] <= FILE_BITS;
    }
    for (uint32_t i = 0; i < start->root_count; i++) {
        plain = plain && is_root(start->roots[i]);
    }
    return plain || bad(err, "a root must be an absolute plain path; the name of a file or output "
                             "a relative one, without . or ..");
}

static bool check_start(const struct message_start *start, size_t fd_count, struct err *err) {
    if (start->profile < BOX_PROFILE_COMPILE || start->profile >= BOX_PROFILE_COUNT ||
        start->service > 1) {
        return bad(err, "unknown profile");
    }
    if (start->service == 0 &&
        (start->profile == BOX_PROFILE_SERVER || start->service_fd_count > 0)) {
        return bad(err, "only a service may have the server's profile or descriptors of its own");
    }
    if (!check_limits(&start->limits, err) || !check_streams(start, err) ||
        !check_texts(start, err)) {
        return false;
    }
    if (start->output_file_bytes_max < 0 || start->output_file_bytes_max > 4 * GIB) {
        return bad(err, "output_file_bytes_max must lie within 0 and 4 GiB");
    }
    size_t wanted = (size_t)start->file_count + start->service_fd_count;
    for (int i = 0; i < 3; i++) {
        wanted += start->streams[i].kind == BOX_STREAM_FD;
    }
    return (fd_count == wanted && start->service_fd_count <= BOX_SERVICE_FDS_MAX) ||
           bad(err, "descriptors do not match the run");
}

bool message_check(const struct box_request *request, int slots, size_t fd_count, struct err *err) {
    if (request->magic != MESSAGE_MAGIC || request->kind < REQUEST_SLOT_OPEN ||
        request->kind > REQUEST_KILL) {
        return bad(err, "assize and assize-box are of different versions: install both again");
    }
    if (request->slot < 0 || request->slot >= slots) {
        return err_set(err, ERR_INVALID, message_codes[CODE_BAD_SLOT],
                       "there is no slot %d: the box has %d", request->slot, slots);
    }
    return request->kind == REQUEST_START
               ? check_start(&request->start, fd_count, err)
               : fd_count == 0 || bad(err, "descriptors came with a request that takes none");
}

bool message_setup_is_right(const struct box_setup *setup) {
    const struct box_caps *caps = &setup->caps;
    bool right = setup->magic == MESSAGE_MAGIC && setup->slots >= 1 &&
                 setup->slots <= BOX_SLOTS_MAX && setup->launcher_runs > 0 && setup->first_id > 0 &&
                 setup->root_count <= SETUP_ROOTS_MAX && caps->memory_bytes >= 0 &&
                 caps->pids_max >= 0 && caps->cpu_weight >= 0 && caps->cpu_weight <= 10000 &&
                 is_name(setup->cgroup, sizeof(setup->cgroup)) &&
                 strchr(setup->cgroup, '/') == NULL;
    for (int i = 0; right && setup->pinned != 0 && i < setup->slots; i++) {
        right = setup->cpus[i] >= 0 && setup->cpus[i] < CPU_SETSIZE;
    }
    for (uint32_t i = 0; right && i < setup->root_count; i++) {
        right = is_root(setup->roots[i]);
    }
    return right;
}

void message_error_to(const struct err *err, struct box_answer *ret_answer) {
    ret_answer->error_kind = err->kind;
    ret_answer->error_code = CODE_FAILED; /* also for the codes of base/: a system call failed */
    for (uint32_t i = 1; i < CODE_COUNT; i++) {
        if (err->code != NULL && strcmp(err->code, message_codes[i]) == 0) {
            ret_answer->error_code = i;
        }
    }
    ret_answer->os_errno = err->os_errno;
    memcpy(ret_answer->error_text, err->text, sizeof(ret_answer->error_text));
}
