/* JSON in, by jansson. What jansson does not bound (depth 2048, any number of values) is counted
 * over the text before it builds anything. `struct json` is jansson's value under another name: it
 * is never defined, only cast back. */
#include "data/json.h"

#include "base/check.h"
#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#define NAME_BYTES_SHOWN 60

/* jansson wants pointers to mutable values even where it only reads. */
static json_t *raw(const struct json *value) {
    return (json_t *)(uintptr_t)value;
}

static const struct json *wrapped(const json_t *value) {
    return (const struct json *)(const void *)value;
}

/* A position in the text as people count: lines and bytes from 1. */
struct place {
    int line, column;
};

static struct place place_of(struct str text, size_t at) {
    struct place place = {.line = 1, .column = 1};
    for (size_t i = 0; i < at && i < text.len; i++) {
        place.column++;
        if (text.ptr[i] == '\n') {
            place.line++;
            place.column = 1;
        }
    }
    return place;
}

static bool refuse_at(struct str text, size_t at, const char *why, struct err *err) {
    struct place place = place_of(text, at);
    return err_set(err, ERR_INVALID, "bad_json", "line %d, column %d: %s", place.line, place.column,
                   why);
}

/* Where the string that begins at `at` ends: the byte behind its closing quote. */
static size_t skip_string(struct str text, size_t at) {
    for (size_t i = at + 1; i < text.len; i++) {
        if (text.ptr[i] == '\\') {
            i++;
        } else if (text.ptr[i] == '"') {
            return i + 1;
        }
    }
    return text.len;
}

struct shape {
    int64_t depth, nodes;
};

static void count_byte(struct shape *shape, char c) {
    if (c == '[' || c == '{') {
        shape->depth++;
        shape->nodes++;
    } else if (c == ']' || c == '}') {
        shape->depth--;
    } else if (c == ',') {
        shape->nodes++;
    }
}

/* Refuses what would cost more than its size: every value but the first of its parent follows a
 * comma, every first one an opening bracket. */
static bool check_shape(struct str text, struct err *err) {
    struct shape shape = {.depth = 0, .nodes = 1};
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '"') {
            i = skip_string(text, i) - 1;
            continue;
        }
        count_byte(&shape, text.ptr[i]);
        if (shape.depth > JSON_DEPTH_MAX) {
            return refuse_at(text, i, "the value is nested too deeply", err);
        }
        if (shape.nodes > JSON_NODES_MAX) {
            return refuse_at(text, i, "there are too many values", err);
        }
    }
    return true;
}

static bool check_utf8(struct str text, struct err *err) {
    size_t at = 0;
    while (at < text.len) {
        size_t step = str_utf8_len(str_sub(text, at, 4));
        if (step == 0) {
            return refuse_at(text, at, "this is not UTF-8", err);
        }
        at += step;
    }
    return true;
}

bool jr_parse(struct str text, struct json **ret_value, struct err *err) {
    if (str_trim(text).len == 0) {
        return err_set(err, ERR_INVALID, "bad_json",
                       "a JSON value is expected, but there is nothing");
    }
    if (!check_utf8(text, err) || !check_shape(text, err)) {
        return false;
    }
    json_error_t failure;
    json_t *value = json_loadb(text.ptr, text.len,
                               JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL, &failure);
    if (value == NULL) {
        /* Without the piece of the text that jansson quotes: it may be a password. */
        char *quote = strstr(failure.text, " near '");
        size_t len = quote == NULL ? strlen(failure.text) : (size_t)(quote - failure.text);
        return err_set(err, ERR_INVALID, "bad_json", "line %d, column %d: %.*s", failure.line,
                       failure.column, (int)len, failure.text);
    }
    *ret_value = (struct json *)(void *)value;
    return true;
}

void jr_free(struct json *value) {
    json_decref(raw(value));
}

enum jr_kind jr_kind(const struct json *value) {
    if (value == NULL) {
        return JR_MISSING;
    }
    switch (json_typeof(raw(value))) {
    case JSON_NULL: return JR_NULL;
    case JSON_TRUE:
    case JSON_FALSE: return JR_BOOL;
    case JSON_INTEGER: return JR_I64;
    case JSON_REAL: return JR_REAL;
    case JSON_STRING: return JR_STR;
    case JSON_ARRAY: return JR_ARRAY;
    case JSON_OBJECT: return JR_OBJECT;
    }
    CHECK(false);
}

const struct json *jr_get(const struct json *object, const char *name) {
    return jr_kind(object) == JR_OBJECT ? wrapped(json_object_get(raw(object), name)) : NULL;
}

/* Which value an error is about: a member by name, or an item by index. */
struct spot {
    const char *name; /* NULL: an item */
    size_t index;
};

#define SPOT_BYTES 96

static const char *spot_text(struct spot spot, char out[SPOT_BYTES]) {
    if (spot.name != NULL) {
        snprintf(out, SPOT_BYTES, "field `%s`", spot.name);
    } else {
        snprintf(out, SPOT_BYTES, "item %zu", spot.index);
    }
    return out;
}

static bool refuse(struct spot spot, const char *expected, struct err *err) {
    char where[SPOT_BYTES];
    return err_set(err, ERR_INVALID, "bad_field", "%s must be %s", spot_text(spot, where),
                   expected);
}

static bool demand(const struct json *value, enum jr_kind kind, struct spot spot,
                   const char *expected, struct err *err) {
    if (value == NULL) {
        char where[SPOT_BYTES];
        return err_set(err, ERR_INVALID, "missing_field", "%s is missing", spot_text(spot, where));
    }
    return jr_kind(value) == kind || refuse(spot, expected, err);
}

static bool read_i64(const struct json *value, struct spot spot, int64_t min, int64_t max,
                     int64_t *ret_value, struct err *err) {
    if (!demand(value, JR_I64, spot, "a whole number", err)) {
        return false;
    }
    int64_t number = json_integer_value(raw(value));
    if (number < min || number > max) {
        char where[SPOT_BYTES];
        return err_set(err, ERR_INVALID, "bad_field", "%s must be from %" PRId64 " to %" PRId64,
                       spot_text(spot, where), min, max);
    }
    *ret_value = number;
    return true;
}

static bool read_output(const struct json *value, struct spot spot, size_t bytes_max,
                        struct str *ret_text, struct err *err) {
    if (!demand(value, JR_STR, spot, "text", err)) {
        return false;
    }
    struct str text = str_of(json_string_value(raw(value)), json_string_length(raw(value)));
    if (text.len > bytes_max) {
        char where[SPOT_BYTES];
        return err_set(err, ERR_TOO_LARGE, "field_too_long",
                       "%s has %zu bytes; at most %zu are allowed", spot_text(spot, where),
                       text.len, bytes_max);
    }
    *ret_text = text;
    return true;
}

static bool read_str(const struct json *value, struct spot spot, size_t bytes_max,
                     struct str *ret_text, struct err *err) {
    struct str text = STR("");
    if (!read_output(value, spot, bytes_max, &text, err)) {
        return false;
    }
    if (str_has_nul(text)) {
        return refuse(spot, "text without the character U+0000", err);
    }
    *ret_text = text;
    return true;
}

static bool read_bool(const struct json *value, struct spot spot, bool *ret_value,
                      struct err *err) {
    if (!demand(value, JR_BOOL, spot, "true or false", err)) {
        return false;
    }
    *ret_value = json_is_true(raw(value));
    return true;
}

static bool read_array(const struct json *value, struct spot spot, size_t items_max,
                       const struct json **ret_array, struct err *err) {
    if (!demand(value, JR_ARRAY, spot, "a list", err)) {
        return false;
    }
    if (jr_count(value) > items_max) {
        char where[SPOT_BYTES];
        return err_set(err, ERR_TOO_LARGE, "field_too_long",
                       "%s has %zu items; at most %zu are allowed", spot_text(spot, where),
                       jr_count(value), items_max);
    }
    *ret_array = value;
    return true;
}

static bool read_object(const struct json *value, struct spot spot, const struct json **ret_object,
                        struct err *err) {
    if (!demand(value, JR_OBJECT, spot, "an object", err)) {
        return false;
    }
    *ret_object = value;
    return true;
}

/* The member called `name`; refuses what is no object, since a field in it cannot be missing. */
static bool member(const struct json *object, const char *name, const struct json **ret_value,
                   struct err *err) {
    if (jr_kind(object) != JR_OBJECT) {
        return err_set(err, ERR_INVALID, "bad_field", "a JSON object with field `%s` is expected",
                       name);
    }
    *ret_value = jr_get(object, name);
    return true;
}

/* As member, for the jr_opt_ forms: null counts as missing. */
static bool opt_member(const struct json *object, const char *name, const struct json **ret_value,
                       struct err *err) {
    const struct json *value = NULL;
    if (!member(object, name, &value, err)) {
        return false;
    }
    *ret_value = jr_kind(value) == JR_NULL ? NULL : value;
    return true;
}

static struct spot field(const char *name) {
    return (struct spot){.name = name};
}

bool jr_i64(const struct json *object, const char *name, int64_t min, int64_t max,
            int64_t *ret_value, struct err *err) {
    const struct json *value = NULL;
    return member(object, name, &value, err) &&
           read_i64(value, field(name), min, max, ret_value, err);
}

bool jr_opt_i64(const struct json *object, const char *name, int64_t min, int64_t max,
                int64_t *value, struct err *err) {
    const struct json *found = NULL;
    return opt_member(object, name, &found, err) &&
           (found == NULL || read_i64(found, field(name), min, max, value, err));
}

bool jr_bool(const struct json *object, const char *name, bool *ret_value, struct err *err) {
    const struct json *value = NULL;
    return member(object, name, &value, err) && read_bool(value, field(name), ret_value, err);
}

bool jr_opt_bool(const struct json *object, const char *name, bool *value, struct err *err) {
    const struct json *found = NULL;
    return opt_member(object, name, &found, err) &&
           (found == NULL || read_bool(found, field(name), value, err));
}

bool jr_str(const struct json *object, const char *name, size_t bytes_max, struct str *ret_text,
            struct err *err) {
    const struct json *value = NULL;
    return member(object, name, &value, err) &&
           read_str(value, field(name), bytes_max, ret_text, err);
}

bool jr_opt_str(const struct json *object, const char *name, size_t bytes_max, struct str *text,
                struct err *err) {
    const struct json *found = NULL;
    return opt_member(object, name, &found, err) &&
           (found == NULL || read_str(found, field(name), bytes_max, text, err));
}

bool jr_opt_output(const struct json *object, const char *name, size_t bytes_max, struct str *text,
                   struct err *err) {
    const struct json *found = NULL;
    return opt_member(object, name, &found, err) &&
           (found == NULL || read_output(found, field(name), bytes_max, text, err));
}

bool jr_array(const struct json *object, const char *name, size_t items_max,
              const struct json **ret_array, struct err *err) {
    const struct json *value = NULL;
    return member(object, name, &value, err) &&
           read_array(value, field(name), items_max, ret_array, err);
}

bool jr_opt_array(const struct json *object, const char *name, size_t items_max,
                  const struct json **array, struct err *err) {
    const struct json *found = NULL;
    return opt_member(object, name, &found, err) &&
           (found == NULL || read_array(found, field(name), items_max, array, err));
}

bool jr_object(const struct json *object, const char *name, const struct json **ret_object,
               struct err *err) {
    const struct json *value = NULL;
    return member(object, name, &value, err) && read_object(value, field(name), ret_object, err);
}

bool jr_opt_object(const struct json *object, const char *name, const struct json **ret_member,
                   struct err *err) {
    const struct json *found = NULL;
    return opt_member(object, name, &found, err) &&
           (found == NULL || read_object(found, field(name), ret_member, err));
}

static bool is_known(struct str name, const char *const known[]) {
    for (size_t i = 0; known[i] != NULL; i++) {
        if (str_eq_c(name, known[i])) {
            return true;
        }
    }
    return false;
}

bool jr_refuse_unknown(const struct json *object, const char *const known[], struct err *err) {
    if (jr_kind(object) != JR_OBJECT) {
        return err_set(err, ERR_INVALID, "bad_field", "a JSON object is expected");
    }
    void *cursor = NULL;
    struct str name = STR("");
    const struct json *value = NULL;
    while (jr_next_member(object, &cursor, &name, &value)) {
        if (!is_known(name, known)) {
            struct str shown = str_utf8_prefix(name, NAME_BYTES_SHOWN);
            return err_set(err, ERR_INVALID, "unknown_field", "field `" STR_FMT "` is not known",
                           STR_ARG(shown));
        }
    }
    return true;
}

size_t jr_count(const struct json *array) {
    /* jansson answers 0 for a value of another type, and for NULL. */
    return json_array_size(raw(array)) + json_object_size(raw(array));
}

const struct json *jr_at(const struct json *array, size_t index) {
    return wrapped(json_array_get(raw(array), index));
}

static struct spot item(size_t index) {
    return (struct spot){.index = index};
}

bool jr_item_i64(const struct json *array, size_t index, int64_t min, int64_t max,
                 int64_t *ret_value, struct err *err) {
    return read_i64(jr_at(array, index), item(index), min, max, ret_value, err);
}

bool jr_item_str(const struct json *array, size_t index, size_t bytes_max, struct str *ret_text,
                 struct err *err) {
    return read_str(jr_at(array, index), item(index), bytes_max, ret_text, err);
}

bool jr_item_object(const struct json *array, size_t index, const struct json **ret_object,
                    struct err *err) {
    return read_object(jr_at(array, index), item(index), ret_object, err);
}

bool jr_next_member(const struct json *object, void **cursor, struct str *ret_name,
                    const struct json **ret_value) {
    if (*cursor == NULL) {
        *cursor = json_object_iter(raw(object));
    } else {
        *cursor = json_object_iter_next(raw(object), *cursor);
    }
    if (*cursor == NULL) {
        return false;
    }
    *ret_name = str_of(json_object_iter_key(*cursor), json_object_iter_key_len(*cursor));
    *ret_value = wrapped(json_object_iter_value(*cursor));
    return true;
}
