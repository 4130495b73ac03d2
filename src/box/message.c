/* Packing of runs into messages, and errors across the pair. What a message may hold is check.c. */
#include "box/message.h"

#include "base/check.h"
#include <string.h>

static const char *const code_names[CODE_COUNT] = {
    [CODE_NONE] = "none",           [CODE_UNAVAILABLE] = "box_unavailable",
    [CODE_BAD_RUN] = "box_bad_run", [CODE_BAD_SLOT] = "box_bad_slot",
    [CODE_NO_RUN] = "box_no_run",   [CODE_SLOT_FULL] = "box_slot_full",
    [CODE_FAILED] = "box_failed",   [CODE_BROKEN] = "box_broken",
};

const char *message_code_name(enum message_code code) {
    CHECK(code < CODE_COUNT);
    return code_names[code];
}

static bool bad_run(struct err *err, const char *what) {
    return err_set(err, ERR_INVALID, code_names[CODE_BAD_RUN], "%s", what);
}

static bool copy_text(const char *text, char *out, size_t out_bytes, const char *what,
                      struct err *err) {
    size_t length = text == NULL ? out_bytes : strlen(text);
    if (length >= out_bytes) {
        return err_set(err, ERR_INVALID, code_names[CODE_BAD_RUN],
                       "%s is missing or longer than %zu", what, out_bytes - 1);
    }
    memcpy(out, text, length + 1);
    return true;
}

static bool pack_list(const char *const *list, char *out, size_t out_bytes, uint32_t *ret_count,
                      const char *what, struct err *err) {
    size_t used = 0;
    uint32_t count = 0;
    for (; list != NULL && list[count] != NULL; count++) {
        if (count == MESSAGE_ARGS_MAX ||
            !copy_text(list[count], out + used, out_bytes - used, what, err)) {
            return bad_run(err, what);
        }
        used += strlen(list[count]) + 1;
    }
    *ret_count = count;
    return true;
}

static bool pack_names(const struct box_run_spec *spec, struct message_start *start,
                       struct err *err) {
    for (; spec->roots != NULL && spec->roots[start->root_count] != NULL; start->root_count++) {
        if (start->root_count == BOX_ROOTS_MAX) {
            return bad_run(err, "too many roots");
        }
        if (!copy_text(spec->roots[start->root_count], start->roots[start->root_count],
                       MESSAGE_ROOT_BYTES_MAX, "a root", err)) {
            return false;
        }
    }
    for (; spec->outputs != NULL && spec->outputs[start->output_count] != NULL;
         start->output_count++) {
        if (start->output_count == BOX_FILES_MAX) {
            return bad_run(err, "too many outputs");
        }
        if (!copy_text(spec->outputs[start->output_count], start->outputs[start->output_count],
                       BOX_NAME_BYTES_MAX, "the name of an output", err)) {
            return false;
        }
    }
    return true;
}

static bool pack_files(const struct box_run_spec *spec, struct message_start *start,
                       struct err *err) {
    if (spec->file_count > BOX_FILES_MAX) {
        return bad_run(err, "too many files");
    }
    for (size_t i = 0; i < spec->file_count; i++) {
        struct message_file *file = &start->files[i];
        if (!copy_text(spec->files[i].name, file->name, sizeof(file->name), "the name of a file",
                       err)) {
            return false;
        }
        file->executable = spec->files[i].executable;
        file->writable = spec->files[i].writable;
    }
    start->file_count = (uint32_t)spec->file_count;
    return true;
}

bool message_pack(const struct box_run_spec *spec, struct box_request *ret_request,
                  struct err *err) {
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
    return pack_list(spec->argv, start->argv, sizeof(start->argv), &start->argc,
                     "the command is longer than the box takes", err) &&
           pack_list(spec->env, start->env, sizeof(start->env), &start->envc,
                     "the environment is longer than the box takes", err) &&
           pack_names(spec, start, err) && pack_files(spec, start, err);
}

size_t message_start_fds(const struct message_start *start) {
    size_t count = start->file_count;
    for (int i = 0; i < 3; i++) {
        count += start->streams[i].kind == BOX_STREAM_FD;
    }
    return count;
}

void message_unpack(const char *packed, uint32_t count, const char **ret_argv) {
    CHECK(count <= MESSAGE_ARGS_MAX);
    for (uint32_t i = 0; i < count; i++) {
        ret_argv[i] = packed;
        packed += strlen(packed) + 1;
    }
    ret_argv[count] = NULL;
}

static enum message_code code_of(const char *name) {
    for (size_t i = 1; i < CODE_COUNT; i++) {
        if (name != NULL && strcmp(name, code_names[i]) == 0) {
            return (enum message_code)i;
        }
    }
    return CODE_FAILED; /* a code of base/: a system call failed */
}

void message_error_to(const struct err *err, struct box_answer *ret_answer) {
    ret_answer->error_kind = err->kind;
    ret_answer->error_code = code_of(err->code);
    ret_answer->os_errno = err->os_errno;
    memcpy(ret_answer->error_text, err->text, sizeof(ret_answer->error_text));
}

bool message_error_from(const struct box_answer *answer, struct err *err) {
    if (answer->error_kind == ERR_NONE) {
        return true;
    }
    if (answer->error_kind >= ERR_KIND_COUNT || answer->error_code >= CODE_COUNT) {
        return err_fault(err, FAULT_NODE, ERR_SYSTEM, code_names[CODE_BROKEN],
                         "assize-box sent an unknown error");
    }
    char text[sizeof(answer->error_text)];
    memcpy(text, answer->error_text, sizeof(text));
    text[sizeof(text) - 1] = '\0';
    (void)err_set(err, (enum err_kind)answer->error_kind, code_names[answer->error_code], "%s",
                  text);
    err->os_errno = answer->os_errno;
    err->fault = answer->error_kind == ERR_SYSTEM ? FAULT_NODE : FAULT_NONE;
    return false;
}
