#ifndef WAKE_WAKE_H
#define WAKE_WAKE_H

#include "base/own.h"
#include "base/str.h"
#include <stdint.h>

/* Tells whoever listens that something may have changed: in this process at once, in the other
 * servers' processes through a carrier (wake/redis.h) when there is one. A hint, never truth: what
 * is said may be lost, late, doubled or wrong, so each listener also looks for itself now and then.
 */

enum wake_topic {
    WAKE_QUEUE = 1,  /* id: a queue in which `count` jobs have become ready */
    WAKE_SUBMISSION, /* id: a submission whose state or progress has changed */
    WAKE_PROGRESS,   /* id: a job; body: what its node has reported. Only from other servers */
    WAKE_LOOK,       /* hints were lost: look at everything. id 0 */
    WAKE_ROOM,       /* id: a queue; a node of it may have room or leave now */
    WAKE_TOPIC_COUNT,
};

struct wake_message {
    enum wake_topic topic;
    int64_t id;
    int64_t count;
    struct str body; /* borrowed; at most WAKE_BODY_BYTES_MAX */
};

typedef void wake_fn(void *context, const struct wake_message *message);

struct wake;

struct wake *wake_create(void);
void wake_free(struct wake *wake); /* accepts NULL */
OWN_DEFINE(wake, wake_free)

/* At most WAKE_LISTENERS_MAX a topic; all are set before the first message. `listen` runs in
 * whatever thread has something to tell: short, and it never blocks. */
#define WAKE_LISTENERS_MAX 4
void wake_listen(struct wake *wake, enum wake_topic topic, wake_fn *listen, void *context);

/* Here and everywhere. Never blocks, never fails. */
void wake_tell(struct wake *wake, enum wake_topic topic, int64_t id, int64_t count);
/* Here alone: what other servers have no use for, or have said themselves. */
void wake_tell_here(struct wake *wake, const struct wake_message *message);
/* Everywhere but here. A body that is too long is left out. */
void wake_tell_others(struct wake *wake, const struct wake_message *message);

/* Takes messages to other processes. `send` copies what it needs and never blocks. NULL: none; set
 * while nobody tells. */
struct wake_carrier {
    void *context;
    void (*send)(void *context, const struct wake_message *message);
};
void wake_set_carrier(struct wake *wake, const struct wake_carrier *carrier);

#endif
