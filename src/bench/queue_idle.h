#ifndef BENCH_QUEUE_IDLE_H
#define BENCH_QUEUE_IDLE_H

#include "bench/queue_world.h"

/* A server with nothing to do: every node has a claim that waits, viewers watch, and only what the
 * server does by itself reaches the database. Heartbeats are left out: they come from the nodes. */
checked bool queue_idle_run(struct queue_world *world, int64_t viewers, int64_t run_ms,
                            int64_t *ret_statements, struct err *err);

#endif
