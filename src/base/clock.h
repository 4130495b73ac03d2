#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include "base/str.h"
#include <stdint.h>

/* Time enters through here, so that tests and the simulator can replace it. */
struct clock {
    void *context;
    int64_t (*utc_ms)(void *context);  /* UTC milliseconds since 1970; may jump */
    int64_t (*mono_ms)(void *context); /* monotonic milliseconds; origin unknown, never jumps */
    void (*sleep_ms)(void *context, int64_t ms);
};

extern const struct clock clock_real;
/* CLOCK_MONOTONIC in nanoseconds, for what needs more than milliseconds: a run's limits, and what
 * is measured of it. */
int64_t clock_real_mono_ns(void);

static inline int64_t clock_utc_ms(const struct clock *clock) {
    return clock->utc_ms(clock->context);
}
static inline int64_t clock_mono_ms(const struct clock *clock) {
    return clock->mono_ms(clock->context);
}
static inline void clock_sleep_ms(const struct clock *clock, int64_t ms) {
    clock->sleep_ms(clock->context, ms);
}

/* A clock that stands still until told otherwise. Points to itself: do not move it after init. */
struct clock_manual {
    struct clock clock;
    int64_t utc_now_ms;
    int64_t mono_now_ms;
};
void clock_manual_init(struct clock_manual *manual, int64_t utc_ms);
void clock_manual_advance(struct clock_manual *manual, int64_t ms); /* both clocks */

/* RFC 3339 in UTC with milliseconds, "2026-11-30T10:03:11.042Z"; out has room for 25 bytes with
 * NUL. */
#define CLOCK_RFC3339_BYTES 25
void clock_rfc3339(int64_t utc_ms, char out[CLOCK_RFC3339_BYTES]);
/* The way back: seconds may have 0 to 9 decimals, of which three count; the zone must be Z. False
 * for anything else, also for a day that no calendar has. */
bool clock_parse_rfc3339(struct str text, int64_t *ret_utc_ms);

#endif
