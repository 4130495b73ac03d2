#ifndef DATA_JSON_WRITE_H
#define DATA_JSON_WRITE_H

#include "base/buf.h"

/* Writes one JSON value straight into a buffer, without a tree. Wrong nesting is our own mistake
 * and aborts; an overfull buffer is found once, by jw_finish.
 *
 *     struct jw json;
 *     jw_init(&json, &out);
 *     jw_object_begin(&json);
 *     jw_put_i64(&json, "id", id);
 *     jw_key(&json, "cases");
 *     jw_array_begin(&json);
 *     ...
 *     jw_array_end(&json);
 *     jw_object_end(&json);
 *     return jw_finish(&json, "the answer", err);
 */

#define JW_DEPTH_MAX 32

struct jw {
    struct buf *out;
    int depth;
    bool key_written;   /* the next thing must be a value */
    bool value_written; /* at depth 0: the one value is there */
    uint64_t is_object; /* a bit for each depth */
    uint64_t has_items;
};

void jw_init(struct jw *json, struct buf *out); /* appends to what `out` holds */
/* CHECKs that exactly one whole value was written. ERR_TOO_LARGE, with `what` named, when it did
 * not fit into the buffer. */
checked bool jw_finish(struct jw *json, const char *what, struct err *err);

void jw_object_begin(struct jw *json);
void jw_object_end(struct jw *json);
void jw_array_begin(struct jw *json);
void jw_array_end(struct jw *json);
void jw_key(struct jw *json, const char *name);
void jw_key_str(struct jw *json, struct str name);

void jw_i64(struct jw *json, int64_t value);
void jw_bool(struct jw *json, bool value);
void jw_null(struct jw *json);
void jw_str(struct jw *json, struct str text);   /* what is not UTF-8 becomes U+FFFD */
void jw_cstr(struct jw *json, const char *text); /* NULL becomes null */
/* value / 10^digits as an exact decimal without trailing zeros: (12500000, 6) becomes 12.5. */
void jw_decimal(struct jw *json, int64_t value, int digits);
/* RFC 3339 in UTC; 0 and less, "never", become null. */
void jw_time(struct jw *json, int64_t utc_ms);
void jw_hex(struct jw *json, const uint8_t *bytes, size_t count); /* as text */
/* Text that is one JSON value already, because this program wrote it. */
void jw_raw(struct jw *json, struct str value);

/* Key and value in one call. */
void jw_put_i64(struct jw *json, const char *name, int64_t value);
void jw_put_bool(struct jw *json, const char *name, bool value);
void jw_put_null(struct jw *json, const char *name);
void jw_put_str(struct jw *json, const char *name, struct str text);
void jw_put_cstr(struct jw *json, const char *name, const char *text);
void jw_put_decimal(struct jw *json, const char *name, int64_t value, int digits);
void jw_put_time(struct jw *json, const char *name, int64_t utc_ms);
void jw_put_hex(struct jw *json, const char *name, const uint8_t *bytes, size_t count);

#endif
