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

checked bool pool_store_find(struct db *db, struct str name, bool *ret_found, struct err *err);
checked bool pool_store_insert(struct db *db, struct str name, struct str runtime_spec,
                               struct err *err);

#endif
