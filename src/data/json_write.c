/* JSON straight into a buffer. Nesting is kept as two bits a level. */
#include "data/json_write.h"

#include "base/check.h"
#include "base/clock.h"
#include <inttypes.h>
#include <stdio.h>

#define DECIMAL_DIGITS_MAX 18

static_assert(JW_DEPTH_MAX < 64, "a level is a bit of a 64-bit word");

void jw_init(struct jw *json, struct buf *out) {
    *json = (struct jw){.out = out};
}

bool jw_finish(struct jw *json, const char *what, struct err *err) {
    CHECK(json->depth == 0);
    CHECK(json->value_written);
    return buf_ok(json->out, what, err);
}

static uint64_t bit_of(const struct jw *json) {
    return UINT64_C(1) << json->depth;
}

static void comma(struct jw *json) {
    if ((json->has_items & bit_of(json)) != 0) {
        buf_append_char(json->out, ',');
    }
    json->has_items |= bit_of(json);
}

/* Whatever comes next is a value: checks that one may stand here. */
static void before_value(struct jw *json) {
    if (json->depth == 0) {
        CHECK(!json->value_written);
        json->value_written = true;
    } else if ((json->is_object & bit_of(json)) != 0) {
        CHECK(json->key_written);
        json->key_written = false;
    } else {
        comma(json);
    }
}

static void begin(struct jw *json, char bracket, bool object) {
    before_value(json);
    CHECK(json->depth < JW_DEPTH_MAX);
    buf_append_char(json->out, bracket);
    json->depth++;
    json->has_items &= ~bit_of(json);
    json->is_object &= ~bit_of(json);
    json->is_object |= object ? bit_of(json) : 0;
}

static void end(struct jw *json, char bracket, bool object) {
    CHECK(json->depth > 0);
    CHECK(!json->key_written);
    CHECK(((json->is_object & bit_of(json)) != 0) == object);
    buf_append_char(json->out, bracket);
    json->depth--;
}

void jw_object_begin(struct jw *json) {
    begin(json, '{', true);
}

void jw_object_end(struct jw *json) {
    end(json, '}', true);
}

void jw_array_begin(struct jw *json) {
    begin(json, '[', false);
}

void jw_array_end(struct jw *json) {
    end(json, ']', false);
}

void jw_key(struct jw *json, const char *name) {
    jw_key_str(json, str_from(name));
}

void jw_key_str(struct jw *json, struct str name) {
    CHECK(json->depth > 0);
    CHECK((json->is_object & bit_of(json)) != 0);
    CHECK(!json->key_written);
    comma(json);
    buf_append_json(json->out, name);
    buf_append_char(json->out, ':');
    json->key_written = true;
}

void jw_i64(struct jw *json, int64_t value) {
    before_value(json);
    buf_append_i64(json->out, value);
}

void jw_bool(struct jw *json, bool value) {
    before_value(json);
    buf_append_c(json->out, value ? "true" : "false");
}

void jw_null(struct jw *json) {
    before_value(json);
    buf_append_c(json->out, "null");
}

void jw_str(struct jw *json, struct str text) {
    before_value(json);
    buf_append_json(json->out, text);
}

void jw_cstr(struct jw *json, const char *text) {
    if (text == NULL) {
        jw_null(json);
    } else {
        jw_str(json, str_from(text));
    }
}

void jw_decimal(struct jw *json, int64_t value, int digits) {
    CHECK(digits >= 0 && digits <= DECIMAL_DIGITS_MAX);
    before_value(json);
    /* The smallest int64 has no positive twin: go through the unsigned type. */
    uint64_t size = value < 0 ? UINT64_C(0) - (uint64_t)value : (uint64_t)value;
    while (digits > 0 && size % 10 == 0) {
        size /= 10;
        digits--;
    }
    uint64_t unit = 1;
    for (int i = 0; i < digits; i++) {
        unit *= 10;
    }
    buf_printf(json->out, "%s%" PRIu64, value < 0 ? "-" : "", size / unit);
    if (digits > 0) {
        buf_printf(json->out, ".%0*" PRIu64, digits, size % unit);
    }
}

void jw_time(struct jw *json, int64_t utc_ms) {
    if (utc_ms <= 0) {
        jw_null(json);
        return;
    }
    char text[CLOCK_RFC3339_BYTES];
    clock_rfc3339(utc_ms, text);
    jw_cstr(json, text);
}

void jw_hex(struct jw *json, const uint8_t *bytes, size_t count) {
    before_value(json);
    buf_append_char(json->out, '"');
    char *place = buf_reserve(json->out, 2 * count);
    if (place != NULL) {
        hex_encode(bytes, count, place);
        buf_grew(json->out, 2 * count);
    }
    buf_append_char(json->out, '"');
}

void jw_raw(struct jw *json, struct str value) {
    CHECK(value.len > 0);
    before_value(json);
    buf_append(json->out, value);
}

void jw_put_i64(struct jw *json, const char *name, int64_t value) {
    jw_key(json, name);
    jw_i64(json, value);
}

void jw_put_bool(struct jw *json, const char *name, bool value) {
    jw_key(json, name);
    jw_bool(json, value);
}

void jw_put_null(struct jw *json, const char *name) {
    jw_key(json, name);
    jw_null(json);
}

void jw_put_str(struct jw *json, const char *name, struct str text) {
    jw_key(json, name);
    jw_str(json, text);
}

void jw_put_cstr(struct jw *json, const char *name, const char *text) {
    jw_key(json, name);
    jw_cstr(json, text);
}

void jw_put_decimal(struct jw *json, const char *name, int64_t value, int digits) {
    jw_key(json, name);
    jw_decimal(json, value, digits);
}

void jw_put_time(struct jw *json, const char *name, int64_t utc_ms) {
    jw_key(json, name);
    jw_time(json, utc_ms);
}

void jw_put_hex(struct jw *json, const char *name, const uint8_t *bytes, size_t count) {
    jw_key(json, name);
    jw_hex(json, bytes, count);
}
