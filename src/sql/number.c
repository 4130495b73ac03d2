/* Comparing numbers by their digits. */
#include "sql/number.h"

#include <stdlib.h>
#include <string.h>

#define NUMBER_BYTES_MAX 400 /* DOUBLE as a decimal has up to 309 digits before the point */
#define TOLERANCE 1e-9

struct number {
    bool negative;
    char digits[NUMBER_BYTES_MAX]; /* without zeros at either end */
    size_t count;
    int64_t exponent; /* 0.digits x 10^exponent */
};

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool read_exponent(struct str text, int64_t *ret_exponent) {
    struct err ignored = {0};
    if (text.len > 0 && text.ptr[0] == '+') {
        text = str_sub(text, 1, text.len);
    }
    return str_to_i64(text, -100000, 100000, ret_exponent, &ignored);
}

/* Digits of the part before 'e', with at most one point. */
static bool read_digits(struct str text, struct number *number) {
    bool point = false;
    bool any = false;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == '.' && !point) {
            point = true;
            continue;
        }
        if (!is_digit(c)) {
            return false;
        }
        any = true;
        if (number->count == 0 && c == '0') { /* in front */
            number->exponent -= point ? 1 : 0;
            continue;
        }
        number->exponent += point ? 0 : 1;
        number->digits[number->count++] = c;
    }
    return any;
}

static bool read_number(struct str text, struct number *ret_number) {
    struct number number = {.negative = false};
    int64_t exponent = 0;
    size_t e = 0;
    if (text.len == 0 || text.len > NUMBER_BYTES_MAX) {
        return false;
    }
    if (text.ptr[0] == '-' || text.ptr[0] == '+') {
        number.negative = text.ptr[0] == '-';
        text = str_sub(text, 1, text.len);
    }
    while (e < text.len && text.ptr[e] != 'e' && text.ptr[e] != 'E') {
        e++;
    }
    if (e < text.len && !read_exponent(str_sub(text, e + 1, text.len), &exponent)) {
        return false;
    }
    if (!read_digits(str_sub(text, 0, e), &number)) {
        return false;
    }
    while (number.count > 0 && number.digits[number.count - 1] == '0') {
        number.count--;
    }
    number.exponent = number.count == 0 ? 0 : number.exponent + exponent;
    number.negative = number.negative && number.count > 0;
    *ret_number = number;
    return true;
}

bool sql_number_is(struct str text) {
    struct number number;
    return read_number(text, &number);
}

bool sql_number_equal(struct str a, struct str b) {
    struct number left;
    struct number right;
    if (!read_number(a, &left) || !read_number(b, &right)) {
        return str_eq(a, b);
    }
    return left.negative == right.negative && left.exponent == right.exponent &&
           left.count == right.count && memcmp(left.digits, right.digits, left.count) == 0;
}

double sql_number_value(struct str text) {
    char copy[NUMBER_BYTES_MAX + 1];
    struct err ignored = {0};
    return str_to_c(text, copy, sizeof copy, &ignored) ? strtod(copy, NULL) : 0;
}

static double magnitude(double value) {
    return value < 0 ? -value : value;
}

bool sql_number_near(struct str a, struct str b) {
    double left = sql_number_value(a);
    double right = sql_number_value(b);
    double apart = left < right ? right - left : left - right;
    double size = magnitude(left) > magnitude(right) ? magnitude(left) : magnitude(right);
    return str_eq(a, b) || apart <= TOLERANCE * (size > 1 ? size : 1);
}
