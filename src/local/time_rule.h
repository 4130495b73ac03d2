#ifndef LOCAL_TIME_RULE_H
#define LOCAL_TIME_RULE_H

#include "package/package.h"

/* The time limit of a package that gives none, by Kattis' rule: so many times the slowest accepted
 * submission, rounded up to the resolution. */

#define TIME_RULE_MEASURE_MS 60000 /* the limit while it is found out */

/* Source: Kattis problem package format, `limits` of the legacy form and of 2025-09. */
int64_t time_rule_limit(const struct package_time_rule *rule, int64_t slowest_ms);

#endif
