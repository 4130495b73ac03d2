/* Arguments of the default validator, and decimals with one spelling. */
#include "base/check.h"
#include "package/reader_internal.h"
#include <stdlib.h>

#define DECIMAL_DIGITS_MAX 18
#define DECIMAL_BYTES_MAX 64
#define EXPONENT_MAX 99

struct decimal {
    char digits[DECIMAL_BYTES_MAX]; /* without leading zeros */
    size_t len;
    int64_t exponent;
};

static bool bad_decimal(struct str text, struct err *err) {
    return package_refuse(err, STR(""), 0,
                          "`" STR_FMT "` is no tolerance: write a decimal such as 1e-6 or 0.001",
                          STR_ARG(str_sub(text, 0, DECIMAL_BYTES_MAX)));
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Digits with at most one point, and at least one digit. */
static bool read_mantissa(struct str text, struct decimal *decimal) {
    bool point = false;
    bool any = false;
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '.' && !point) {
            point = true;
            continue;
        }
        if (!is_digit(text.ptr[i])) {
            return false;
        }
        any = true;
        decimal->exponent -= point ? 1 : 0;
        if (decimal->len > 0 || text.ptr[i] != '0') {
            decimal->digits[decimal->len++] = text.ptr[i];
        }
    }
    return any;
}

static bool read_exponent(struct str text, int64_t *exponent) {
    struct err ignored = {0};
    int64_t value = 0;
    if (str_starts(text, STR("+"))) {
        text = str_sub(text, 1, text.len);
    }
    if (!str_to_i64(text, -EXPONENT_MAX, EXPONENT_MAX, &value, &ignored)) {
        return false;
    }
    *exponent += value;
    return true;
}

bool flags_decimal(struct arena *arena, struct str text, struct str *ret_decimal, struct err *err) {
    struct decimal decimal = {.len = 0};
    struct str mantissa = STR("");
    struct str exponent = STR("");
    if (text.len == 0 || text.len > DECIMAL_BYTES_MAX) {
        return bad_decimal(text, err);
    }
    bool has_exponent =
        str_cut(text, 'e', &mantissa, &exponent) || str_cut(text, 'E', &mantissa, &exponent);
    if (!read_mantissa(mantissa, &decimal) ||
        (has_exponent && !read_exponent(exponent, &decimal.exponent))) {
        return bad_decimal(text, err);
    }
    while (decimal.len > 0 && decimal.digits[decimal.len - 1] == '0') {
        decimal.len--;
        decimal.exponent++;
    }
    if (decimal.len > DECIMAL_DIGITS_MAX || llabs(decimal.exponent) > EXPONENT_MAX) {
        return bad_decimal(text, err);
    }
    if (decimal.len == 0) {
        *ret_decimal = STR("0");
        return true;
    }
    const char *spelling = decimal.exponent == 0
                               ? arena_cstr(arena, str_of(decimal.digits, decimal.len))
                               : arena_printf(arena, "%.*se%lld", (int)decimal.len, decimal.digits,
                                              (long long)decimal.exponent);
    *ret_decimal = str_from(spelling);
    return true;
}

static bool next_decimal(struct package_reader *reader, struct str flag, struct str *words,
                         struct str *ret_decimal, struct err *err) {
    struct str value = STR("");
    if (!str_next_word(words, &value)) {
        return package_refuse(err, STR(""), 0, STR_FMT " needs a number behind it", STR_ARG(flag));
    }
    return flags_decimal(reader->arena, value, ret_decimal, err);
}

static bool take_flag(struct package_reader *reader, struct str flag, struct str *words,
                      struct manifest_checker *checker, struct err *err) {
    if (str_eq_c(flag, "case_sensitive")) {
        checker->case_sensitive = true;
        return true;
    }
    if (str_eq_c(flag, "space_change_sensitive")) {
        checker->space_sensitive = true;
        return true;
    }
    if (str_eq_c(flag, "float_absolute_tolerance")) {
        return next_decimal(reader, flag, words, &checker->float_absolute, err);
    }
    if (str_eq_c(flag, "float_relative_tolerance")) {
        return next_decimal(reader, flag, words, &checker->float_relative, err);
    }
    if (str_eq_c(flag, "float_tolerance")) {
        if (!next_decimal(reader, flag, words, &checker->float_absolute, err)) {
            return false;
        }
        checker->float_relative = checker->float_absolute;
        return true;
    }
    return package_refuse(err, STR(""), 0,
                          "the default validator has no argument `" STR_FMT
                          "`: it knows case_sensitive, space_change_sensitive, float_tolerance, "
                          "float_absolute_tolerance and float_relative_tolerance",
                          STR_ARG(flag));
}

bool flags_to_checker(struct package_reader *reader, struct str words,
                      struct manifest_checker *checker, struct err *err) {
    struct str flag = STR("");
    while (str_next_word(&words, &flag)) {
        if (!take_flag(reader, flag, &words, checker, err)) {
            return false;
        }
    }
    return true;
}
