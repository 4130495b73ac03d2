/* Borrowed bytes: cutting, comparing and reading numbers. Everything here is total: no input makes
 * it fail in any way but the one its header names. */
#include "base/str.h"

#include "base/check.h"
#include "base/ck.h"
#include <inttypes.h>
#include <string.h>

#define SCALED_DIGITS_MAX 18
#define QUOTED_BYTES_MAX 40 /* of a refused text, shown in the message */

static bool is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static char to_lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

struct str str_from(const char *text) {
    return text == NULL ? STR("") : (struct str){text, strlen(text)};
}

struct str str_of(const void *bytes, size_t len) {
    return bytes == NULL ? STR("") : (struct str){bytes, len};
}

bool str_eq(struct str a, struct str b) {
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

bool str_eq_c(struct str a, const char *b) {
    return str_eq(a, str_from(b));
}

bool str_eq_nocase(struct str a, struct str b) {
    if (a.len != b.len) {
        return false;
    }
    for (size_t i = 0; i < a.len; i++) {
        if (to_lower(a.ptr[i]) != to_lower(b.ptr[i])) {
            return false;
        }
    }
    return true;
}

int str_cmp(struct str a, struct str b) {
    size_t common = a.len < b.len ? a.len : b.len;
    int order = common == 0 ? 0 : memcmp(a.ptr, b.ptr, common);
    if (order == 0 && a.len != b.len) {
        order = a.len < b.len ? -1 : 1;
    }
    return order;
}

bool str_starts(struct str s, struct str prefix) {
    return s.len >= prefix.len && str_eq(str_sub(s, 0, prefix.len), prefix);
}

bool str_ends(struct str s, struct str suffix) {
    return s.len >= suffix.len && str_eq(str_sub(s, s.len - suffix.len, suffix.len), suffix);
}

struct str str_sub(struct str s, size_t from, size_t len) {
    if (from >= s.len) {
        return STR("");
    }
    size_t rest = s.len - from;
    return (struct str){s.ptr + from, len < rest ? len : rest};
}

struct str str_trim(struct str s) {
    while (s.len > 0 && is_space(s.ptr[0])) {
        s.ptr++;
        s.len--;
    }
    while (s.len > 0 && is_space(s.ptr[s.len - 1])) {
        s.len--;
    }
    return s;
}

static bool cut_at(struct str s, const char *found, struct str *ret_head, struct str *ret_tail) {
    if (found == NULL) {
        *ret_head = s;
        *ret_tail = STR("");
        return false;
    }
    size_t head_len = (size_t)(found - s.ptr);
    *ret_head = (struct str){s.ptr, head_len};
    *ret_tail = (struct str){found + 1, s.len - head_len - 1};
    return true;
}

bool str_cut(struct str s, char at, struct str *ret_head, struct str *ret_tail) {
    return cut_at(s, s.len == 0 ? NULL : memchr(s.ptr, at, s.len), ret_head, ret_tail);
}

bool str_cut_last(struct str s, char at, struct str *ret_head, struct str *ret_tail) {
    return cut_at(s, s.len == 0 ? NULL : memrchr(s.ptr, at, s.len), ret_head, ret_tail);
}

bool str_next_line(struct str *rest, struct str *ret_line) {
    if (rest->len == 0) {
        return false;
    }
    struct str line = STR("");
    struct str tail = STR("");
    str_cut(*rest, '\n', &line, &tail);
    if (line.len > 0 && line.ptr[line.len - 1] == '\r') {
        line.len--;
    }
    *ret_line = line;
    *rest = tail;
    return true;
}

bool str_next_word(struct str *rest, struct str *ret_word) {
    struct str text = *rest;
    while (text.len > 0 && is_space(text.ptr[0])) {
        text = str_sub(text, 1, text.len);
    }
    if (text.len == 0) {
        *rest = text;
        return false;
    }
    size_t len = 0;
    while (len < text.len && !is_space(text.ptr[len])) {
        len++;
    }
    *ret_word = str_sub(text, 0, len);
    *rest = str_sub(text, len, text.len);
    return true;
}

/* Appends one decimal digit to *value; false on overflow. Works downwards from zero, because the
 * smallest int64 has no positive twin. */
static bool push_digit(int64_t *value, char c) {
    return ck_mul(*value, 10, value) && ck_sub(*value, c - '0', value);
}

static bool parse_i64(struct str s, int64_t *ret_value) {
    bool negative = s.len > 0 && s.ptr[0] == '-';
    struct str digits = negative ? str_sub(s, 1, s.len) : s;
    if (digits.len == 0) {
        return false;
    }
    int64_t value = 0;
    for (size_t i = 0; i < digits.len; i++) {
        if (!is_digit(digits.ptr[i]) || !push_digit(&value, digits.ptr[i])) {
            return false;
        }
    }
    return negative ? (*ret_value = value, true) : ck_sub(0, value, ret_value);
}

bool str_to_i64(struct str s, int64_t min, int64_t max, int64_t *ret_value, struct err *err) {
    int64_t value = 0;
    if (!parse_i64(s, &value) || value < min || value > max) {
        struct str shown = str_utf8_prefix(s, QUOTED_BYTES_MAX);
        return err_set(err, ERR_INVALID, "bad_number",
                       "\"" STR_FMT "\" is not a whole number from %" PRId64 " to %" PRId64,
                       STR_ARG(shown), min, max);
    }
    *ret_value = value;
    return true;
}

bool str_has_word(struct str text, const char *word) {
    struct str next = STR("");
    while (str_next_word(&text, &next)) {
        if (str_eq_c(next, word)) {
            return true;
        }
    }
    return false;
}

bool str_key_i64(struct str text, const char *key, int64_t *ret_value) {
    struct str line = STR("");
    while (str_next_line(&text, &line)) {
        struct str name = STR("");
        struct str value = STR("");
        struct err err = {0};
        if (str_cut(line, ' ', &name, &value) && str_eq_c(name, key)) {
            return str_to_i64(str_trim(value), 0, INT64_MAX, ret_value, &err);
        }
    }
    return false;
}

bool str_after_i64(struct str text, const char *mark, int64_t *ret_value) {
    struct err err = {0};
    size_t length = strlen(mark);
    const char *at = text.len == 0 ? NULL : memmem(text.ptr, text.len, mark, length);
    if (at == NULL) {
        return false;
    }
    struct str rest = str_sub(text, (size_t)(at - text.ptr) + length, text.len);
    size_t digits = 0;
    while (digits < rest.len && is_digit(rest.ptr[digits])) {
        digits++;
    }
    return str_to_i64(str_sub(rest, 0, digits), 0, INT64_MAX, ret_value, &err);
}

static bool parse_scaled(struct str s, int digits, int64_t *ret_value) {
    struct str whole = STR("");
    struct str decimals = STR("");
    bool has_point = str_cut(s, '.', &whole, &decimals);
    if (whole.len == 0 || (has_point && decimals.len == 0)) {
        return false;
    }
    int64_t value = 0;
    for (size_t i = 0; i < whole.len; i++) {
        if (!is_digit(whole.ptr[i]) || !push_digit(&value, whole.ptr[i])) {
            return false;
        }
    }
    for (size_t i = 0; i < (size_t)digits || i < decimals.len; i++) {
        char c = i < decimals.len ? decimals.ptr[i] : '0';
        bool beyond = i >= (size_t)digits;
        if (!is_digit(c) || (beyond && c != '0') || (!beyond && !push_digit(&value, c))) {
            return false;
        }
    }
    return ck_sub(0, value, ret_value);
}

bool str_to_scaled(struct str s, int digits, int64_t max, int64_t *ret_value, struct err *err) {
    CHECK(digits >= 0 && digits <= SCALED_DIGITS_MAX);
    int64_t value = 0;
    struct str shown = str_utf8_prefix(s, QUOTED_BYTES_MAX);
    if (!parse_scaled(s, digits, &value)) {
        return err_set(err, ERR_INVALID, "bad_number",
                       "\"" STR_FMT "\" is not a decimal number such as 1.5 with at most %d "
                       "decimals",
                       STR_ARG(shown), digits);
    }
    if (value > max) {
        return err_set(err, ERR_INVALID, "bad_number", "\"" STR_FMT "\" is too large",
                       STR_ARG(shown));
    }
    *ret_value = value;
    return true;
}

bool str_to_c(struct str s, char *out, size_t out_bytes, struct err *err) {
    if (str_has_nul(s)) {
        return err_set(err, ERR_INVALID, "bad_text", "the text has a NUL byte inside");
    }
    if (s.len >= out_bytes) {
        return err_set(err, ERR_TOO_LARGE, "too_large",
                       "the text has %zu bytes; at most %zu are allowed", s.len,
                       out_bytes == 0 ? 0 : out_bytes - 1);
    }
    if (s.len > 0) {
        memcpy(out, s.ptr, s.len);
    }
    out[s.len] = '\0';
    return true;
}

bool str_has_nul(struct str s) {
    return s.len > 0 && memchr(s.ptr, '\0', s.len) != NULL;
}

/* RFC 3629, table 3-7 of the Unicode standard: the second byte's range depends on the first, which
 * keeps out overlong forms, surrogates and what lies beyond U+10FFFF. */
static const struct utf8_form {
    unsigned char first_min, first_max, second_min, second_max, len;
} utf8_forms[] = {
    {0x00, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
    {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
    {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
};

static const struct utf8_form *utf8_form_of(unsigned char first) {
    for (size_t i = 0; i < sizeof(utf8_forms) / sizeof(utf8_forms[0]); i++) {
        if (first >= utf8_forms[i].first_min && first <= utf8_forms[i].first_max) {
            return &utf8_forms[i];
        }
    }
    return NULL;
}

size_t str_utf8_len(struct str s) {
    if (s.len == 0) {
        return 0;
    }
    const unsigned char *bytes = (const unsigned char *)s.ptr;
    const struct utf8_form *form = utf8_form_of(bytes[0]);
    if (form == NULL || form->len > s.len) {
        return 0;
    }
    if (form->len > 1 && (bytes[1] < form->second_min || bytes[1] > form->second_max)) {
        return 0;
    }
    for (size_t i = 2; i < form->len; i++) {
        if ((bytes[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    return form->len;
}

bool str_is_utf8(struct str s) {
    size_t at = 0;
    while (at < s.len) {
        size_t step = str_utf8_len(str_sub(s, at, 4));
        if (step == 0) {
            return false;
        }
        at += step;
    }
    return true;
}

struct str str_utf8_prefix(struct str s, size_t max_bytes) {
    if (s.len <= max_bytes) {
        return s;
    }
    /* Step back over the bytes of a sequence that began before the border and ends behind it. Text
     * that is not UTF-8 is cut where it must be. */
    for (size_t back = 1; back <= 3 && back <= max_bytes; back++) {
        size_t start = max_bytes - back;
        if (((unsigned char)s.ptr[start] & 0xc0) != 0x80) {
            bool cut_through = str_utf8_len(str_sub(s, start, 4)) > back;
            return str_sub(s, 0, cut_through ? start : max_bytes);
        }
    }
    return str_sub(s, 0, max_bytes);
}

void hex_encode(const uint8_t *bytes, size_t count, char *out) {
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < count; i++) {
        out[2 * i] = digits[bytes[i] >> 4];
        out[2 * i + 1] = digits[bytes[i] & 15];
    }
}

static int hex_value(char c) {
    char lower = to_lower(c);
    if (is_digit(lower)) {
        return lower - '0';
    }
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

bool hex_decode(struct str text, uint8_t *out, size_t count) {
    if (text.len / 2 != count || text.len % 2 != 0) {
        return false;
    }
    for (size_t i = 0; i < text.len; i++) {
        if (hex_value(text.ptr[i]) < 0) {
            return false; /* before anything is written: out stays as it was */
        }
    }
    for (size_t i = 0; i < count; i++) {
        out[i] = (uint8_t)(hex_value(text.ptr[2 * i]) * 16 + hex_value(text.ptr[2 * i + 1]));
    }
    return true;
}
