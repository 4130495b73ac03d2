#include "wake/wake.h"
#include "base/check.h"

#include <stdlib.h>

struct listener {
    wake_fn *listen;
    void *context;
};

struct wake {
    struct listener listeners[WAKE_TOPIC_COUNT];
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
    CHECK(wake->listeners[topic].listen == NULL);
    wake->listeners[topic] = (struct listener){.listen = listen, .context = context};
}

void wake_tell(struct wake *wake, enum wake_topic topic, int64_t id, int64_t count) {
    CHECK(topic > 0 && topic < WAKE_TOPIC_COUNT);
    const struct listener *listener = &wake->listeners[topic];
    if (listener->listen != NULL && count > 0) {
        struct wake_message message = {.topic = topic, .id = id, .count = count};
        listener->listen(listener->context, &message);
    }
}
