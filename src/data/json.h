#ifndef DATA_JSON_H
#define DATA_JSON_H

#include "base/limits.h"
#include "base/own.h"
#include "base/str.h"

/* Strict reading of JSON that others wrote. The functions are called jr_ ("JSON read") because the
 * library underneath owns the prefix json_; its types do not show here.
 *
 *     own(json) body = NULL;
 *     static const char *const known[] = {"problemId", "source", NULL};
 *     if (!jr_parse(text, &body, err) || !jr_refuse_unknown(body, known, err) ||
 *         !jr_i64(body, "problemId", 1, ID_MAX, &problem, err) ||
 *         !jr_str(body, "source", SOURCE_BYTES_MAX, &source, err)) {
 *         return false;
 *     }
 *
 * Values reached from a parsed one are borrowed: they live as long as it does, as does their text.
 */

struct json;

enum jr_kind { JR_MISSING, JR_NULL, JR_BOOL, JR_I64, JR_REAL, JR_STR, JR_ARRAY, JR_OBJECT };

/* Owns:   *ret_value is the caller's: jr_free, or own(json).
 * Errors: ERR_INVALID "bad_json" with line and column: malformed, not UTF-8, duplicate keys,
 *         anything after the value, deeper than JSON_DEPTH_MAX, more than JSON_NODES_MAX values. */
checked bool jr_parse(struct str text, struct json **ret_value, struct err *err);
void jr_free(struct json *value); /* accepts NULL; only for what jr_parse gave */
OWN_DEFINE(json, jr_free)

enum jr_kind jr_kind(const struct json *value); /* JR_MISSING for NULL */
/* The member, or NULL when there is none or `object` is no object. JSON null is a value. */
const struct json *jr_get(const struct json *object, const char *name);

/* Members by name. The jr_opt_ forms leave *value as it was when the member is missing or null; the
 * others demand it.
 *
 * Errors: ERR_INVALID "missing_field", "bad_field" (wrong type or range), ERR_TOO_LARGE
 *         "field_too_long". The text names the field: "field `source` must be text". */
checked bool jr_i64(const struct json *object, const char *name, int64_t min, int64_t max,
                    int64_t *ret_value, struct err *err);
checked bool jr_opt_i64(const struct json *object, const char *name, int64_t min, int64_t max,
                        int64_t *value, struct err *err);
checked bool jr_bool(const struct json *object, const char *name, bool *ret_value, struct err *err);
checked bool jr_opt_bool(const struct json *object, const char *name, bool *value, struct err *err);
/* UTF-8 without U+0000. */
checked bool jr_str(const struct json *object, const char *name, size_t bytes_max,
                    struct str *ret_text, struct err *err);
checked bool jr_opt_str(const struct json *object, const char *name, size_t bytes_max,
                        struct str *text, struct err *err);
/* As jr_opt_str, but U+0000 may be inside: for what a program printed. */
checked bool jr_opt_output(const struct json *object, const char *name, size_t bytes_max,
                           struct str *text, struct err *err);
checked bool jr_array(const struct json *object, const char *name, size_t items_max,
                      const struct json **ret_array, struct err *err);
checked bool jr_opt_array(const struct json *object, const char *name, size_t items_max,
                          const struct json **array, struct err *err);
checked bool jr_object(const struct json *object, const char *name, const struct json **ret_object,
                       struct err *err);
checked bool jr_opt_object(const struct json *object, const char *name, const struct json **member,
                           struct err *err);

/* Refuses members that are not in `known`, which ends with NULL. ERR_INVALID "unknown_field" names
 * the first one; "bad_field" when `object` is no object. */
checked bool jr_refuse_unknown(const struct json *object, const char *const known[],
                               struct err *err);

/* Arrays: items by index. The errors say "item 3 must be text". */
size_t jr_count(const struct json *array); /* items or members; 0 for NULL and for scalars */
const struct json *jr_at(const struct json *array, size_t index); /* NULL outside */
checked bool jr_item_i64(const struct json *array, size_t index, int64_t min, int64_t max,
                         int64_t *ret_value, struct err *err);
checked bool jr_item_str(const struct json *array, size_t index, size_t bytes_max,
                         struct str *ret_text, struct err *err);
checked bool jr_item_object(const struct json *array, size_t index, const struct json **ret_object,
                            struct err *err);

/* Objects with names that are not known before: the next member in the order of the text. Start
 * with *cursor = NULL; false at the end. */
bool jr_next_member(const struct json *object, void **cursor, struct str *ret_name,
                    const struct json **ret_value);

#endif
