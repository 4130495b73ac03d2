#ifndef WAKE_REDIS_H
#define WAKE_REDIS_H

#include "base/clock.h"
#include "base/random.h"
#include "wake/redis_link.h"
#include "wake/wake.h"

/* Carries hints between the servers of one database by Redis publish/subscribe. One thread has two
 * connections, one that listens and one that publishes:
 *
 *     connect both -> subscribe -> say WAKE_LOOK here and to the others -> carry messages
 *          ^                                                                   |
 *          +---------- back-off with jitter, 0.1 s to 10 s <---- any error ----+
 *
 * Invariants: (1) nobody who tells something ever waits for Redis: messages are copied into a
 * bounded queue, and lost when it is full or Redis is away; (2) after a loss everybody who may have
 * missed something is told to look (WAKE_LOOK), after the subscription stands, so that nothing
 * falls between looking and listening; (3) nothing depends on Redis: without it servers find work
 * by their own probes. */

struct redis_wake;

struct redis_wake_options {
    struct redis_link_options link; /* copied */
    const char *channel;            /* copied; servers of one database share it */
    struct wake *wake;              /* borrowed, as are the others */
    const struct random *random;
    const struct clock *clock;
};

struct redis_wake_state {
    bool connected;
    int64_t connects; /* how often the subscription stood */
    int64_t sent;
    int64_t received;
    int64_t lost;  /* could not be sent */
    char why[256]; /* why it is not connected, for people */
};

/* Starts the thread; Redis may be away. All listeners of `wake` are set by now.
 * Errors: ERR_INVALID "bad_redis_url", "bad_redis_channel". */
checked bool redis_wake_open(const struct redis_wake_options *options,
                             struct redis_wake **ret_redis, struct err *err);
/* No listener is called any more when it returns. Accepts NULL. */
void redis_wake_close(struct redis_wake *redis);
OWN_DEFINE(redis_wake, redis_wake_close)

void redis_wake_state(struct redis_wake *redis, struct redis_wake_state *ret_state);

#endif
