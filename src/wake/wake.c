#include "wake/wake.h"
#include "base/check.h"
#include "base/limits.h"

#include <stdlib.h>

struct listener {
    wake_fn *listen;
    void *context;
};

struct wake {
    struct listener listeners[WAKE_TOPIC_COUNT][WAKE_LISTENERS_MAX];
    struct wake_carrier carrier;
};

struct wake *wake_create(void) {
    struct wake *wake = calloc(1, sizeof *wake);
    CHECK(wake != NULL);
    return wake;
}

void wake_free(struct wake *wake) {
    free(wake);
}

void wake_listen(struct wake *wake, enum wake_topic topic, wake_fn *listen, void *context) {
    CHECK(topic > 0 && topic < WAKE_TOPIC_COUNT);
    int used = 0;
    while (used < WAKE_LISTENERS_MAX && wake->listeners[topic][used].listen != NULL) {
        used++;
    }
    CHECK(used < WAKE_LISTENERS_MAX);
    wake->listeners[topic][used] = (struct listener){.listen = listen, .context = context};
}

void wake_tell_here(struct wake *wake, const struct wake_message *message) {
    CHECK(message->topic > 0 && message->topic < WAKE_TOPIC_COUNT);
    const struct listener *listeners = wake->listeners[message->topic];
    for (int i = 0; i < WAKE_LISTENERS_MAX && listeners[i].listen != NULL; i++) {
        listeners[i].listen(listeners[i].context, message);
    }
}

void wake_tell_others(struct wake *wake, const struct wake_message *message) {
    if (wake->carrier.send != NULL && message->body.len <= WAKE_BODY_BYTES_MAX) {
        wake->carrier.send(wake->carrier.context, message);
    }
}

void wake_tell(struct wake *wake, enum wake_topic topic, int64_t id, int64_t count) {
    if (count > 0) {
        struct wake_message message = {.topic = topic, .id = id, .count = count};
        wake_tell_here(wake, &message);
        wake_tell_others(wake, &message);
    }
}

void wake_set_carrier(struct wake *wake, const struct wake_carrier *carrier) {
    wake->carrier = carrier != NULL ? *carrier : (struct wake_carrier){0};
}
