/* XML as a tree, by expat. */
#include "package/xml.h"

#include "base/check.h"
#include "base/limits.h"
#include "package/reader_internal.h"
#include <expat.h>
#include <string.h>

struct frame {
    struct xml *node;
    struct xml *last; /* child */
    struct buf text;
};

struct reading {
    XML_Parser parser;
    struct arena *arena;
    struct frame frames[XML_DEPTH_MAX + 1];
    int depth;
    int32_t nodes;
    const char *why;
    struct xml *root;
};

static void stop(struct reading *reading, const char *why) {
    reading->why = reading->why == NULL ? why : reading->why;
    (void)XML_StopParser(reading->parser, XML_FALSE);
}

static void read_attributes(struct reading *reading, struct xml *node, const char **pairs) {
    int32_t count = 0;
    while (pairs[2 * count] != NULL) {
        count++;
    }
    struct xml_attribute *rows = arena_array(reading->arena, (size_t)count, sizeof(rows[0]));
    for (int32_t i = 0; i < count; i++) {
        rows[i].name = arena_str(reading->arena, str_from(pairs[2 * i]));
        rows[i].value = arena_str(reading->arena, str_from(pairs[2 * i + 1]));
    }
    node->attributes = rows;
    node->attribute_count = count;
}

static void XMLCALL on_start(void *context, const char *name, const char **attributes) {
    struct reading *reading = XML_GetUserData(context);
    if (reading->depth == XML_DEPTH_MAX || ++reading->nodes > XML_NODES_MAX) {
        stop(reading, "the file is nested too deep, or has too many elements");
        return;
    }
    struct xml *node = arena_new(reading->arena, struct xml);
    node->name = arena_str(reading->arena, str_from(name));
    node->line = (int)XML_GetCurrentLineNumber(reading->parser);
    read_attributes(reading, node, attributes);
    struct frame *parent = &reading->frames[reading->depth];
    if (reading->depth == 0) {
        reading->root = node;
    } else if (parent->last == NULL) {
        parent->node->first = node;
    } else {
        parent->last->next = node;
    }
    parent->last = node;
    struct frame *frame = &reading->frames[++reading->depth];
    frame->node = node;
    frame->last = NULL;
    buf_clear(&frame->text);
}

static void XMLCALL on_text(void *context, const char *text, int len) {
    struct reading *reading = XML_GetUserData(context);
    if (reading->depth > 0) {
        buf_append(&reading->frames[reading->depth].text, str_of(text, (size_t)len));
    }
}

static void XMLCALL on_end(void *context, const char *name) {
    struct reading *reading = XML_GetUserData(context);
    struct frame *frame = &reading->frames[reading->depth];
    (void)name;
    frame->node->text = arena_str(reading->arena, str_trim(buf_str(&frame->text)));
    reading->depth--;
}

/* Entities are declared in there, and nothing else that is of use. */
static void XMLCALL on_doctype(void *context, const char *name, const char *system,
                               const char *public_id, int has_internal_subset) {
    XML_Parser parser = context;
    (void)name, (void)system, (void)public_id;
    if (has_internal_subset != 0) {
        (void)XML_StopParser(parser, XML_FALSE);
    }
}

struct XML_ParserStruct *xml_parser_create(void *context) {
    XML_Parser parser = XML_ParserCreate(NULL);
    CHECK(parser != NULL);
    XML_SetUserData(parser, context);
    (void)XML_SetParamEntityParsing(parser, XML_PARAM_ENTITY_PARSING_NEVER);
    /* Handlers get the parser, and by it the context. */
    XML_UseParserAsHandlerArg(parser);
    XML_SetStartDoctypeDeclHandler(parser, on_doctype);
    return parser;
}

bool xml_error(struct XML_ParserStruct *parser, struct str file, const char *why, struct err *err) {
    enum XML_Error code = XML_GetErrorCode(parser);
    const char *text = XML_ErrorString(code);
    if (why == NULL && code == XML_ERROR_ABORTED) {
        why = "its DOCTYPE declares entities: write out what they stand for";
    }
    return package_refuse(err, file, (int)XML_GetCurrentLineNumber(parser), "%s",
                          why != NULL    ? why
                          : text != NULL ? text
                                         : "this is no XML");
}

bool xml_parse(struct arena *arena, struct str file, struct str text, const struct xml **ret_root,
               struct err *err) {
    struct reading *reading = arena_new(arena, struct reading);
    if (text.len > XML_BYTES_MAX) {
        return package_refuse(err, file, 0, "it is larger than %zu MiB", XML_BYTES_MAX / MIB);
    }
    XML_Parser parser = xml_parser_create(reading);
    reading->parser = parser;
    reading->arena = arena;
    for (int i = 0; i <= XML_DEPTH_MAX; i++) {
        buf_init(&reading->frames[i].text, XML_BYTES_MAX);
    }
    XML_SetElementHandler(parser, on_start, on_end);
    XML_SetCharacterDataHandler(parser, on_text);
    bool ok = XML_Parse(parser, text.ptr, (int)text.len, 1) == XML_STATUS_OK;
    ok = ok || xml_error(parser, file, reading->why, err);
    for (int i = 0; i <= XML_DEPTH_MAX; i++) {
        buf_done(&reading->frames[i].text);
    }
    XML_ParserFree(parser);
    if (ok) {
        *ret_root = reading->root;
    }
    return ok;
}

struct str xml_attribute(const struct xml *node, const char *name) {
    for (int32_t i = 0; node != NULL && i < node->attribute_count; i++) {
        if (str_eq_c(node->attributes[i].name, name)) {
            return node->attributes[i].value;
        }
    }
    return STR("");
}

static const struct xml *find(const struct xml *from, struct str name) {
    for (; from != NULL; from = from->next) {
        if (str_eq(from->name, name)) {
            return from;
        }
    }
    return NULL;
}

const struct xml *xml_child(const struct xml *node, const char *name) {
    return node == NULL ? NULL : find(node->first, str_from(name));
}

const struct xml *xml_path(const struct xml *node, const char *path) {
    struct str rest = str_from(path);
    struct str name = STR("");
    bool more = true;
    while (more && node != NULL) {
        more = str_cut(rest, '/', &name, &rest);
        node = find(node->first, name);
    }
    return node;
}

const struct xml *xml_next(const struct xml *node) {
    return node == NULL ? NULL : find(node->next, node->name);
}
