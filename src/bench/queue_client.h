#ifndef BENCH_QUEUE_CLIENT_H
#define BENCH_QUEUE_CLIENT_H

#include "bench/queue_world.h"

/* One outstanding request: a student who submits, then a node that claims one job and settles it.
 * The stages are set up here; who drives them calls `queue_client_begin` for each, from `done`'s
 * news on, in the order of the enum. */

enum queue_stage { QUEUE_SUBMIT, QUEUE_CLAIM, QUEUE_SETTLE, QUEUE_STAGES };

struct queue_client {
    struct queue_world *world;
    const struct queue_node *node;
    uint64_t turn; /* grows: no two sources, claims or results are the same */
    uint64_t salt;
    enum queue_stage stage;
    struct arena *arena; /* of one lifecycle */
    struct submit_request submit;
    struct claim_request claim;
    struct settle_request settle;
};

void queue_client_init(struct queue_client *client, struct queue_world *world, int64_t index);
void queue_client_done(struct queue_client *client);

/* Begins the client's stage; `done` is called with the item when it is over. */
void queue_client_begin(struct queue_client *client, void (*done)(struct write_item *item),
                        void *context);
/* The item of the stage that is running. */
struct write_item *queue_client_item(struct queue_client *client);
/* Looks at the outcome and goes on to the next stage. A claim that got nothing is asked again.
 * *ret_finished: that was a whole lifecycle. */
checked bool queue_client_next(struct queue_client *client, bool *ret_finished, struct err *err);

#endif
