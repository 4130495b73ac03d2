#ifndef DOMAIN_VERDICT_H
#define DOMAIN_VERDICT_H

#include "base/str.h"

/* What the user sees (DESIGN section 4). One row each: code, short form, key in /api/system/stats.
 */
enum verdict {
    VERDICT_NONE,
    VERDICT_ACCEPTED,
    VERDICT_WRONG_ANSWER,
    VERDICT_PRESENTATION_ERROR,
    VERDICT_TIME_LIMIT_EXCEEDED,
    VERDICT_MEMORY_LIMIT_EXCEEDED,
    VERDICT_OUTPUT_LIMIT_EXCEEDED,
    VERDICT_RUNTIME_ERROR,
    VERDICT_COMPILE_ERROR,
    VERDICT_PARTIAL,
    VERDICT_SYSTEM_ERROR,
    VERDICT_CANCELLED,
    VERDICT_COUNT,
};

const char *verdict_code(enum verdict verdict);      /* "TIME_LIMIT_EXCEEDED"; NONE: "" */
const char *verdict_short(enum verdict verdict);     /* "TLE" */
const char *verdict_stats_key(enum verdict verdict); /* "Time_Limit_Exceeded" */
bool verdict_parse(struct str code, enum verdict *ret_verdict);

#endif
