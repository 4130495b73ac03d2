#ifndef DATA_YAML_H
#define DATA_YAML_H

#include "base/arena.h"
#include "base/limits.h"

/* Strict reading of YAML that others wrote, into a small tree in the caller's arena. Every error
 * says file and line: "problem.yaml:7: `name` must be text" (ERR_INVALID "bad_yaml"). Refused,
 * because they hide what a file says or cost more than its size: anchors and aliases, tags other
 * than the core ones, a second document, duplicate keys, keys that are not plain text. */

enum yr_kind { YR_SCALAR, YR_LIST, YR_MAP };

struct yaml {
    enum yr_kind kind;
    bool quoted;              /* a scalar in quotes or a block: "no" and "1.0" are text then */
    int line;                 /* 1 is the first */
    const char *file;         /* as given to yr_parse */
    struct str text;          /* of a scalar; NULs may be inside */
    struct str key;           /* when this is a map's value */
    const struct yaml *first; /* of a list's items or a map's values, in the order of the text */
    const struct yaml *next;  /* among its siblings */
    size_t count;             /* of children */
};

/* `file` is only for messages. An empty document gives an empty map. The arena must have
 * YR_ARENA_BYTES to spare.
 *
 * Errors: ERR_INVALID "bad_yaml", also over YAML_BYTES_MAX, YAML_DEPTH_MAX, YAML_NODES_MAX. */
#define YR_ARENA_BYTES ((size_t)8 * MIB)
checked bool yr_parse(struct arena *arena, const char *file, struct str text,
                      const struct yaml **ret_root, struct err *err);

/* "<file>:<line>: <text>" as ERR_INVALID "bad_yaml"; returns false. */
bool yr_error(const struct yaml *node, struct err *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The map's value, or NULL when it is missing or `map` is no map. */
const struct yaml *yr_get(const struct yaml *map, const char *name);
bool yr_is_null(const struct yaml *node); /* NULL, or plain: nothing, ~, null */

/* One node's value. `node` may not be NULL. */
checked bool yr_str(const struct yaml *node, size_t bytes_max, struct str *ret_text,
                    struct err *err); /* any scalar but null; without NULs */
checked bool yr_i64(const struct yaml *node, int64_t min, int64_t max, int64_t *ret_value,
                    struct err *err);
checked bool yr_bool(const struct yaml *node, bool *ret_value, struct err *err);
/* A decimal times 10^digits, exactly. */
checked bool yr_scaled(const struct yaml *node, int digits, int64_t max, int64_t *ret_value,
                       struct err *err);
checked bool yr_list(const struct yaml *node, size_t items_max, struct err *err); /* demands one */
checked bool yr_map(const struct yaml *node, struct err *err);                    /* demands one */

/* A map's value by name. The yr_opt_ forms leave *value as it was when it is missing or null. */
checked bool yr_need(const struct yaml *map, const char *name, const struct yaml **ret_node,
                     struct err *err);
checked bool yr_opt_str(const struct yaml *map, const char *name, size_t bytes_max,
                        struct str *text, struct err *err);
checked bool yr_opt_i64(const struct yaml *map, const char *name, int64_t min, int64_t max,
                        int64_t *value, struct err *err);
checked bool yr_opt_bool(const struct yaml *map, const char *name, bool *value, struct err *err);
checked bool yr_opt_scaled(const struct yaml *map, const char *name, int digits, int64_t max,
                           int64_t *value, struct err *err);
checked bool yr_opt_list(const struct yaml *map, const char *name, size_t items_max,
                         const struct yaml **list, struct err *err);

/* Refuses keys that are not in `known`, which ends with NULL, with the nearest known one offered.
 */
checked bool yr_refuse_unknown(const struct yaml *map, const char *const known[], struct err *err);

/* for (YR_EACH(item, list)) ... over items or map values; NULL has none. */
#define YR_EACH(item, node)                                                                        \
    const struct yaml *item = (node) == NULL ? NULL : (node)->first;                               \
    item != NULL;                                                                                  \
    item = item->next

#endif
