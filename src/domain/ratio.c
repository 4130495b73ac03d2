/* Decimals as exact ratios. */
#include "domain/ratio.h"
#include "base/check.h"

#define DIGITS_MAX 18
#define EXPONENT_MAX 1000
#define OVER_MAX INT64_C(999999999999999999)

/* digits * 10^exponent */
struct decimal {
    int64_t digits;
    int32_t count; /* of digits, without leading zeros */
    int64_t exponent;
    bool any;
};

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Digits behind the eighteenth only move the point. */
static void add_digit(struct decimal *decimal, char c, bool behind_point) {
    decimal->any = true;
    if (decimal->count < DIGITS_MAX) {
        decimal->digits = decimal->digits * 10 + (c - '0');
        decimal->count += decimal->digits != 0 ? 1 : 0;
        decimal->exponent -= behind_point ? 1 : 0;
    } else {
        decimal->exponent += behind_point ? 0 : 1;
    }
}

/* Returns what is left behind the mantissa. */
static struct str read_mantissa(struct str text, struct decimal *decimal) {
    bool point = false;
    size_t at = 0;
    for (; at < text.len; at++) {
        if (text.ptr[at] == '.' && !point) {
            point = true;
        } else if (is_digit(text.ptr[at])) {
            add_digit(decimal, text.ptr[at], point);
        } else {
            break;
        }
    }
    return str_sub(text, at, text.len);
}

static bool read_exponent(struct str text, struct decimal *decimal) {
    struct err ignored = {0};
    int64_t exponent = 0;
    if (text.len == 0) {
        return true;
    }
    if (text.ptr[0] != 'e' && text.ptr[0] != 'E') {
        return false;
    }
    text = str_sub(text, 1, text.len);
    text = str_starts(text, STR("+")) ? str_sub(text, 1, text.len) : text;
    if (!str_to_i64(text, -EXPONENT_MAX, EXPONENT_MAX, &exponent, &ignored)) {
        return false;
    }
    decimal->exponent += exponent;
    return true;
}

static bool scale(const struct decimal *decimal, struct ratio *ret_ratio) {
    struct ratio ratio = {.over = decimal->digits, .under = 1};
    int64_t exponent = decimal->digits == 0 ? 0 : decimal->exponent;
    for (; exponent > 0; exponent--) {
        if (ratio.over > OVER_MAX / 10) {
            return false;
        }
        ratio.over *= 10;
    }
    for (int places = 0; exponent < 0; exponent++, places++) {
        if (places < DIGITS_MAX) {
            ratio.under *= 10;
        } else {
            ratio.over /= 10;
        }
    }
    *ret_ratio = ratio;
    return true;
}

bool ratio_parse(struct str text, struct ratio *ret_ratio) {
    struct decimal decimal = {.digits = 0};
    bool negative = str_starts(text, STR("-"));
    if (negative || str_starts(text, STR("+"))) {
        text = str_sub(text, 1, text.len);
    }
    struct str rest = read_mantissa(text, &decimal);
    bool good = decimal.any && read_exponent(rest, &decimal);
    /* -0.0 is what some runtimes print for nothing */
    return good && !(negative && decimal.digits != 0) && scale(&decimal, ret_ratio);
}

bool ratio_fits(struct ratio value, int64_t whole, int64_t limit) {
    CHECK(value.over >= 0);
    CHECK(value.under > 0);
    return (__int128)value.over * whole <= (__int128)limit * value.under;
}

struct ratio ratio_divide(struct ratio value, int64_t by) {
    CHECK(by >= 1 && by <= 1000000000);
    while (value.under > INT64_MAX / by) {
        value.under /= 10;
        value.over /= 10;
    }
    return (struct ratio){.over = value.over, .under = value.under * by};
}

int64_t ratio_times(struct ratio value, int64_t whole) {
    CHECK(ratio_fits(value, whole, INT64_MAX));
    return (int64_t)((__int128)value.over * whole / value.under);
}
