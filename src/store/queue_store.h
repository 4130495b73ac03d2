#ifndef STORE_QUEUE_STORE_H
#define STORE_QUEUE_STORE_H

#include "domain/ids.h"
#include "domain/job.h"
#include "store/db.h"

/* Pools (a class of nodes for one family of runtimes) and queues (pool x runtime spec). */

#define QUEUES_MAX 256
#define POOL_BYTES_MAX 32
#define RUNTIME_SPEC_BYTES_MAX 64

struct queue_row {
    struct queue_id id;
    char pool[POOL_BYTES_MAX + 1];
    char runtime_spec[RUNTIME_SPEC_BYTES_MAX + 1];
    int64_t virtual_keys[PRIORITY_COUNT]; /* highest order key claimed, a little behind */
    bool current;                         /* the queue that new jobs of its pool go to */
    bool held;                            /* out of service: it hands out nothing */
    bool pool_held;                       /* as all queues of its pool */
    int64_t revision;
    int64_t pool_revision;
};

/* All queues, at most QUEUES_MAX, by id. */
checked bool queue_store_list(struct db *db, struct queue_row rows[QUEUES_MAX], int *ret_count,
                              struct err *err);
checked bool queue_store_find(struct db *db, struct str pool, struct str runtime_spec,
                              struct queue_id *ret_id, bool *ret_found, struct err *err);
/* ERR_CONFLICT "duplicate" when pool and spec have one. */
checked bool queue_store_insert(struct db *db, const struct queue_row *row, struct err *err);
/* Raises the key of one priority, never lowers it. */
checked bool queue_store_advance(struct db *db, struct queue_id id, enum job_priority priority,
                                 int64_t virtual_key, struct err *err);

/* Compare and set: *ret_changed false when the revision is another, or there is none of that id. */
checked bool queue_store_hold(struct db *db, struct queue_id id, int64_t revision, bool held,
                              bool *ret_changed, struct err *err);
struct pool_change {
    struct str name;
    int64_t revision;
    bool held;
    struct str runtime_spec; /* new jobs get it; it must have a queue */
};
checked bool pool_store_update(struct db *db, const struct pool_change *change, bool *ret_changed,
                               struct err *err);

checked bool pool_store_find(struct db *db, struct str name, bool *ret_found, struct err *err);
checked bool pool_store_insert(struct db *db, struct str name, struct str runtime_spec,
                               struct err *err);

#endif
