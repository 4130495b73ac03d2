#include "wake/outbox.h"
#include "base/check.h"
#include "base/limits.h"
#include "base/thread.h"

#include <stdlib.h>
#include <string.h>

#define RECENT 64 /* how far back a message is looked for that says the same */

struct slot {
    struct wake_message message;
    char *body;
};

struct outbox {
    struct mutex mutex;
    struct slot slots[WAKE_QUEUED_MAX]; /* a ring */
    int first;
    int count;
    size_t bytes;
    bool shut;
    int64_t lost;
};

struct outbox *outbox_create(void) {
    struct outbox *outbox = calloc(1, sizeof *outbox);
    CHECK(outbox != NULL);
    mutex_init(&outbox->mutex);
    return outbox;
}

static struct slot *slot_at(struct outbox *outbox, int index) {
    return &outbox->slots[(outbox->first + index) % WAKE_QUEUED_MAX];
}

static void drop_first(struct outbox *outbox) {
    struct slot *slot = slot_at(outbox, 0);
    outbox->bytes -= slot->message.body.len;
    free(slot->body);
    *slot = (struct slot){0};
    outbox->first = (outbox->first + 1) % WAKE_QUEUED_MAX;
    outbox->count--;
}

void outbox_free(struct outbox *outbox) {
    if (outbox != NULL) {
        while (outbox->count > 0) {
            drop_first(outbox);
        }
        mutex_done(&outbox->mutex);
        free(outbox);
    }
}

/* A message without body that says what one of the last does; its count is added. */
static bool merge(struct outbox *outbox, const struct wake_message *message) {
    int from = outbox->count > RECENT ? outbox->count - RECENT : 0;
    for (int i = outbox->count - 1; i >= from && message->body.len == 0; i--) {
        struct wake_message *other = &slot_at(outbox, i)->message;
        if (other->topic == message->topic && other->id == message->id && other->body.len == 0) {
            other->count =
                other->count > ID_MAX - message->count ? ID_MAX : other->count + message->count;
            return true;
        }
    }
    return false;
}

static void add(struct outbox *outbox, const struct wake_message *message) {
    struct slot *slot = slot_at(outbox, outbox->count++);
    *slot = (struct slot){.message = *message};
    if (message->body.len > 0) {
        slot->body = malloc(message->body.len);
        CHECK(slot->body != NULL);
        memcpy(slot->body, message->body.ptr, message->body.len);
    }
    slot->message.body = str_of(slot->body, message->body.len);
    outbox->bytes += message->body.len;
}

bool outbox_put(struct outbox *outbox, const struct wake_message *message) {
    mutex_lock(&outbox->mutex);
    bool merged = !outbox->shut && merge(outbox, message);
    bool room = !outbox->shut && outbox->count < WAKE_QUEUED_MAX &&
                outbox->bytes + message->body.len <= WAKE_QUEUED_BYTES_MAX;
    if (!merged && room) {
        add(outbox, message);
    } else if (!merged) {
        outbox->lost++;
    }
    mutex_unlock(&outbox->mutex);
    return merged || room;
}

bool outbox_take(struct outbox *outbox, struct arena *arena, struct wake_message *ret_message) {
    mutex_lock(&outbox->mutex);
    bool some = outbox->count > 0;
    if (some) {
        *ret_message = slot_at(outbox, 0)->message;
        ret_message->body = arena_str(arena, ret_message->body);
        drop_first(outbox);
    }
    mutex_unlock(&outbox->mutex);
    return some;
}

void outbox_shut(struct outbox *outbox, bool shut) {
    mutex_lock(&outbox->mutex);
    outbox->shut = shut;
    while (shut && outbox->count > 0) {
        drop_first(outbox);
        outbox->lost++;
    }
    mutex_unlock(&outbox->mutex);
}

int64_t outbox_lost(struct outbox *outbox) {
    mutex_lock(&outbox->mutex);
    int64_t lost = outbox->lost;
    mutex_unlock(&outbox->mutex);
    return lost;
}
