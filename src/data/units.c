/* Durations and sizes as people write them. */
#include "data/units.h"

#include "base/check.h"
#include "base/ck.h"

#define SHOWN_BYTES_MAX 40

struct unit {
    const char *name;
    int64_t factor;
};

/* The first name of a factor is the one that is written. */
static const struct unit durations[] = {
    {"d", 86400000}, {"h", 3600000}, {"m", 60000}, {"min", 60000},
    {"s", 1000},     {"ms", 1},      {NULL, 0},
};

static const struct unit sizes[] = {
    {"TiB", INT64_C(1) << 40},
    {"GiB", INT64_C(1) << 30},
    {"MiB", INT64_C(1) << 20},
    {"KiB", INT64_C(1) << 10},
    {"B", 1},
    {NULL, 0},
};

static size_t leading_digits(struct str text) {
    size_t len = 0;
    while (len < text.len && text.ptr[len] >= '0' && text.ptr[len] <= '9') {
        len++;
    }
    return len;
}

static const struct unit *unit_named(const struct unit units[], struct str name) {
    for (const struct unit *unit = units; unit->name != NULL; unit++) {
        if (str_eq_c(name, unit->name)) {
            return unit;
        }
    }
    return NULL;
}

/* Takes one number with its unit off *rest and adds it to *value. */
static bool take_part(const struct unit units[], struct str *rest, int64_t *value) {
    size_t digits = leading_digits(*rest);
    struct err ignored = {0};
    int64_t number = 0;
    if (!str_to_i64(str_sub(*rest, 0, digits), 0, INT64_MAX, &number, &ignored)) {
        return false;
    }
    struct str tail = str_sub(*rest, digits, rest->len);
    size_t name_len = 0;
    while (name_len < tail.len && leading_digits(str_sub(tail, name_len, 1)) == 0) {
        name_len++;
    }
    const struct unit *unit = unit_named(units, str_sub(tail, 0, name_len));
    int64_t part = 0;
    if (unit == NULL || !ck_mul(number, unit->factor, &part) || !ck_add(*value, part, value)) {
        return false;
    }
    *rest = str_sub(tail, name_len, tail.len);
    return true;
}

bool duration_parse(struct str text, int64_t *ret_ms, struct err *err) {
    struct str rest = text;
    int64_t ms = 0;
    bool fine = str_eq(text, STR("0")) || rest.len > 0;
    while (fine && rest.len > 0 && !str_eq(text, STR("0"))) {
        fine = take_part(durations, &rest, &ms);
    }
    if (!fine) {
        struct str shown = str_utf8_prefix(text, SHOWN_BYTES_MAX);
        return err_set(err, ERR_INVALID, "bad_duration",
                       "\"" STR_FMT "\" is not a duration such as 500ms, 15s, 10min or 1h30m",
                       STR_ARG(shown));
    }
    *ret_ms = ms;
    return true;
}

bool size_parse(struct str text, int64_t *ret_bytes, struct err *err) {
    int64_t bytes = 0;
    struct err ignored = {0};
    struct str rest = text;
    bool plain = str_to_i64(text, 0, INT64_MAX, &bytes, &ignored);
    if (!plain && (!take_part(sizes, &rest, &bytes) || rest.len > 0)) {
        struct str shown = str_utf8_prefix(text, SHOWN_BYTES_MAX);
        return err_set(err, ERR_INVALID, "bad_size",
                       "\"" STR_FMT "\" is not a size such as 64KiB, 256MiB or 2GiB",
                       STR_ARG(shown));
    }
    *ret_bytes = bytes;
    return true;
}

static void append_value(const struct unit units[], struct buf *out, int64_t value) {
    CHECK(value >= 0);
    const struct unit *unit = units;
    while (unit->factor > 1 && (value == 0 || value % unit->factor != 0)) {
        unit++;
    }
    buf_append_i64(out, value / unit->factor);
    buf_append_c(out, unit->name);
}

void duration_append(struct buf *out, int64_t ms) {
    append_value(durations, out, ms);
}

void size_append(struct buf *out, int64_t bytes) {
    append_value(sizes, out, bytes);
}
