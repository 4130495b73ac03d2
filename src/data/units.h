#ifndef DATA_UNITS_H
#define DATA_UNITS_H

#include "base/buf.h"

/* Durations and sizes as people write them: "15s", "1h30min", "256MiB". Whole numbers only. */

/* Units ms, s, m or min, h, d; several add up. "0" needs none.
 * Errors: ERR_INVALID "bad_duration". */
checked bool duration_parse(struct str text, int64_t *ret_ms, struct err *err);
/* Units B (or none), KiB, MiB, GiB, TiB. KB and MB are refused, because people mean both 1000 and
 * 1024 by them.
 * Errors: ERR_INVALID "bad_size". */
checked bool size_parse(struct str text, int64_t *ret_bytes, struct err *err);

/* The shortest text that parses back to the same value: "90s", "1MiB". Not for negative values. */
void duration_append(struct buf *out, int64_t ms);
void size_append(struct buf *out, int64_t bytes);

#endif
