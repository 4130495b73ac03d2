#ifndef STORE_LOCK_ORDER_H
#define STORE_LOCK_ORDER_H

#include "domain/lock.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The order in which one transaction has taken its locks: level by level, ids ascending inside a
 * level. Independent of the driver, so that a wrong order is found on SQLite too, where it could
 * not deadlock. Sealed when the transaction reads the clock: what is locked later would have been
 * judged by a time that passed before the lock was there. */

#define LOCKS_MAX 4096 /* of one transaction */

struct held_lock {
    enum lock_level level;
    enum lock_mode mode;
    int64_t id;
};

struct lock_order {
    struct held_lock *held; /* ascending; kept between transactions */
    size_t count;
    size_t capacity;
    bool sealed;
};

void lock_order_done(struct lock_order *order);  /* frees; accepts a zeroed one */
void lock_order_reset(struct lock_order *order); /* a transaction begins or ends */
void lock_order_seal(struct lock_order *order);

enum lock_answer {
    LOCK_TAKE = 1,     /* new: the driver must lock the row */
    LOCK_HELD,         /* this transaction has it already */
    LOCK_OUT_OF_ORDER, /* a later one is held */
    LOCK_UPGRADE,      /* held as shared, wanted exclusive */
    LOCK_AFTER_CLOCK,  /* sealed */
    LOCK_TOO_MANY,
};

/* Records the lock when the answer is LOCK_TAKE. */
enum lock_answer lock_order_take(struct lock_order *order, enum lock_level level,
                                 enum lock_mode mode, int64_t id);
/* True when the transaction holds the lock, at least as strong as `mode`. */
bool lock_order_has(const struct lock_order *order, enum lock_level level, enum lock_mode mode,
                    int64_t id);

#endif
