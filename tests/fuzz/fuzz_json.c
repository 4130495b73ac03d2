/* JSON as data/json.h reads it and data/json_write.h writes it.
 *
 * Holds: what is accepted, written again, is read as the same, so that writing it once more gives
 * the same text; nesting and number of values stay within their limits; a refusal has a code and a
 * message in UTF-8; any bytes at all, written as text, are read. */
#include "base/check.h"
#include "data/json.h"
#include "data/json_write.h"
#include <string.h>

#define OUT_BYTES_MAX ((size_t)32 * MIB)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

/* Writes the members of an object that are plain values; anything but a nested value goes through
 * the accessor of its type. */
static void copy_member(const struct json *object, struct str name, const struct json *value,
                        struct jw *out) {
    struct err err = {0};
    char c_name[64];
    int64_t number = 0;
    bool flag = false;
    struct str text = STR("");
    jw_key_str(out, name);
    bool named = str_to_c(name, c_name, sizeof(c_name), &err);
    enum jr_kind kind = named ? jr_kind(value) : JR_NULL;
    if (kind == JR_I64) {
        CHECK(jr_i64(object, c_name, INT64_MIN, INT64_MAX, &number, &err));
        jw_i64(out, number);
    } else if (kind == JR_BOOL) {
        CHECK(jr_bool(object, c_name, &flag, &err));
        jw_bool(out, flag);
    } else if (kind == JR_STR) {
        CHECK(jr_opt_output(object, c_name, SIZE_MAX, &text, &err));
        CHECK(str_is_utf8(text));
        jw_str(out, text);
    } else {
        jw_null(out);
    }
}

/* Recursion is bounded by the reader's limit on depth, which is what is checked here. */
static void copy_value(const struct json *value, int depth, struct jw *out) {
    CHECK(depth < JSON_DEPTH_MAX);
    enum jr_kind kind = jr_kind(value);
    if (kind == JR_ARRAY) {
        jw_array_begin(out);
        for (size_t i = 0; i < jr_count(value); i++) {
            copy_value(jr_at(value, i), depth + 1, out);
        }
        jw_array_end(out);
    } else if (kind == JR_OBJECT) {
        void *cursor = NULL;
        struct str name = STR("");
        const struct json *member = NULL;
        jw_object_begin(out);
        while (jr_next_member(value, &cursor, &name, &member)) {
            bool nested = jr_kind(member) == JR_ARRAY || jr_kind(member) == JR_OBJECT;
            if (nested) {
                jw_key_str(out, name);
                copy_value(member, depth + 1, out);
            } else {
                copy_member(value, name, member, out);
            }
        }
        jw_object_end(out);
    } else {
        jw_i64(out, (int64_t)kind); /* items carry their kind: enough to compare */
    }
}

/* Parses `text` and writes what was understood into `out`; false when it is refused. */
static bool reread(struct str text, struct buf *out) {
    own(json) value = NULL;
    struct err err = {0};
    if (!jr_parse(text, &value, &err)) {
        CHECK(err.kind == ERR_INVALID);
        CHECK(strcmp(err.code, "bad_json") == 0);
        CHECK(str_is_utf8(str_from(err.text)));
        return false;
    }
    CHECK(jr_count(value) < JSON_NODES_MAX);
    struct jw json;
    buf_init(out, OUT_BYTES_MAX);
    jw_init(&json, out);
    copy_value(value, 0, &json);
    CHECK(jw_finish(&json, "the copy", &err));
    return true;
}

static void check_any_text(struct str text) {
    own_buf out = {0};
    buf_init(&out, OUT_BYTES_MAX);
    struct jw json;
    struct err err = {0};
    jw_init(&json, &out);
    jw_array_begin(&json);
    jw_str(&json, text);
    jw_array_end(&json);
    CHECK(jw_finish(&json, "the text", &err));
    own(json) value = NULL;
    struct str back = STR("");
    CHECK(jr_parse(buf_str(&out), &value, &err));
    if (str_is_utf8(text) && !str_has_nul(text)) {
        CHECK(jr_item_str(value, 0, text.len, &back, &err));
        CHECK(str_eq(back, text));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    struct str text = str_of(bytes, count);
    own_buf once = {0};
    own_buf twice = {0};
    check_any_text(text);
    if (!reread(text, &once)) {
        return 0;
    }
    CHECK(reread(buf_str(&once), &twice));
    own_buf thrice = {0};
    CHECK(reread(buf_str(&twice), &thrice));
    CHECK(str_eq(buf_str(&twice), buf_str(&thrice))); /* kinds became numbers the first time */
    return 0;
}
