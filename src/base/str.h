#ifndef BASE_STR_H
#define BASE_STR_H

#include "base/err.h"
#include <stddef.h>
#include <stdint.h>

/* Borrowed bytes by value; no NUL at the end, and NULs inside are allowed. */
struct str {
    const char *ptr;
    size_t len;
};

#define STR(literal) ((struct str){"" literal, sizeof(literal) - 1})
#define STR_FMT "%.*s"
#define STR_ARG(s) (int)(s).len, (s).ptr

struct str str_from(const char *text); /* NULL becomes empty */
struct str str_of(const void *bytes, size_t len);
bool str_eq(struct str a, struct str b);
bool str_eq_c(struct str a, const char *b);
bool str_eq_nocase(struct str a, struct str b); /* ASCII letters only */
int str_cmp(struct str a, struct str b);        /* byte order */
bool str_starts(struct str s, struct str prefix);
bool str_ends(struct str s, struct str suffix);
struct str str_sub(struct str s, size_t from, size_t len); /* clamped to s */
struct str str_trim(struct str s);                         /* ASCII white space at both ends */

/* Cuts at the first `at`. True when it was there; else *head is all of s and *tail is empty. */
bool str_cut(struct str s, char at, struct str *ret_head, struct str *ret_tail);
/* Cuts at the last `at`. */
bool str_cut_last(struct str s, char at, struct str *ret_head, struct str *ret_tail);
/* Takes the next line (without its LF or CRLF) off *rest; false at the end. */
bool str_next_line(struct str *rest, struct str *ret_line);
/* Takes the next word (runs of ASCII white space separate) off *rest; false at the end. */
bool str_next_word(struct str *rest, struct str *ret_word);

/* Whether `word` is one of the words of `text` that white space separates. */
bool str_has_word(struct str text, const char *word);
/* The number of the line "<key> <number>" in `text`, as the kernel's tables have it; false without
 * such a line. */
bool str_key_i64(struct str text, const char *key, int64_t *ret_value);
/* The number right behind the first `mark` in `text`; false without one. */
bool str_after_i64(struct str text, const char *mark, int64_t *ret_value);

/* Whole text as a decimal integer within [min, max]; ERR_INVALID "bad_number" otherwise. */
checked bool str_to_i64(struct str s, int64_t min, int64_t max, int64_t *ret_value,
                        struct err *err);
/* "1.25" with at most `digits` (0 to 18) decimals, times 10^digits, as an exact integer in 0..max:
 * no float ever enters a limit. Further decimals are fine when they are zeros. ERR_INVALID
 * "bad_number" otherwise. */
checked bool str_to_scaled(struct str s, int digits, int64_t max, int64_t *ret_value,
                           struct err *err);
/* Copies into `out` with a NUL. Refuses an embedded NUL and a text that does not fit. */
checked bool str_to_c(struct str s, char *out, size_t out_bytes, struct err *err);
bool str_has_nul(struct str s);
bool str_is_utf8(struct str s); /* well formed: no overlong form, no surrogate */
/* Length of the well formed sequence (1 to 4 bytes) that `s` begins with; 0 when there is none. */
size_t str_utf8_len(struct str s);
/* The longest prefix of at most max_bytes that does not cut a UTF-8 sequence. */
struct str str_utf8_prefix(struct str s, size_t max_bytes);

void hex_encode(const uint8_t *bytes, size_t count, char *out); /* 2*count chars, no NUL */
bool hex_decode(struct str text, uint8_t *out, size_t count);   /* exact length, either case */

#endif
