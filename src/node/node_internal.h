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
    atomic_bool leaving;       /* no more claims */
    atomic_bool keeper_ends;   /* after the last slot */
    atomic_int server_slots;   /* what the server allows */
    atomic_llong check_wanted; /* the self-test to run next; 0: none */
    atomic_llong check_seen;   /* the last one that was asked for */
    atomic_int failures;       /* of this node's own, one after the other */
    atomic_bool is_out;        /* it has taken itself out: no claims until a self-test has passed */
    struct mutex lock;         /* fatal */
    struct err fatal;          /* why the node must stop; kind ERR_NONE: nothing */
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

/* The links: claimer, keeper, one a slot, and the spare thread's. */
#define NODE_LINK_SPARE(options) (2 + (options)->slots)
#define NODE_PROTOCOL_OF_CHECKS 2
/* After so many failures of its own, with no result between them, the node takes itself out. */
#define NODE_FAILURES_MAX 5

void *spare_main(void *node);
/* From any thread: the server wants this self-test. */
void node_want_check(struct node *node, int64_t check);
/* A job failed by this node's own fault, or had a result. `link` is the calling thread's. */
void node_note_failure(struct node *node, const struct node_link *link, const struct err *why);
void node_note_result(struct node *node);

/* self_test.c: proves the pool's languages on slot 0. Texts in `arena`. */
struct self_test {
    struct machine_language *languages;
    int32_t language_count;
    bool passed;
    struct str detail;
    struct digest config;
    struct arena *arena; /* of the texts */
};
checked bool self_test_run(const struct node_options *options, struct arena *arena,
                           struct self_test *ret_test, struct err *err);

#endif
