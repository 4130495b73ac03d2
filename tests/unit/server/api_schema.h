#ifndef TESTS_API_SCHEMA_H
#define TESTS_API_SCHEMA_H

/* Holds JSON that the server sent against the schemas of docs/api: every member that is demanded is
 * there, none is that the schema does not name, and each has its type, its bounds and one of its
 * values. Enough of JSON Schema for what stands in those files; another keyword fails the test. */
#include "api_docs.h"
#include "data/json.h"

struct api_value { /* a member or an item */
    const struct json *parent;
    const char *name; /* NULL: an item */
    size_t index;
    const struct json *value;
    const char *place; /* for messages */
};

static inline void api_check(const struct yaml *schema, const struct api_value *value);

/* "#/X", "common.yaml#/X" or "../schemas/x.yaml#/X", as seen from the node's own file. */
static inline const struct yaml *api_resolve(const struct yaml *node) {
    for (const struct yaml *ref = yr_get(node, "$ref"); ref != NULL; ref = yr_get(node, "$ref")) {
        struct str file = {0};
        struct str name = {0};
        struct str folder = {0};
        struct str rest = {0};
        assert_true(str_cut(ref->text, '#', &file, &name));
        if (file.len == 0) {
            file = str_from(ref->file);
        } else if (str_starts(file, STR("../"))) {
            file = str_sub(file, 3, file.len);
        } else if (str_cut_last(str_from(ref->file), '/', &folder, &rest)) {
            file = str_from(
                arena_printf(api_docs.arena, STR_FMT "/" STR_FMT, STR_ARG(folder), STR_ARG(file)));
        }
        node = yr_get(api_load(arena_cstr(api_docs.arena, file)),
                      arena_cstr(api_docs.arena, str_sub(name, 1, name.len)));
        assert_non_null(node);
    }
    return node;
}

static inline bool api_type_fits(struct str type, enum jr_kind kind) {
    static const struct {
        const char *name;
        enum jr_kind kinds[2];
    } rows[] = {
        {"string", {JR_STR, JR_STR}},    {"integer", {JR_I64, JR_I64}},
        {"number", {JR_I64, JR_REAL}},   {"boolean", {JR_BOOL, JR_BOOL}},
        {"array", {JR_ARRAY, JR_ARRAY}}, {"object", {JR_OBJECT, JR_OBJECT}},
        {"null", {JR_NULL, JR_NULL}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (str_eq_c(type, rows[i].name)) {
            return kind == rows[i].kinds[0] || kind == rows[i].kinds[1];
        }
    }
    fail_msg("a schema has the type " STR_FMT, STR_ARG(type));
    return false;
}

static inline bool api_types_fit(const struct yaml *type, enum jr_kind kind) {
    if (type == NULL || type->kind == YR_SCALAR) {
        return type == NULL || api_type_fits(type->text, kind);
    }
    for (YR_EACH(item, type)) {
        if (api_type_fits(item->text, kind)) {
            return true;
        }
    }
    return false;
}

static inline bool api_has_property(const struct yaml *schema, const char *name) {
    schema = api_resolve(schema);
    if (yr_get(yr_get(schema, "properties"), name) != NULL) {
        return true;
    }
    for (YR_EACH(part, yr_get(schema, "allOf"))) {
        if (api_has_property(part, name)) {
            return true;
        }
    }
    return false;
}

static inline void api_check_members(const struct yaml *schema, const struct api_value *value) {
    const struct yaml *others = yr_get(schema, "additionalProperties");
    bool is_map = others != NULL && others->kind == YR_MAP;
    void *cursor = NULL;
    struct str name = {0};
    const struct json *member = NULL;
    while (jr_next_member(value->value, &cursor, &name, &member)) {
        const char *key = arena_cstr(api_docs.arena, name);
        const struct yaml *property = yr_get(yr_get(schema, "properties"), key);
        struct api_value inner = {.parent = value->value,
                                  .name = key,
                                  .value = member,
                                  .place =
                                      arena_printf(api_docs.arena, "%s.%s", value->place, key)};
        property = property == NULL && is_map ? others : property;
        if (property != NULL) {
            api_check(property, &inner);
        }
    }
    for (YR_EACH(required, yr_get(schema, "required"))) {
        if (jr_get(value->value, arena_cstr(api_docs.arena, required->text)) == NULL) {
            fail_msg("%s has no " STR_FMT, value->place, STR_ARG(required->text));
        }
    }
}

/* Nothing that nobody documented. */
static inline void api_check_unknown(const struct yaml *schema, const struct api_value *value) {
    const struct yaml *others = yr_get(schema, "additionalProperties");
    void *cursor = NULL;
    struct str name = {0};
    const struct json *member = NULL;
    bool open = others != NULL && others->kind == YR_MAP;
    while (!open && jr_next_member(value->value, &cursor, &name, &member)) {
        if (!api_has_property(schema, arena_cstr(api_docs.arena, name))) {
            fail_msg("%s." STR_FMT " is not documented", value->place, STR_ARG(name));
        }
    }
}

static inline void api_check_items(const struct yaml *schema, const struct api_value *value) {
    const struct yaml *items = yr_get(schema, "items");
    int64_t count_max = INT64_MAX;
    struct err err = {0};
    assert_true(yr_opt_i64(schema, "maxItems", 0, INT64_MAX, &count_max, &err));
    assert_true((int64_t)jr_count(value->value) <= count_max);
    for (size_t i = 0; items != NULL && i < jr_count(value->value); i++) {
        struct api_value inner = {.parent = value->value,
                                  .index = i,
                                  .value = jr_at(value->value, i),
                                  .place = arena_printf(api_docs.arena, "%s.%zu", value->place, i)};
        api_check(items, &inner);
    }
}

static inline void api_check_text(const struct yaml *schema, const struct api_value *value) {
    struct str text = {0};
    struct err err = {0};
    int64_t least = 0;
    int64_t most = 8 * MIB;
    bool read = value->name != NULL
                    ? jr_str(value->parent, value->name, 8 * MIB, &text, &err)
                    : jr_item_str(value->parent, value->index, 8 * MIB, &text, &err);
    assert_true(read);
    assert_true(yr_opt_i64(schema, "minLength", 0, INT32_MAX, &least, &err));
    assert_true(yr_opt_i64(schema, "maxLength", 0, INT32_MAX, &most, &err));
    int64_t length = (int64_t)str_utf8_len(text);
    if (length < least || length > most) {
        fail_msg("%s has %lld characters", value->place, (long long)length);
    }
    const struct yaml *values = yr_get(schema, "enum");
    if (values != NULL && !api_lists(values, arena_cstr(api_docs.arena, text))) {
        fail_msg("%s is " STR_FMT, value->place, STR_ARG(text));
    }
}

static inline void api_check_number(const struct yaml *schema, const struct api_value *value) {
    int64_t least = INT64_MIN;
    int64_t most = INT64_MAX;
    int64_t number = 0;
    struct err err = {0};
    assert_true(yr_opt_i64(schema, "minimum", INT64_MIN, INT64_MAX, &least, &err));
    assert_true(yr_opt_i64(schema, "maximum", INT64_MIN, INT64_MAX, &most, &err));
    bool fits = value->name != NULL
                    ? jr_i64(value->parent, value->name, least, most, &number, &err)
                    : jr_item_i64(value->parent, value->index, least, most, &number, &err);
    if (!fits) {
        fail_msg("%s: %s", value->place, err.text);
    }
}

/* Every schema here that is one of two is something or null. */
static inline const struct yaml *api_choose(const struct yaml *choices, enum jr_kind kind) {
    for (YR_EACH(choice, choices)) {
        if (api_types_fit(yr_get(api_resolve(choice), "type"), kind)) {
            return choice;
        }
    }
    return NULL;
}

static inline void api_check_kind(const struct yaml *schema, const struct api_value *value) {
    switch (jr_kind(value->value)) {
    case JR_OBJECT: api_check_members(schema, value); return;
    case JR_ARRAY: api_check_items(schema, value); return;
    case JR_STR: api_check_text(schema, value); return;
    case JR_I64: api_check_number(schema, value); return;
    case JR_MISSING:
    case JR_NULL:
    case JR_BOOL:
    case JR_REAL: return;
    }
}

static inline void api_check_part(const struct yaml *schema, const struct api_value *value) {
    schema = api_resolve(schema);
    const struct yaml *choices = yr_get(schema, "oneOf");
    if (choices != NULL) {
        const struct yaml *choice = api_choose(choices, jr_kind(value->value));
        if (choice == NULL) {
            fail_msg("%s has another type than documented", value->place);
        }
        api_check(choice, value);
        return;
    }
    for (YR_EACH(part, yr_get(schema, "allOf"))) {
        api_check_part(part, value);
    }
    if (!api_types_fit(yr_get(schema, "type"), jr_kind(value->value))) {
        fail_msg("%s has another type than documented", value->place);
    }
    api_check_kind(schema, value);
}

static inline void api_check(const struct yaml *schema, const struct api_value *value) {
    schema = api_resolve(schema);
    api_check_part(schema, value);
    if (jr_kind(value->value) == JR_OBJECT && yr_get(schema, "oneOf") == NULL) {
        api_check_unknown(schema, value);
    }
}

#endif
