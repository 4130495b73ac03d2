/* One token of the output against one of the answer. */
#include "judge/block.h"
#include "judge/compare_internal.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_BYTES_MAX 4096

static char fold(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool compare_text(const struct compare_rules *rules, const char *a, const char *b, size_t len) {
    if (memcmp(a, b, len) == 0) {
        return true;
    }
    for (size_t i = 0; i < len && !rules->case_sensitive; i++) {
        if (fold(a[i]) != fold(b[i])) {
            return false;
        }
    }
    return !rules->case_sensitive;
}

size_t compare_common(struct str a, struct str b) {
    size_t both = a.len < b.len ? a.len : b.len;
    size_t at = 0;
    while (both - at >= BLOCK_BYTES) {
        uint64_t same = block_same(a.ptr + at, b.ptr + at);
        if (same != ~(uint64_t)0) {
            return at + (size_t)__builtin_ctzll(~same);
        }
        at += BLOCK_BYTES;
    }
    while (at < both && a.ptr[at] == b.ptr[at]) {
        at++;
    }
    return at;
}

/* ---- numbers ---- */

static bool is_number(struct str token, long double *ret_value) {
    char text[NUMBER_BYTES_MAX];
    char *end = NULL;
    if (token.len == 0 || token.len >= sizeof text) {
        return false;
    }
    memcpy(text, token.ptr, token.len);
    text[token.len] = '\0';
    *ret_value = strtold(text, &end);
    return end == text + token.len;
}

static bool is_near(const struct compare_rules *rules, long double expected, long double got) {
    if (isnan(expected) || isnan(got)) {
        return isnan(expected) && isnan(got);
    }
    if (isinf(expected) || isinf(got)) {
        return expected == got;
    }
    long double difference = fabsl(expected - got);
    return (rules->has_absolute && difference <= rules->absolute) ||
           (rules->has_relative && difference <= rules->relative * fabsl(expected));
}

/* Powers of ten that a long double holds exactly. */
#define EXACT_TEN_MAX 18
#define EXACT_DIGITS_MAX 18
static_assert(LDBL_MANT_DIG >= 64, "18 digits and 10^18 are exact");

/* Decimal digits with at most one point, as nearly all numbers are written: one exact integer
 * divided by one exact power of ten is rounded once, as strtold rounds. */
static bool is_plain_number(struct str token, long double *ret_value) {
    static const long double tens[EXACT_TEN_MAX + 1] = {
        1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,  1e8L, 1e9L,
        1e10L, 1e11L, 1e12L, 1e13L, 1e14L, 1e15L, 1e16L, 1e17L, 1e18L};
    bool negative = token.len > 0 && token.ptr[0] == '-';
    size_t at = negative ? 1 : 0;
    size_t digits = token.len - at;
    uint64_t value = 0;
    size_t behind_point = 0;
    bool point = false;
    if (digits == 0 || digits > EXACT_DIGITS_MAX || token.ptr[token.len - 1] == '.') {
        return false;
    }
    for (; at < token.len; at++) {
        unsigned digit = (unsigned)(unsigned char)token.ptr[at] - '0';
        if (digit > 9) {
            if (token.ptr[at] != '.' || point) {
                return false;
            }
            point = true;
            continue;
        }
        value = value * 10 + digit;
        behind_point += point ? 1 : 0;
    }
    long double number = (long double)value / tens[behind_point];
    *ret_value = negative ? -number : number;
    return true;
}

static bool read_number(struct str token, long double *ret_value) {
    return is_plain_number(token, ret_value) || is_number(token, ret_value);
}

enum compare_why compare_tokens(const struct compare_rules *rules, struct str expected,
                                struct str got) {
    long double number = 0;
    long double value = 0;
    if (str_eq(expected, got)) {
        return COMPARE_EQUAL;
    }
    if ((rules->has_absolute || rules->has_relative) && read_number(expected, &number)) {
        return read_number(got, &value) && is_near(rules, number, value) ? COMPARE_EQUAL
                                                                         : COMPARE_NUMBER;
    }
    return expected.len == got.len && compare_text(rules, expected.ptr, got.ptr, got.len)
               ? COMPARE_EQUAL
               : COMPARE_TOKEN;
}
