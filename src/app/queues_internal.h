#ifndef APP_QUEUES_INTERNAL_H
#define APP_QUEUES_INTERNAL_H

#include "app/app_internal.h"
#include "domain/ids.h"

/* The queues in memory: few, added now and then, never removed while a server runs. */

#define RUNTIME_SPEC_DEFAULT "default"

struct queue_info {
    struct queue_id id;
    struct str pool;
    struct str runtime_spec;
};

/* The queue that new jobs of the pool go to; NULL when there is no such pool. */
const struct queue_info *queues_of_pool(struct app *app, struct str pool);
/* NULL when unknown. */
const struct queue_info *queues_find(struct app *app, struct queue_id id);
/* Pointers to all, by id: room for QUEUES_MAX. */
int queues_all(struct app *app, const struct queue_info **ret_queues);

/* In a write transaction: finds or makes the queue, and its pool. The memory learns of it by
 * queues_reload after the commit. */
checked bool queues_ensure(struct app *app, struct db *db, struct str pool, struct str runtime_spec,
                           struct queue_id *ret_id, struct err *err);
checked bool queues_reload(struct app *app, struct db *db, struct err *err);

/* The queue's virtual time: the highest order key that was claimed. A new user's job begins there,
 * so that it waits for the others' turns but not behind all that one user has handed in. */
int64_t queues_virtual_key(struct app *app, struct queue_id id);
void queues_advance(struct app *app, struct queue_id id, int64_t claimed_key);
/* Writes what has advanced, so that other servers and the next start know. True: there was some. */
bool queues_persist(struct app *app);

#endif
