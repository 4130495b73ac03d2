#include "store/lock_order.h"
#include "base/check.h"

#include <stdlib.h>

void lock_order_done(struct lock_order *order) {
    free(order->held);
    *order = (struct lock_order){0};
}

void lock_order_reset(struct lock_order *order) {
    order->count = 0;
    order->sealed = false;
}

void lock_order_seal(struct lock_order *order) {
    order->sealed = true;
}

static int compare(const struct held_lock *lock, enum lock_level level, int64_t id) {
    if (lock->level != level) {
        return lock->level < level ? -1 : 1;
    }
    return lock->id == id ? 0 : lock->id < id ? -1 : 1;
}

static const struct held_lock *find(const struct lock_order *order, enum lock_level level,
                                    int64_t id) {
    size_t low = 0;
    size_t high = order->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int side = compare(&order->held[middle], level, id);
        if (side == 0) {
            return &order->held[middle];
        }
        low = side < 0 ? middle + 1 : low;
        high = side < 0 ? high : middle;
    }
    return NULL;
}

static void append(struct lock_order *order, struct held_lock lock) {
    if (order->count == order->capacity) {
        order->capacity = order->capacity == 0 ? 64 : 2 * order->capacity;
        order->held = realloc(order->held, order->capacity * sizeof order->held[0]);
        CHECK(order->held != NULL);
    }
    order->held[order->count++] = lock;
}

enum lock_answer lock_order_take(struct lock_order *order, enum lock_level level,
                                 enum lock_mode mode, int64_t id) {
    CHECK(level > LOCK_NONE && level < LOCK_LEVEL_COUNT);
    const struct held_lock *held = find(order, level, id);
    if (held != NULL) {
        return held->mode == LOCK_SHARED && mode == LOCK_EXCLUSIVE ? LOCK_UPGRADE : LOCK_HELD;
    }
    if (order->count > 0 && compare(&order->held[order->count - 1], level, id) > 0) {
        return LOCK_OUT_OF_ORDER;
    }
    if (order->sealed) {
        return LOCK_AFTER_CLOCK;
    }
    if (order->count == LOCKS_MAX) {
        return LOCK_TOO_MANY;
    }
    append(order, (struct held_lock){.level = level, .mode = mode, .id = id});
    return LOCK_TAKE;
}

bool lock_order_has(const struct lock_order *order, enum lock_level level, enum lock_mode mode,
                    int64_t id) {
    const struct held_lock *held = find(order, level, id);
    return held != NULL && (held->mode == LOCK_EXCLUSIVE || mode == LOCK_SHARED);
}
