/* Kattis' rule for time limits. */
#include "local/time_rule.h"

#include "base/check.h"

int64_t time_rule_limit(const struct package_time_rule *rule, int64_t slowest_ms) {
    CHECK(rule->multiplier_milli > 0 && rule->resolution_ms > 0 && slowest_ms >= 0);
    int64_t scaled = (slowest_ms * rule->multiplier_milli + 999) / 1000;
    int64_t steps = (scaled + rule->resolution_ms - 1) / rule->resolution_ms;
    int64_t limit = (steps < 1 ? 1 : steps) * rule->resolution_ms;
    limit = limit < TIME_LIMIT_MS_MIN ? TIME_LIMIT_MS_MIN : limit;
    return limit > TIME_LIMIT_MS_MAX ? TIME_LIMIT_MS_MAX : limit;
}
