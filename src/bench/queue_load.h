#ifndef BENCH_QUEUE_LOAD_H
#define BENCH_QUEUE_LOAD_H

#include "bench/queue_client.h"
#include "bench/samples.h"

/* Lifecycles for a while, with a fixed number of them outstanding: a few threads carry the clients
 * on, as the server's do; what waits, waits in the app. Closed loop: a client begins its next stage
 * when the last one is answered. */

struct queue_load_result {
    int64_t measured_ns;
    int64_t lifecycles;                    /* settled within it */
    int64_t settled;                       /* all, the warm-up's too */
    int64_t empty_claims;                  /* asked again */
    struct samples stage_ns[QUEUE_STAGES]; /* from the call to the answer */
};

struct queue_load_plan {
    struct queue_world *world;
    int64_t clients;
    int64_t threads;
    int64_t warm_up_ms; /* not counted */
    int64_t run_ms;
};

/* Ends at the first error that reaches a client: none may. */
checked bool queue_load_run(const struct queue_load_plan *plan,
                            struct queue_load_result *ret_result, struct err *err);
void queue_load_result_done(struct queue_load_result *result);

#endif
