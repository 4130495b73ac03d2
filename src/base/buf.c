/* Growing bytes with a maximum. One byte beyond the maximum is kept in reserve for buf_c's NUL. */
#include "base/buf.h"

#include "base/check.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CAPACITY_FIRST ((size_t)256)

static void buf_check(const struct buf *buf) {
    CHECK(buf->len <= buf->bytes_max);
    CHECK(buf->len == 0 || buf->len < buf->capacity);
}

void buf_init(struct buf *buf, size_t bytes_max) {
    CHECK(bytes_max < SIZE_MAX / 4);
    *buf = (struct buf){.bytes_max = bytes_max};
}

void buf_done(struct buf *buf) {
    if (buf == NULL) {
        return;
    }
    free(buf->ptr);
    *buf = (struct buf){.bytes_max = buf->bytes_max};
}

/* Makes room for `bytes` more and a NUL; false when that passes the maximum. */
static bool make_room(struct buf *buf, size_t bytes) {
    buf_check(buf);
    if (buf->full || bytes > buf->bytes_max - buf->len) {
        buf->full = true;
        return false;
    }
    size_t needed = buf->len + bytes + 1;
    if (needed <= buf->capacity) {
        return true;
    }
    size_t capacity = buf->capacity == 0 ? CAPACITY_FIRST : buf->capacity * 2;
    capacity = capacity < needed ? needed : capacity;
    capacity = capacity > buf->bytes_max + 1 ? buf->bytes_max + 1 : capacity;
    char *grown = realloc(buf->ptr, capacity);
    CHECK(grown != NULL);
    buf->ptr = grown;
    buf->capacity = capacity;
    return true;
}

bool buf_append(struct buf *buf, struct str text) {
    if (!make_room(buf, text.len)) {
        return false;
    }
    if (text.len > 0) {
        memcpy(buf->ptr + buf->len, text.ptr, text.len);
        buf->len += text.len;
    }
    return true;
}

bool buf_append_c(struct buf *buf, const char *text) {
    return buf_append(buf, str_from(text));
}

bool buf_append_char(struct buf *buf, char c) {
    return buf_append(buf, str_of(&c, 1));
}

bool buf_append_i64(struct buf *buf, int64_t value) {
    char digits[24];
    int length = snprintf(digits, sizeof(digits), "%" PRId64, value);
    return buf_append(buf, str_of(digits, (size_t)length));
}

bool buf_printf(struct buf *buf, const char *format, ...) {
    va_list args;
    va_start(args, format);
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    CHECK(length >= 0);
    bool fits = make_room(buf, (size_t)length);
    if (fits) {
        vsnprintf(buf->ptr + buf->len, (size_t)length + 1, format, again);
        buf->len += (size_t)length;
    }
    va_end(again);
    return fits;
}

/* The longest piece at the start of `text` that needs no escape; 0 when its first byte needs one.
 */
static size_t plain_bytes(struct str text) {
    size_t len = 0;
    while (len < text.len) {
        unsigned char c = (unsigned char)text.ptr[len];
        if (c < 0x20 || c == '"' || c == '\\' || c == 0x7f) {
            break;
        }
        size_t step = c < 0x80 ? 1 : str_utf8_len(str_sub(text, len, 4));
        if (step == 0) {
            break;
        }
        len += step;
    }
    return len;
}

static void append_escaped(struct buf *buf, unsigned char c) {
    static const char short_escapes[] = {['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f',
                                         ['\r'] = 'r', ['"'] = '"',  ['\\'] = '\\'};
    if (c < sizeof(short_escapes) && short_escapes[c] != '\0') {
        buf_append(buf, str_of((char[]){'\\', short_escapes[c]}, 2));
    } else if (c < 0x80) {
        buf_printf(buf, "\\u%04x", (unsigned)c);
    } else {
        buf_append(buf, STR("\xef\xbf\xbd")); /* U+FFFD: what stood here is not UTF-8 */
    }
}

bool buf_append_json(struct buf *buf, struct str text) {
    size_t before = buf->len;
    buf_append_char(buf, '"');
    while (text.len > 0 && !buf->full) {
        size_t plain = plain_bytes(text);
        if (plain > 0) {
            buf_append(buf, str_sub(text, 0, plain));
        } else {
            append_escaped(buf, (unsigned char)text.ptr[0]);
            plain = 1;
        }
        text = str_sub(text, plain, text.len);
    }
    buf_append_char(buf, '"');
    if (buf->full) {
        buf->len = before; /* a refused append leaves nothing behind */
    }
    return !buf->full;
}

char *buf_reserve(struct buf *buf, size_t bytes) {
    return make_room(buf, bytes) ? buf->ptr + buf->len : NULL;
}

void buf_grew(struct buf *buf, size_t bytes) {
    CHECK(buf->capacity > buf->len);
    CHECK(bytes < buf->capacity - buf->len);
    buf->len += bytes;
}

void buf_clear(struct buf *buf) {
    buf->len = 0;
    buf->full = false;
}

struct str buf_str(const struct buf *buf) {
    return str_of(buf->ptr, buf->len);
}

const char *buf_c(struct buf *buf) {
    if (buf->capacity == 0) {
        return "";
    }
    buf->ptr[buf->len] = '\0';
    return buf->ptr;
}

bool buf_ok(const struct buf *buf, const char *what, struct err *err) {
    if (buf->full) {
        return err_set(err, ERR_TOO_LARGE, "too_large", "%s is larger than %zu bytes", what,
                       buf->bytes_max);
    }
    return true;
}
