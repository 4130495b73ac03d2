#ifndef APP_QUEUES_INTERNAL_H
#define APP_QUEUES_INTERNAL_H

#include "app/app_internal.h"
#include "domain/ids.h"
#include "domain/job.h"

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

/* The virtual time of one priority of a queue (domain/turn.h). */
int64_t queues_virtual_key(struct app *app, struct queue_id id, enum job_priority priority);
void queues_advance(struct app *app, struct queue_id id, enum job_priority priority,
                    int64_t claimed_key);
/* Writes what has advanced and learns what other servers have written: without that, users who
 * reach a server that hands out little would stay in the past, before everybody else. True: there
 * was something to write. */
bool queues_persist(struct app *app);

/* In which order the queue's priorities are asked now; queues_offered moves on to the next order,
 * when the queue did hand out something. */
void queues_order(struct app *app, struct queue_id id, enum job_priority ret_order[PRIORITY_COUNT]);
void queues_offered(struct app *app, struct queue_id id);

#endif
