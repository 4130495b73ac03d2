#ifndef DOMAIN_RATIO_H
#define DOMAIN_RATIO_H

#include "base/str.h"

/* An exact share or number of points: over / under, 0 <= over, 0 < under. Checkers write
 * decimals, and no float ever enters a score. */
struct ratio {
    int64_t over;
    int64_t under;
};

/* "1", "0.25", ".5", "5e-1", "1E2": what programs print for a number of 0 or more, exact to 18
 * digits; what stands behind them is cut off, never rounded up. False for anything else: negative,
 * infinite, not a number, 10^18 or more, other text around it. */
checked bool ratio_parse(struct str text, struct ratio *ret_ratio);

/* value * whole <= limit, exactly. Units: whole, limit 0 to 10^15. */
bool ratio_fits(struct ratio value, int64_t whole, int64_t limit);
/* value / by, 1 <= by <= 10^9; digits that no longer fit are cut off, never rounded up. */
struct ratio ratio_divide(struct ratio value, int64_t by);
/* value * whole, rounded down. CHECKs that ratio_fits for some limit of an int64_t. */
int64_t ratio_times(struct ratio value, int64_t whole);

#endif
