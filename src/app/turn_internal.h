#ifndef APP_TURN_INTERNAL_H
#define APP_TURN_INTERNAL_H

#include "app/app_internal.h"
#include "store/turn_store.h"

/* The order keys of the next jobs of a batch's users (domain/turn.h), each recorded as its user's
 * last. The keys are read under LOCK_USER_TURN of all users, exclusive. */

struct turn {
    struct turn_owner owner;
    int64_t last_key;
    bool found;
};

struct turns {
    struct turn *rows; /* each owner once */
    int count;
    int room;
    struct arena *arena;
};

/* Room for `room` owners, in `arena`. */
void turns_init(struct turns *turns, int room, struct arena *arena);
void turns_add(struct turns *turns, const struct turn_owner *owner);
/* The two reads that lock and find them, the locks first. */
#define TURNS_READS 2
void turns_reads(struct turns *turns, struct rows_read reads[TURNS_READS]);

/* The next key of an owner that was added, and writes it. */
checked bool turns_take(struct app *app, struct db *db, struct turns *turns,
                        const struct turn_owner *owner, int64_t *ret_key, struct err *err);

#endif
