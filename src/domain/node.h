#ifndef DOMAIN_NODE_H
#define DOMAIN_NODE_H

#include "base/err.h"
#include "base/str.h"
#include "domain/ids.h"

/* A judge process, registered with one queue. What an administrator wants of it (config) and what
 * is seen of it (observed) are two things. */

enum node_config { NODE_PENDING = 1, NODE_ENABLED, NODE_DRAINING, NODE_DISABLED, NODE_CONFIG_END };
enum node_observed { NODE_NEVER_SEEN = 1, NODE_ONLINE, NODE_BUSY, NODE_OFFLINE };

struct node {
    struct node_id id;
    struct queue_id queue;
    struct host_group_id host_group; /* 0: none */
    int32_t slots;
    enum node_config config;
    int64_t session_epoch; /* 0: no session yet; only the newest may act */
    bool self_test_passed; /* of the newest session */
    int64_t beat_ms;       /* last heartbeat's arrival; 0: never */
    bool queue_held;       /* its queue or its pool is out of service */
    int64_t check;         /* the self-test it is to run; 0: none */
};

/* What people name nodes, host groups and runtime specs: 1 to bytes_max bytes of text without
 * control characters. */
bool node_is_name(struct str text, size_t bytes_max);

/* Every machine call. Errors: ERR_DENIED "not_allowed", ERR_CONFLICT "session_superseded". */
checked bool node_may_act(const struct node *node, int64_t session_epoch, struct err *err);

/* Why a node gets no new job; NULL when it may. `busy` counts leases, also expired ones.
 * Plain words: "it is draining". */
const char *node_no_work_reason(const struct node *node, int64_t now_ms, int64_t offline_ms);
/* The same without a look at its heartbeats. */
bool node_is_in_service(const struct node *node);

/* How many more jobs the node may take: 0 when it may not claim. `group_free` is INT32_MAX without
 * a host group. */
struct slots_facts {
    int32_t wanted; /* by the node's request */
    int32_t busy;   /* leases of the node */
    int32_t group_free;
};
int32_t node_free_slots(const struct node *node, const struct slots_facts *facts, int64_t now_ms,
                        int64_t offline_ms);

enum node_observed node_observe(const struct node *node, int32_t busy, int64_t now_ms,
                                int64_t offline_ms);

/* May an administrator set it? Enabling needs a passed self-test and a fresh heartbeat. Errors:
 * ERR_CONFLICT "judger_not_ready". */
checked bool node_may_configure(const struct node *node, enum node_config config, int64_t now_ms,
                                int64_t offline_ms, struct err *err);

#endif
