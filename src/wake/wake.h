#ifndef WAKE_WAKE_H
#define WAKE_WAKE_H

#include "base/own.h"
#include <stdint.h>

/* Tells whoever listens that something may have changed. A hint, never truth: what is said may be
 * lost, late, doubled or wrong, so each listener also looks for itself now and then. In process
 * today; other servers later, behind the same calls. */

enum wake_topic {
    WAKE_QUEUE = 1,  /* id: a queue in which `count` jobs have become ready */
    WAKE_SUBMISSION, /* id: a submission whose state or progress has changed */
    WAKE_TOPIC_COUNT,
};

struct wake_message {
    enum wake_topic topic;
    int64_t id;
    int64_t count;
};

typedef void wake_fn(void *context, const struct wake_message *message);

struct wake;

struct wake *wake_create(void);
void wake_free(struct wake *wake); /* accepts NULL */
OWN_DEFINE(wake, wake_free)

/* At most one listener a topic; all are set before the first message. `listen` runs in whatever
 * thread has something to tell: short, and it never blocks. */
void wake_listen(struct wake *wake, enum wake_topic topic, wake_fn *listen, void *context);
void wake_tell(struct wake *wake, enum wake_topic topic, int64_t id, int64_t count);

#endif
