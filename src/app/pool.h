#ifndef APP_POOL_H
#define APP_POOL_H

#include "app/app.h"
#include "domain/actor.h"
#include "domain/ids.h"

/* Pools and their queues (pool x runtime spec) as administrators see and change them, and what does
 * not fit together: the languages that students are offered, and what enabled nodes can run. */

struct queue_view {
    struct queue_id id;
    struct str runtime_spec;
    bool current; /* new jobs of the pool go here */
    bool held;
    int64_t revision;
    int64_t waiting;
    int32_t nodes; /* that may claim */
    int32_t slots;
    int32_t busy_slots;
};
struct pool_view {
    struct str name;
    struct str runtime_spec; /* of new jobs */
    bool held;
    int64_t revision;
    struct queue_view *queues;
    int queue_count;
};
checked bool pool_list(struct app *app, const struct actor *actor, struct arena *arena,
                       struct pool_view **ret_pools, int *ret_count, struct err *err);

struct pool_update_request {
    struct str name;
    int64_t revision;
    const bool *held;               /* NULL: as it is. What runs is finished */
    const struct str *runtime_spec; /* NULL: as it is; a new one gets a queue */
};
/* Errors: ERR_STALE "stale_revision"; ERR_MISSING "no_pool"; ERR_INVALID "bad_field". */
checked bool pool_update(struct app *app, const struct actor *actor,
                         const struct pool_update_request *request, struct arena *arena,
                         struct pool_view *ret_pool, struct err *err);
struct queue_update_request {
    struct queue_id id;
    int64_t revision;
    bool held;
};
/* Errors: ERR_STALE "stale_revision"; ERR_MISSING "no_queue". */
checked bool queue_update(struct app *app, const struct actor *actor,
                          const struct queue_update_request *request, struct arena *arena,
                          struct pool_view *ret_pool, struct err *err);

/* ---- what does not fit ---- */

enum pool_warning_kind {
    WARN_NO_NODE = 1, /* a language is offered, and no enabled node can run it */
    WARN_OTHER_SPEC,  /* only nodes of another runtime spec than that of new jobs can */
    WARN_VERSIONS,    /* nodes of one queue have different versions of it */
    WARN_OUT,         /* a node has taken itself out of service */
};
struct pool_warning {
    enum pool_warning_kind kind;
    struct str pool;
    struct str subject; /* the language's id, or the node's name */
    struct str detail;  /* plain words */
    struct str install; /* how to install the language: "apt-get install g++"; may be empty */
    struct pool_warning_node {
        struct str name;
        struct str value; /* the language's version; WARN_OTHER_SPEC: the node's runtime spec */
    } nodes[2];           /* whom it is about, as far as there are any */
    int node_count;
};
#define POOL_WARNINGS_MAX 200
checked bool pool_warnings(struct app *app, const struct actor *actor, struct arena *arena,
                           struct pool_warning **ret_warnings, int *ret_count, struct err *err);
const char *pool_warning_code(enum pool_warning_kind kind); /* "no_node" */

#endif
