#include "bench/queue_idle.h"
#include "base/check.h"
#include "base/limits.h"

#include <semaphore.h>
#include <stdlib.h>

#define SETTLE_MS 1000 /* what the start still does is not counted */

struct idle_node {
    struct claim_request claim;
    struct arena *arena;
    sem_t done;
};

static void post(struct write_item *item) {
    struct idle_node *node = item->context;
    sem_post(&node->done);
}

static void wait_for(struct idle_node *node) {
    while (sem_wait(&node->done) != 0) {
    }
}

static void begin(struct queue_world *world, struct idle_node *node, int64_t index,
                  int64_t wait_ms) {
    CHECK(sem_init(&node->done, 0, 0) == 0);
    node->arena = arena_create(1 * MIB);
    node->claim = (struct claim_request){
        .item = {.done = post, .context = node},
        .actor = world->nodes[index].actor,
        .session_epoch = world->nodes[index].session_epoch,
        .claim_id = (uint64_t)index + 1,
        .free_slots = 1,
        .wait_ms = wait_ms,
        .arena = node->arena,
    };
    dispatch_claim(world->app, &node->claim);
}

static void end(struct queue_world *world, struct idle_node *node) {
    dispatch_claim_cancel(world->app, &node->claim);
    wait_for(node);
    (void)sem_destroy(&node->done);
    arena_free(node->arena);
}

static void ignore(void *context) {
    (void)context;
}

static bool open_watches(struct queue_world *world, struct submission_watch **watches,
                         int64_t count, struct err *err) {
    for (int64_t i = 0; i < count; i++) {
        if (!submission_watch_open(world->app, (struct submission_id){i + 1}, ignore, NULL,
                                   &watches[i], err)) {
            return false;
        }
    }
    return true;
}

bool queue_idle_run(struct queue_world *world, int64_t viewers, int64_t run_ms,
                    int64_t *ret_statements, struct err *err) {
    int64_t nodes = world->plan->nodes;
    struct idle_node *waiting = calloc((size_t)nodes, sizeof waiting[0]);
    struct submission_watch **watches = calloc((size_t)viewers + 1, sizeof watches[0]);
    CHECK(waiting != NULL && watches != NULL);
    for (int64_t i = 0; i < nodes; i++) {
        begin(world, &waiting[i], i, SETTLE_MS + run_ms);
    }
    bool ok = open_watches(world, watches, viewers, err);
    if (ok) {
        clock_sleep_ms(&clock_real, SETTLE_MS);
        long long before = atomic_load(&world->meter.statements);
        clock_sleep_ms(&clock_real, run_ms);
        *ret_statements = atomic_load(&world->meter.statements) - before;
    }
    for (int64_t i = 0; i < nodes; i++) {
        end(world, &waiting[i]);
    }
    for (int64_t i = 0; i < viewers; i++) {
        if (watches[i] != NULL) {
            submission_watch_close(watches[i]);
        }
    }
    free(watches);
    free(waiting);
    return ok;
}
