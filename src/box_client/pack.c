/* From a spec to a message, and from an answer to an error. */
#include "box_client/pack.h"

#include "base/texts.h"
#include <string.h>

static bool too_long(struct err *err, const char *what) {
    return err_set(err, ERR_INVALID, message_codes[CODE_BAD_RUN], "%s", what);
}

/* Names that stand at equal distances, each followed by NUL. */
static bool pack_names(const char *const *names, uint32_t count_max, char *out, size_t bytes,
                       uint32_t *ret_count, struct err *err) {
    uint32_t count = 0;
    for (; names != NULL && names[count] != NULL; count++) {
        size_t length = strlen(names[count]);
        if (count == count_max || length >= bytes) {
            return too_long(err, "too many roots, or too long a name");
        }
        memcpy(out + count * bytes, names[count], length);
    }
    *ret_count = count;
    return true;
}

/* The files and the outputs. */
static bool pack_files(const struct box_run_spec *spec, struct message_start *start,
                       struct err *err) {
    const char *names[MESSAGE_NAMES_MAX + 1] = {NULL};
    uint32_t count = 0;
    if (spec->file_count > BOX_FILES_MAX || spec->service_fd_count > BOX_SERVICE_FDS_MAX) {
        return too_long(err, "too many files or descriptors");
    }
    for (size_t i = 0; i < spec->file_count; i++) {
        const struct box_file *file = &spec->files[i];
        names[count++] = file->name;
        start->file_bits[i] =
            (uint8_t)((file->executable ? FILE_EXECUTABLE : 0) |
                      (file->writable ? FILE_WRITABLE : 0) | (file->kept ? FILE_KEPT : 0));
    }
    start->file_count = count;
    for (size_t i = 0; spec->outputs != NULL && spec->outputs[i] != NULL; i++) {
        if (i == BOX_FILES_MAX) {
            return too_long(err, "too many outputs");
        }
        names[count++] = spec->outputs[i];
    }
    start->output_count = count - start->file_count;
    start->service_fd_count = (uint32_t)spec->service_fd_count;
    return texts_pack(names, MESSAGE_NAMES_MAX, start->names, sizeof(start->names), &count, err) ||
           too_long(err, "the names of the files and outputs are longer than the box takes");
}

static bool pack_lists(const struct box_run_spec *spec, struct message_start *start,
                       struct err *err) {
    if (!texts_pack(spec->argv, MESSAGE_ARGS_MAX, start->argv, sizeof(start->argv), &start->argc,
                    err)) {
        return too_long(err, "the command is longer than the box takes");
    }
    if (!texts_pack(spec->env, MESSAGE_ARGS_MAX, start->env, sizeof(start->env), &start->envc,
                    err)) {
        return too_long(err, "the environment is longer than the box takes");
    }
    return pack_names(spec->roots, BOX_ROOTS_MAX, start->roots[0], sizeof(start->roots[0]),
                      &start->root_count, err) &&
           pack_files(spec, start, err);
}

static void pack_fds(const struct box_run_spec *spec, int *ret_fds, size_t *ret_count) {
    *ret_count = 0;
    for (int i = 0; i < 3; i++) {
        if (spec->streams[i].kind == BOX_STREAM_FD) {
            ret_fds[(*ret_count)++] = spec->streams[i].fd;
        }
    }
    for (size_t i = 0; i < spec->service_fd_count; i++) {
        ret_fds[(*ret_count)++] = spec->service_fds[i];
    }
    for (size_t i = 0; i < spec->file_count; i++) {
        ret_fds[(*ret_count)++] = spec->files[i].fd;
    }
}

bool pack_run(const struct box_run_spec *spec, struct box_request *ret_request, int *ret_fds,
              size_t *ret_fd_count, struct err *err) {
    struct message_start *start = &ret_request->start;
    memset(ret_request, 0, sizeof(*ret_request));
    ret_request->magic = MESSAGE_MAGIC;
    ret_request->kind = REQUEST_START;
    start->profile = spec->profile;
    start->service = spec->service;
    start->limits = spec->limits;
    start->output_file_bytes_max = spec->output_file_bytes_max;
    for (int i = 0; i < 3; i++) {
        start->streams[i] = (struct message_stream){
            .kind = spec->streams[i].kind,
            .pipe = spec->streams[i].pipe,
            .bytes_max = spec->streams[i].bytes_max,
        };
    }
    if (!pack_lists(spec, start, err)) {
        return false;
    }
    pack_fds(spec, ret_fds, ret_fd_count);
    return true;
}

bool pack_error(const struct box_answer *answer, struct err *err) {
    if (answer->error_kind == ERR_NONE) {
        return true;
    }
    if (answer->error_kind >= ERR_KIND_COUNT || answer->error_code >= CODE_COUNT) {
        return err_fault(err, FAULT_NODE, ERR_SYSTEM, message_codes[CODE_BROKEN],
                         "assize-box sent an unknown error");
    }
    char text[sizeof(answer->error_text)];
    memcpy(text, answer->error_text, sizeof(text));
    text[sizeof(text) - 1] = '\0';
    (void)err_set(err, (enum err_kind)answer->error_kind, message_codes[answer->error_code], "%s",
                  text);
    err->os_errno = answer->os_errno;
    err->fault = answer->error_kind == ERR_SYSTEM ? FAULT_NODE : FAULT_NONE;
    return false;
}
