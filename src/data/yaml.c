/* libyaml's events into a small tree. The limits are kept while events arrive, so a hostile
 * document is dropped early; without aliases a tree cannot be larger than its text suggests. */
#include "data/yaml.h"

#include "base/check.h"
#include "data/suggest.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#define KEY_BYTES_SHOWN 60

/* A list or map whose end has not come yet. */
struct level {
    struct yaml *node;
    const struct yaml **tail; /* where the next child is hung */
    bool has_key;             /* of a map: the value is what comes next */
    struct str key;
};

struct builder {
    struct arena *arena;
    const char *file;
    yaml_parser_t parser;
    struct level levels[YAML_DEPTH_MAX];
    int depth;
    const struct yaml *root;
    size_t nodes;
    struct err *err;
};

static bool error_at(const char *file, int line, struct err *err, const char *text) {
    return err_set(err, ERR_INVALID, "bad_yaml", "%s:%d: %s", file, line, text);
}

bool yr_error(const struct yaml *node, struct err *err, const char *format, ...) {
    char text[sizeof(err->text)];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    return error_at(node->file, node->line, err, text);
}

static int line_of(const yaml_event_t *event) {
    return (int)event->start_mark.line + 1;
}

static bool refuse(struct builder *builder, const yaml_event_t *event, const char *text) {
    return error_at(builder->file, line_of(event), builder->err, text);
}

/* The line of a byte, for the errors that libyaml gives without one. */
static int line_at(struct str text, size_t offset) {
    int line = 1;
    for (size_t i = 0; i < offset && i < text.len; i++) {
        line += text.ptr[i] == '\n' ? 1 : 0;
    }
    return line;
}

static bool parser_error(struct builder *builder, struct str text) {
    const yaml_parser_t *parser = &builder->parser;
    CHECK(parser->error != YAML_MEMORY_ERROR);
    const char *problem = parser->problem == NULL ? "this is not YAML" : parser->problem;
    if (parser->error == YAML_READER_ERROR) {
        return error_at(builder->file, line_at(text, parser->problem_offset), builder->err,
                        problem);
    }
    return err_set(builder->err, ERR_INVALID, "bad_yaml", "%s:%d: %s%s%s", builder->file,
                   (int)parser->problem_mark.line + 1, problem, parser->context == NULL ? "" : " ",
                   parser->context == NULL ? "" : parser->context);
}

static struct str text_of(const yaml_event_t *event) {
    return str_of(event->data.scalar.value, event->data.scalar.length);
}

/* Tags that say what a node is anyway. Everything else asks for a type that we do not have. */
static bool tag_is_core(const yaml_char_t *tag, enum yr_kind kind) {
    static const struct {
        const char *tag;
        enum yr_kind kind;
    } core[] = {
        {YAML_STR_TAG, YR_SCALAR},  {YAML_INT_TAG, YR_SCALAR},  {YAML_FLOAT_TAG, YR_SCALAR},
        {YAML_BOOL_TAG, YR_SCALAR}, {YAML_NULL_TAG, YR_SCALAR}, {YAML_SEQ_TAG, YR_LIST},
        {YAML_MAP_TAG, YR_MAP},
    };
    for (size_t i = 0; i < sizeof(core) / sizeof(core[0]); i++) {
        if (kind == core[i].kind && str_eq_c(str_from((const char *)tag), core[i].tag)) {
            return true;
        }
    }
    return tag == NULL;
}

static bool check_node(struct builder *builder, const yaml_event_t *event, enum yr_kind kind,
                       const yaml_char_t *anchor, const yaml_char_t *tag) {
    builder->nodes++;
    if (builder->nodes > YAML_NODES_MAX) {
        return refuse(builder, event, "there are too many values");
    }
    if (anchor != NULL) {
        return refuse(builder, event, "anchors (&name) are not allowed: write the value out");
    }
    if (!tag_is_core(tag, kind)) {
        return refuse(builder, event, "tags (!name) are not allowed here: leave the tag out");
    }
    return true;
}

/* Hangs a new node into the innermost list or map. */
static bool add_node(struct builder *builder, const yaml_event_t *event, struct yaml *node) {
    node->line = line_of(event);
    node->file = builder->file;
    if (builder->depth == 0) {
        builder->root = node;
        return true;
    }
    struct level *level = &builder->levels[builder->depth - 1];
    if (level->node->kind == YR_MAP) {
        if (!level->has_key) {
            return refuse(builder, event, "a key must be plain text");
        }
        node->key = level->key;
        level->has_key = false;
    }
    *level->tail = node;
    level->tail = &node->next;
    level->node->count++;
    return true;
}

static bool take_key(struct builder *builder, const yaml_event_t *event, struct level *level) {
    bool plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    if (text_of(event).len == 0 && plain) {
        return refuse(builder, event, "a key is missing before the colon");
    }
    level->key = arena_str(builder->arena, text_of(event));
    level->has_key = true;
    return true;
}

static bool on_scalar(struct builder *builder, const yaml_event_t *event) {
    const yaml_char_t *tag = event->data.scalar.tag;
    if (!check_node(builder, event, YR_SCALAR, event->data.scalar.anchor, tag)) {
        return false;
    }
    struct level *level = builder->depth == 0 ? NULL : &builder->levels[builder->depth - 1];
    if (level != NULL && level->node->kind == YR_MAP && !level->has_key) {
        return take_key(builder, event, level);
    }
    struct yaml *node = arena_new(builder->arena, struct yaml);
    node->kind = YR_SCALAR;
    node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE ||
                   str_eq_c(str_from((const char *)tag), YAML_STR_TAG);
    node->text = arena_str(builder->arena, text_of(event));
    return add_node(builder, event, node);
}

static bool on_begin(struct builder *builder, const yaml_event_t *event, enum yr_kind kind) {
    bool list = kind == YR_LIST;
    const yaml_char_t *anchor =
        list ? event->data.sequence_start.anchor : event->data.mapping_start.anchor;
    const yaml_char_t *tag = list ? event->data.sequence_start.tag : event->data.mapping_start.tag;
    if (!check_node(builder, event, kind, anchor, tag)) {
        return false;
    }
    if (builder->depth == YAML_DEPTH_MAX) {
        return refuse(builder, event, "the value is nested too deeply");
    }
    struct yaml *node = arena_new(builder->arena, struct yaml);
    node->kind = kind;
    if (!add_node(builder, event, node)) {
        return false;
    }
    builder->levels[builder->depth++] = (struct level){.node = node, .tail = &node->first};
    return true;
}

static int compare_keys(const void *a, const void *b) {
    const struct yaml *first = *(const struct yaml *const *)a;
    const struct yaml *second = *(const struct yaml *const *)b;
    int order = str_cmp(first->key, second->key);
    return order != 0 ? order : first->line - second->line;
}

/* By sorting, because a map may have as many keys as the document has values. */
static bool refuse_duplicates(struct builder *builder, const struct yaml *map) {
    if (map->count < 2) {
        return true;
    }
    const struct yaml **sorted = calloc(map->count, sizeof(const struct yaml *));
    CHECK(sorted != NULL);
    size_t count = 0;
    for (YR_EACH(value, map)) {
        sorted[count++] = value;
    }
    qsort(sorted, count, sizeof(const struct yaml *), compare_keys);
    bool fine = true;
    for (size_t i = 1; fine && i < count; i++) {
        if (str_eq(sorted[i - 1]->key, sorted[i]->key)) {
            struct str shown = str_utf8_prefix(sorted[i]->key, KEY_BYTES_SHOWN);
            fine = yr_error(sorted[i], builder->err, "key `" STR_FMT "` is given twice",
                            STR_ARG(shown));
        }
    }
    free(sorted);
    return fine;
}

static bool on_end(struct builder *builder) {
    const struct yaml *node = builder->levels[--builder->depth].node;
    return node->kind != YR_MAP || refuse_duplicates(builder, node);
}

static bool on_event(struct builder *builder, const yaml_event_t *event) {
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        return builder->root == NULL || refuse(builder, event, "there is a second document");
    case YAML_ALIAS_EVENT:
        return refuse(builder, event, "aliases (*name) are not allowed: write the value out");
    case YAML_SCALAR_EVENT: return on_scalar(builder, event);
    case YAML_SEQUENCE_START_EVENT: return on_begin(builder, event, YR_LIST);
    case YAML_MAPPING_START_EVENT: return on_begin(builder, event, YR_MAP);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT: return on_end(builder);
    case YAML_NO_EVENT:
    case YAML_STREAM_START_EVENT:
    case YAML_STREAM_END_EVENT:
    case YAML_DOCUMENT_END_EVENT: return true;
    }
    CHECK(false);
}

static bool run_parser(struct builder *builder, struct str text) {
    bool ended = false;
    while (!ended) {
        yaml_event_t event;
        if (yaml_parser_parse(&builder->parser, &event) == 0) {
            return parser_error(builder, text);
        }
        ended = event.type == YAML_STREAM_END_EVENT;
        bool fine = on_event(builder, &event);
        yaml_event_delete(&event);
        if (!fine) {
            return false;
        }
    }
    return true;
}

static bool check_text(const char *file, struct str text, struct err *err) {
    if (text.len > YAML_BYTES_MAX) {
        return err_set(err, ERR_INVALID, "bad_yaml", "%s has %zu bytes; at most %d are allowed",
                       file, text.len, YAML_BYTES_MAX);
    }
    size_t at = 0;
    while (at < text.len) {
        size_t step = str_utf8_len(str_sub(text, at, 4));
        if (step == 0) {
            return error_at(file, line_at(text, at), err, "this is not UTF-8");
        }
        at += step;
    }
    return true;
}

static bool is_null_scalar(const struct yaml *node) {
    static const char *const nulls[] = {"", "~", "null", "Null", "NULL"};
    for (size_t i = 0; i < sizeof(nulls) / sizeof(nulls[0]); i++) {
        if (str_eq_c(node->text, nulls[i])) {
            return !node->quoted;
        }
    }
    return false;
}

bool yr_parse(struct arena *arena, const char *file, struct str text, const struct yaml **ret_root,
              struct err *err) {
    if (!check_text(file, text, err)) {
        return false;
    }
    struct builder builder = {
        .arena = arena, .file = arena_cstr(arena, str_from(file)), .err = err};
    CHECK(yaml_parser_initialize(&builder.parser) == 1);
    yaml_parser_set_encoding(&builder.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&builder.parser, (const unsigned char *)text.ptr, text.len);
    bool fine = run_parser(&builder, text);
    yaml_parser_delete(&builder.parser);
    if (!fine) {
        return false;
    }
    if (builder.root == NULL || yr_is_null(builder.root)) {
        struct yaml *empty = arena_new(arena, struct yaml);
        *empty = (struct yaml){.kind = YR_MAP, .line = 1, .file = builder.file};
        builder.root = empty;
    }
    *ret_root = builder.root;
    return true;
}

const struct yaml *yr_get(const struct yaml *map, const char *name) {
    if (map == NULL || map->kind != YR_MAP) {
        return NULL;
    }
    for (YR_EACH(value, map)) {
        if (str_eq_c(value->key, name)) {
            return value;
        }
    }
    return NULL;
}

bool yr_is_null(const struct yaml *node) {
    return node == NULL || (node->kind == YR_SCALAR && is_null_scalar(node));
}

/* "`name` must be <expected>", or "the value must be ..." for a list's item. */
static bool refuse_value(const struct yaml *node, const char *expected, struct err *err) {
    if (node->key.len == 0) {
        return yr_error(node, err, "the value must be %s", expected);
    }
    struct str shown = str_utf8_prefix(node->key, KEY_BYTES_SHOWN);
    return yr_error(node, err, "`" STR_FMT "` must be %s", STR_ARG(shown), expected);
}

/* Puts file, line and key before what base says about a number. */
static bool refuse_number(const struct yaml *node, struct err *err) {
    char why[sizeof(err->text)];
    snprintf(why, sizeof(why), "%s", err->text);
    struct str shown = str_utf8_prefix(node->key, KEY_BYTES_SHOWN);
    return yr_error(node, err, STR_FMT "%s%s", STR_ARG(shown), shown.len > 0 ? ": " : "", why);
}

bool yr_str(const struct yaml *node, size_t bytes_max, struct str *ret_text, struct err *err) {
    if (node->kind != YR_SCALAR || is_null_scalar(node)) {
        return refuse_value(node, "text", err);
    }
    if (str_has_nul(node->text)) {
        return refuse_value(node, "text without the character U+0000", err);
    }
    if (node->text.len > bytes_max) {
        char expected[64];
        snprintf(expected, sizeof(expected), "at most %zu bytes long", bytes_max);
        return refuse_value(node, expected, err);
    }
    *ret_text = node->text;
    return true;
}

bool yr_i64(const struct yaml *node, int64_t min, int64_t max, int64_t *ret_value,
            struct err *err) {
    if (node->kind != YR_SCALAR || is_null_scalar(node)) {
        return refuse_value(node, "a whole number", err);
    }
    return str_to_i64(node->text, min, max, ret_value, err) || refuse_number(node, err);
}

bool yr_bool(const struct yaml *node, bool *ret_value, struct err *err) {
    /* YAML 1.1 and 1.2 spellings: where a bool is expected, none of them can mean anything else. */
    static const struct {
        const char *text;
        bool value;
    } spellings[] = {{"true", true}, {"false", false}, {"yes", true},
                     {"no", false},  {"on", true},     {"off", false}};
    for (size_t i = 0; i < sizeof(spellings) / sizeof(spellings[0]); i++) {
        if (node->kind == YR_SCALAR && str_eq_nocase(node->text, str_from(spellings[i].text))) {
            *ret_value = spellings[i].value;
            return true;
        }
    }
    return refuse_value(node, "true or false", err);
}

bool yr_scaled(const struct yaml *node, int digits, int64_t max, int64_t *ret_value,
               struct err *err) {
    if (node->kind != YR_SCALAR || is_null_scalar(node)) {
        return refuse_value(node, "a number", err);
    }
    return str_to_scaled(node->text, digits, max, ret_value, err) || refuse_number(node, err);
}

bool yr_list(const struct yaml *node, size_t items_max, struct err *err) {
    if (node->kind != YR_LIST) {
        return refuse_value(node, "a list", err);
    }
    if (node->count > items_max) {
        char expected[64];
        snprintf(expected, sizeof(expected), "a list of at most %zu items", items_max);
        return refuse_value(node, expected, err);
    }
    return true;
}

bool yr_map(const struct yaml *node, struct err *err) {
    return node->kind == YR_MAP || refuse_value(node, "a map (`name: value` lines)", err);
}

bool yr_need(const struct yaml *map, const char *name, const struct yaml **ret_node,
             struct err *err) {
    if (!yr_map(map, err)) {
        return false;
    }
    const struct yaml *node = yr_get(map, name);
    if (yr_is_null(node)) {
        return yr_error(node == NULL ? map : node, err, "`%s` is missing", name);
    }
    *ret_node = node;
    return true;
}

/* Finds the value for the yr_opt_ forms: NULL in *ret_node when it is missing or null. */
static bool opt_node(const struct yaml *map, const char *name, const struct yaml **ret_node,
                     struct err *err) {
    if (!yr_map(map, err)) {
        return false;
    }
    const struct yaml *node = yr_get(map, name);
    *ret_node = yr_is_null(node) ? NULL : node;
    return true;
}

bool yr_opt_str(const struct yaml *map, const char *name, size_t bytes_max, struct str *text,
                struct err *err) {
    const struct yaml *node = NULL;
    return opt_node(map, name, &node, err) && (node == NULL || yr_str(node, bytes_max, text, err));
}

bool yr_opt_i64(const struct yaml *map, const char *name, int64_t min, int64_t max, int64_t *value,
                struct err *err) {
    const struct yaml *node = NULL;
    return opt_node(map, name, &node, err) && (node == NULL || yr_i64(node, min, max, value, err));
}

bool yr_opt_bool(const struct yaml *map, const char *name, bool *value, struct err *err) {
    const struct yaml *node = NULL;
    return opt_node(map, name, &node, err) && (node == NULL || yr_bool(node, value, err));
}

bool yr_opt_scaled(const struct yaml *map, const char *name, int digits, int64_t max,
                   int64_t *value, struct err *err) {
    const struct yaml *node = NULL;
    return opt_node(map, name, &node, err) &&
           (node == NULL || yr_scaled(node, digits, max, value, err));
}

bool yr_opt_list(const struct yaml *map, const char *name, size_t items_max,
                 const struct yaml **list, struct err *err) {
    const struct yaml *node = NULL;
    if (!opt_node(map, name, &node, err) || (node != NULL && !yr_list(node, items_max, err))) {
        return false;
    }
    *list = node == NULL ? *list : node;
    return true;
}

bool yr_refuse_unknown(const struct yaml *map, const char *const known[], struct err *err) {
    if (!yr_map(map, err)) {
        return false;
    }
    for (YR_EACH(value, map)) {
        struct suggest nearest = suggest_for(value->key);
        bool is_known = false;
        for (size_t i = 0; known[i] != NULL; i++) {
            suggest_offer(&nearest, known[i]);
            is_known = is_known || str_eq_c(value->key, known[i]);
        }
        if (!is_known) {
            char hint[SUGGEST_TEXT_BYTES];
            suggest_text(&nearest, hint);
            struct str shown = str_utf8_prefix(value->key, KEY_BYTES_SHOWN);
            return yr_error(value, err, "`" STR_FMT "` is not known here%s", STR_ARG(shown), hint);
        }
    }
    return true;
}
