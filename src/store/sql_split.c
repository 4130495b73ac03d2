#include "store/sql_split.h"

#include <ctype.h>
#include <string.h>

/* How long the thing at the start of `text` is that a semicolon may stand in; 0: none. One without
 * an end goes to the end of the text: the database will say so. */
static size_t quoted_len(struct str text) {
    const char *end = memchr(text.ptr + 1, text.ptr[0], text.len - 1);
    return end == NULL ? text.len : (size_t)(end - text.ptr) + 1; /* '' is two of them */
}

static size_t comment_len(struct str text) {
    const char *end = NULL;
    size_t tail = 0;
    if (str_starts(text, STR("--"))) {
        end = memchr(text.ptr, '\n', text.len);
        tail = 1;
    } else if (str_starts(text, STR("/*"))) {
        end = memmem(text.ptr + 2, text.len - 2, "*/", 2);
        tail = 2;
    } else {
        return 0;
    }
    return end == NULL ? text.len : (size_t)(end - text.ptr) + tail;
}

/* The length of the first statement, with its semicolon if it has one. */
static size_t statement_len(struct str text, bool *ret_empty) {
    size_t at = 0;
    *ret_empty = true;
    while (at < text.len && text.ptr[at] != ';') {
        struct str here = str_sub(text, at, text.len);
        size_t comment = comment_len(here);
        if (comment > 0) {
            at += comment;
            continue;
        }
        *ret_empty = *ret_empty && isspace((unsigned char)here.ptr[0]);
        at += strchr("'\"`", here.ptr[0]) != NULL && here.ptr[0] != '\0' ? quoted_len(here) : 1;
    }
    return at < text.len ? at + 1 : at;
}

bool sql_next(struct str *rest, struct str *ret_statement) {
    while (rest->len > 0) {
        bool empty = true;
        size_t len = statement_len(*rest, &empty);
        struct str statement = str_sub(*rest, 0, len);
        *rest = str_sub(*rest, len, rest->len - len);
        if (!empty) {
            bool closed = statement.ptr[statement.len - 1] == ';';
            *ret_statement = str_trim(str_sub(statement, 0, statement.len - (closed ? 1 : 0)));
            return true;
        }
    }
    return false;
}
