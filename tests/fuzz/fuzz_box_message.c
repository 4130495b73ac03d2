/* Requests to assize-box, as box/message.h checks them.
 *
 * The input is a list of patches to a right request: two bytes of offset, one of length, the bytes.
 * Holds: a request that passes names a slot that is there, its lists end inside their blocks, its
 * paths cannot leave their folder, its limits are positive and its descriptors are as many as it
 * names; a refusal is ERR_INVALID with a text. */
#include "base/check.h"
#include "base/texts.h"
#include "box/message.h"
#include <string.h>

#define SLOTS 4

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void set_right(struct box_request *request) {
    *request = (struct box_request){
        .magic = MESSAGE_MAGIC,
        .kind = REQUEST_START,
        .start = {.profile = BOX_PROFILE_NATIVE,
                  .limits = {.cpu_ms = 1000,
                             .wall_ms = 3000,
                             .memory_bytes = 64 << 20,
                             .file_bytes = 1 << 20,
                             .work_bytes = 1 << 20,
                             .work_inodes = 100,
                             .pids_max = 1,
                             .open_files_max = 16},
                  .streams = {{.kind = BOX_STREAM_FD},
                              {.kind = BOX_STREAM_CAPTURE, .bytes_max = 100},
                              {.kind = BOX_STREAM_NULL, .bytes_max = 100}},
                  .argc = 2,
                  .argv = "/w/prog\0-x",
                  .envc = 1,
                  .env = "HOME=/w",
                  .root_count = 1,
                  .roots = {"/usr"},
                  .file_count = 1,
                  .output_count = 1,
                  .names = "prog\0out",
                  .output_file_bytes_max = 100},
    };
}

static void patch(struct box_request *request, const uint8_t *bytes, size_t count) {
    while (count > 3) {
        size_t offset = (size_t)bytes[0] << 8 | bytes[1];
        size_t length = bytes[2] < count - 3 ? bytes[2] : count - 3;
        for (size_t i = 0; i < length; i++) {
            ((uint8_t *)request)[(offset + i) % sizeof(*request)] = bytes[3 + i];
        }
        bytes += 3 + length;
        count -= 3 + length;
    }
}

/* No text of the list reaches behind its block. */
static void check_list(const char *block, size_t bytes, uint32_t count) {
    const char *list[MESSAGE_ARGS_MAX + 1];
    CHECK(count <= MESSAGE_ARGS_MAX);
    texts_unpack(block, count, list);
    for (uint32_t i = 0; i < count; i++) {
        CHECK(list[i] >= block && list[i] + strlen(list[i]) < block + bytes);
    }
}

static void check_path(const char *path, size_t bytes) {
    CHECK(memchr(path, '\0', bytes) != NULL);
    CHECK(path[0] != '\0');
    CHECK(strcmp(path, "..") != 0 && strncmp(path, "../", 3) != 0);
    CHECK(strstr(path, "/../") == NULL && strstr(path, "//") == NULL);
}

static void check_start(const struct message_start *start) {
    check_list(start->argv, sizeof(start->argv), start->argc);
    check_list(start->env, sizeof(start->env), start->envc);
    CHECK(start->argc > 0 && start->argv[0] == '/');
    CHECK(start->root_count <= BOX_ROOTS_MAX && start->file_count <= BOX_FILES_MAX);
    CHECK(start->output_count <= BOX_FILES_MAX);
    for (uint32_t i = 0; i < start->root_count; i++) {
        CHECK(start->roots[i][0] == '/' && start->roots[i][1] != '\0');
        check_path(start->roots[i], sizeof(start->roots[i]));
    }
    const char *names[MESSAGE_NAMES_MAX + 1];
    uint32_t count = start->file_count + start->output_count;
    check_list(start->names, sizeof(start->names), count);
    texts_unpack(start->names, count, names);
    for (uint32_t i = 0; i < count; i++) {
        CHECK(names[i][0] != '/');
        check_path(names[i], strlen(names[i]) + 1);
    }
    CHECK(start->service == 1 || start->service_fd_count == 0);
    CHECK(start->service_fd_count <= BOX_SERVICE_FDS_MAX);
    CHECK(start->limits.cpu_ms > 0 && start->limits.wall_ms > 0 && start->limits.pids_max > 0);
    CHECK(start->limits.memory_bytes > 0 && start->limits.work_bytes > 0);
    CHECK(start->streams[1].bytes_max > 0 || start->streams[1].kind == BOX_STREAM_PIPE ||
          start->service == 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    static struct box_request request;
    set_right(&request);
    patch(&request, bytes, count);
    for (size_t fds = 0; fds <= MESSAGE_FDS_MAX; fds++) {
        struct err err = {0};
        if (!message_check(&request, SLOTS, fds, &err)) {
            CHECK(err.kind == ERR_INVALID && err.text[0] != '\0');
            continue;
        }
        CHECK(request.slot >= 0 && request.slot < SLOTS);
        if (request.kind == REQUEST_START) {
            size_t least = request.start.file_count + request.start.service_fd_count;
            CHECK(fds >= least && fds <= least + 3);
            check_start(&request.start);
        } else {
            CHECK(fds == 0);
        }
    }
    return 0;
}
