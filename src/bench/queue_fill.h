#ifndef BENCH_QUEUE_FILL_H
#define BENCH_QUEUE_FILL_H

#include "bench/queue_world.h"

/* Puts the plan's waiting and finished jobs into the database: two submissions go the whole way
 * through the app, then the rows that they left are multiplied by SQL under new ids. Ends by
 * checking the invariants of the whole database. No other request may be under way. */
checked bool queue_fill(struct queue_world *world, struct err *err);

#endif
