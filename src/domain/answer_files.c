#include "domain/answer_files.h"

#define BEGIN STR("=== ")
#define END STR(" ===")
#define NAME_BYTES_MAX 255

/* The name in a line that begins a file; false for any other line. */
static bool is_mark(struct str line, struct str *ret_name) {
    if (line.len <= BEGIN.len + END.len || !str_starts(line, BEGIN) || !str_ends(line, END)) {
        return false;
    }
    *ret_name = str_sub(line, BEGIN.len, line.len - BEGIN.len - END.len);
    return true;
}

static struct str first_line(struct str text) {
    struct str line = {0};
    return str_next_line(&text, &line) ? line : STR("");
}

bool answer_files_are_several(struct str text) {
    struct str name = {0};
    return is_mark(first_line(text), &name);
}

static bool has_mark(struct str text) {
    struct str line = {0};
    struct str name = {0};
    while (str_next_line(&text, &line)) {
        if (is_mark(line, &name)) {
            return true;
        }
    }
    return false;
}

static bool is_name(struct str name) {
    for (size_t i = 0; i < name.len; i++) {
        if ((unsigned char)name.ptr[i] < ' ') {
            return false;
        }
    }
    return name.len > 0 && name.len <= NAME_BYTES_MAX;
}

bool answer_files_add(struct buf *into, struct str name, struct str content, struct err *err) {
    if (!is_name(name)) {
        return err_set(err, ERR_INVALID, "bad_answers", "an answer file has no usable name");
    }
    if (has_mark(content)) {
        return err_set(err, ERR_INVALID, "bad_answers",
                       STR_FMT " has a line that reads as the beginning of a file: === NAME ===",
                       STR_ARG(name));
    }
    buf_append(into, BEGIN);
    buf_append(into, name);
    buf_append(into, END);
    buf_append_char(into, '\n');
    buf_append(into, content);
    if (content.len > 0 && content.ptr[content.len - 1] != '\n') {
        buf_append_char(into, '\n');
    }
    return buf_ok(into, "the answer files", err);
}

bool answer_files_next(struct str *rest, struct str *ret_name, struct str *ret_content) {
    struct str line = {0};
    struct str ahead = *rest;
    if (!str_next_line(&ahead, &line) || !is_mark(line, ret_name)) {
        return false;
    }
    struct str content = ahead;
    struct str name = {0};
    struct str before = ahead;
    while (str_next_line(&ahead, &line) && !is_mark(line, &name)) {
        before = ahead;
    }
    content.len -= before.len;
    *ret_content = content;
    *rest = before;
    return true;
}
