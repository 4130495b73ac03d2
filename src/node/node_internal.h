#ifndef NODE_NODE_INTERNAL_H
#define NODE_NODE_INTERNAL_H

#include "base/thread.h"
#include "node/board.h"
#include "node/cache.h"
#include "node/node.h"

#include <stdatomic.h>

#define JOB_ARENA_BYTES_MAX (256 * MIB)

struct node {
    const struct node_options *options;
    struct board *board;
    struct cache *cache;
    struct machine_session_answer session;
    atomic_bool leaving;     /* no more claims */
    atomic_bool keeper_ends; /* after the last slot */
    atomic_int server_slots; /* what the server allows */
    struct mutex lock;       /* fatal */
    struct err fatal;        /* why the node must stop; kind ERR_NONE: nothing */
};

/* Remembers why the node cannot go on, and makes everybody stop. The first reason stands. */
void node_fail(struct node *node, const struct err *why);
/* Remembers why the node cannot go on and takes no more jobs; running ones end by themselves. */
void node_leave(struct node *node, const struct err *why);
/* True for answers after which no further call makes sense. */
bool node_error_is_fatal(const struct err *err);

struct slot_thread {
    struct node *node;
    int slot;
};
void *slot_main(void *slot_thread);

void *keeper_main(void *node);

void *warm_main(void *node);

/* self_test.c: proves the pool's languages on slot 0. Texts in `arena`. */
struct self_test {
    struct machine_language *languages;
    int32_t language_count;
    bool passed;
    struct str detail;
    struct digest config;
};
checked bool self_test_run(const struct node_options *options, struct arena *arena,
                           struct self_test *ret_test, struct err *err);

#endif
