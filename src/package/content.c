/* Files of a package on their way to the blob store. */
#include "base/check.h"
#include "base/file.h"
#include "package/reader_internal.h"
#include "package/scratch.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STEP_BYTES ((size_t)64 * KIB)
#define BOM STR("\xef\xbb\xbf")

bool content_put(struct package_reader *reader, const struct package_file *file,
                 struct blob_ref *ret_blob, struct err *err) {
    own_fd fd = -1;
    return (package_tree_read(reader->tree, file, &fd, err) &&
            reader->options->put(reader->options->context, fd, ret_blob, err)) ||
           err_wrap(err, STR_FMT, STR_ARG(file->name));
}

static bool read_step(int fd, char *step, int64_t offset, size_t *ret_got, struct err *err) {
    ssize_t got = -1;
    do {
        got = pread(fd, step, STEP_BYTES, offset);
    } while (got < 0 && errno == EINTR);
    if (got < 0) {
        return err_system(err, "read_failed", "cannot read");
    }
    *ret_got = (size_t)got;
    return true;
}

/* Binary data stays as it is: a NUL says that it is no text. */
static bool needs_change(int fd, char *step, bool *ret_needed, struct err *err) {
    bool found = false;
    bool last_cr = false;
    size_t got = 1;
    for (int64_t offset = 0; got > 0; offset += (int64_t)got) {
        if (!read_step(fd, step, offset, &got, err)) {
            return false;
        }
        struct str piece = str_of(step, got);
        if (str_has_nul(piece)) {
            *ret_needed = false;
            return true;
        }
        found = found || (offset == 0 && str_starts(piece, BOM)) ||
                (last_cr && str_starts(piece, STR("\n"))) ||
                (got > 0 && memmem(step, got, "\r\n", 2) != NULL);
        last_cr = got > 0 && step[got - 1] == '\r';
    }
    *ret_needed = found;
    return true;
}

/* In place: "\r\n" becomes "\n". *cr says whether a '\r' waits for what follows. */
static size_t drop_cr(char *step, size_t len, bool *cr, char *out) {
    size_t used = 0;
    for (size_t i = 0; i < len; i++) {
        if (*cr && step[i] != '\n') {
            out[used++] = '\r';
        }
        *cr = step[i] == '\r';
        if (!*cr) {
            out[used++] = step[i];
        }
    }
    return used;
}

static bool rewrite(int from_fd, int to_fd, char *step, char *out, struct err *err) {
    bool cr = false;
    size_t got = 1;
    for (int64_t offset = 0; got > 0; offset += (int64_t)got) {
        if (!read_step(from_fd, step, offset, &got, err)) {
            return false;
        }
        bool bom = offset == 0 && str_starts(str_of(step, got), BOM);
        size_t skip = bom ? BOM.len : 0;
        size_t used = drop_cr(step + skip, got - skip, &cr, out);
        if (!file_write_all(to_fd, str_of(out, used), err)) {
            return false;
        }
    }
    if (cr && !file_write_all(to_fd, STR("\r"), err)) {
        return false;
    }
    return lseek(to_fd, 0, SEEK_SET) == 0 ||
           err_system(err, "scratch_failed", "cannot rewind a temporary file");
}

static bool put_data(struct package_reader *reader, int fd, struct blob_ref *ret_blob,
                     struct err *err) {
    own_text step = malloc(STEP_BYTES);
    own_text out = malloc(STEP_BYTES + 1);
    own_fd changed = -1;
    bool needed = false;
    CHECK(step != NULL && out != NULL);
    if (!reader->options->keep_line_ends && !needs_change(fd, step, &needed, err)) {
        return false;
    }
    if (!needed) {
        return reader->options->put(reader->options->context, fd, ret_blob, err);
    }
    reader->cr_files++;
    return scratch_create(&changed, err) && rewrite(fd, changed, step, out, err) &&
           reader->options->put(reader->options->context, changed, ret_blob, err);
}

bool content_put_data(struct package_reader *reader, const struct package_file *file,
                      struct blob_ref *ret_blob, struct err *err) {
    own_fd fd = -1;
    return (package_tree_read(reader->tree, file, &fd, err) &&
            put_data(reader, fd, ret_blob, err)) ||
           err_wrap(err, STR_FMT, STR_ARG(file->name));
}

bool content_put_text(struct package_reader *reader, struct str text, bool data,
                      struct blob_ref *ret_blob, struct err *err) {
    own_fd fd = -1;
    if (!file_memory("text", text, false, &fd, err)) {
        return false;
    }
    return data ? put_data(reader, fd, ret_blob, err)
                : reader->options->put(reader->options->context, fd, ret_blob, err);
}

bool content_put_fd(struct package_reader *reader, int fd, struct blob_ref *ret_blob,
                    struct err *err) {
    return put_data(reader, fd, ret_blob, err);
}

bool content_text(struct package_reader *reader, const struct package_file *file, size_t bytes_max,
                  struct str *ret_text, struct err *err) {
    struct str raw = STR("");
    if (!package_tree_text(reader->tree, file, bytes_max, reader->arena, &raw, err)) {
        return false;
    }
    if (!str_is_utf8(raw)) {
        return package_refuse(err, file->name, 0, "it is not UTF-8: save it as UTF-8");
    }
    if (str_starts(raw, BOM)) {
        raw = str_sub(raw, BOM.len, raw.len);
    }
    bool cr = false;
    char *text = arena_alloc(reader->arena, raw.len + 1);
    size_t len = drop_cr((char *)(uintptr_t)raw.ptr, raw.len, &cr, text);
    if (cr) {
        text[len++] = '\r';
    }
    *ret_text = str_of(text, len);
    return true;
}
