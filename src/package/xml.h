#ifndef PACKAGE_XML_H
#define PACKAGE_XML_H

#include "base/arena.h"
#include "base/err.h"

/* Small XML files as a tree. Refused: declarations of entities, whatever they are for; documents
 * that are deeper or larger than the limits below. Nothing outside the file is ever read. */

#define XML_DEPTH_MAX 64
#define XML_NODES_MAX 200000
#define XML_BYTES_MAX ((size_t)8 * MIB)

struct xml_attribute {
    struct str name;
    struct str value;
};

struct xml {
    struct str name;
    struct str text; /* directly inside, trimmed */
    int line;
    const struct xml_attribute *attributes;
    int32_t attribute_count;
    const struct xml *first; /* child */
    const struct xml *next;  /* sibling */
};

/* Everything lives in `arena`. `file` is for messages.
 * Errors: ERR_INVALID "bad_package" with file and line. */
checked bool xml_parse(struct arena *arena, struct str file, struct str text,
                       const struct xml **ret_root, struct err *err);

/* Empty text when there is none. */
struct str xml_attribute(const struct xml *node, const char *name);
/* The first child of this name, or NULL; also of NULL. */
const struct xml *xml_child(const struct xml *node, const char *name);
/* As xml_child along a path: "judging/testset". */
const struct xml *xml_path(const struct xml *node, const char *path);
/* The next sibling of the same name, or NULL. */
const struct xml *xml_next(const struct xml *node);

/* The parser that reads nothing outside of the file and takes no entities, which all readers of
 * XML here use. Its handlers get the parser itself as their first argument: XML_GetUserData gives
 * `context`. */
struct XML_ParserStruct *xml_parser_create(void *context);
/* "file:line: why" after a failed step. `why` NULL: what expat says. */
bool xml_error(struct XML_ParserStruct *parser, struct str file, const char *why, struct err *err);

#endif
