#ifndef BASE_BUF_H
#define BASE_BUF_H

#include "base/own.h"
#include "base/str.h"

/* A growing buffer that knows its maximum from the start. Going over it sets `full` and keeps what
 * was there before the failed append; later appends are refused too. Writers may append freely and
 * look at buf_ok once at the end. */
struct buf {
    char *ptr;
    size_t len;
    size_t capacity;
    size_t bytes_max;
    bool full;
};

void buf_init(struct buf *buf, size_t bytes_max);
void buf_done(struct buf *buf); /* accepts NULL and a zeroed buf */
#define own_buf __attribute__((cleanup(buf_done))) struct buf

bool buf_append(struct buf *buf, struct str text);
bool buf_append_c(struct buf *buf, const char *text);
bool buf_append_char(struct buf *buf, char c);
bool buf_append_i64(struct buf *buf, int64_t value);
/* As a JSON string with its quotes; each byte that is not UTF-8 becomes U+FFFD. */
bool buf_append_json(struct buf *buf, struct str text);
bool buf_printf(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Room for at least `bytes` more: returns where to write, or NULL when over the maximum. */
char *buf_reserve(struct buf *buf, size_t bytes);
void buf_grew(struct buf *buf, size_t bytes); /* after writing into what buf_reserve gave */
void buf_clear(struct buf *buf);
struct str buf_str(const struct buf *buf);
const char *buf_c(struct buf *buf); /* with a NUL after the text, which is not counted */
/* ERR_TOO_LARGE with `what` named when an append was refused. */
checked bool buf_ok(const struct buf *buf, const char *what, struct err *err);

#endif
