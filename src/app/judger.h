#ifndef APP_JUDGER_H
#define APP_JUDGER_H

#include "app/app.h"
#include "app/writer.h"
#include "domain/actor.h"
#include "domain/node.h"
#include "domain/verdict.h"

/* Nodes as administrators see them (API word: judgers), and the start of their life. */

struct node_language {
    struct str id;
    struct str version;
};

struct node_view {
    struct str host_group;  /* empty: none */
    struct str base_url;    /* empty: not probed */
    int64_t speed_permille; /* of the last passed self-test; 0: not measured */
    int64_t check;          /* the self-test it is to run; 0: none */
    bool self_test_passed;
    bool has_credential;
    struct node_id id;
    struct str name;
    struct str pool;
    struct str runtime_spec;
    int32_t slots;
    int32_t busy_slots; /* counted from leases */
    enum node_config config;
    enum node_observed observed;
    int64_t heartbeat_ms; /* 0: never */
    int64_t session_epoch;
    struct node_language *languages;
    int language_count;
    struct str version;
    struct str message; /* why it gets no work, in plain words; empty when it does */
    int64_t revision;
};

struct node_register_request {
    struct str name;
    struct str pool;
    struct str runtime_spec; /* empty: "default" */
    int32_t slots;
    struct str base_url;      /* of its health address; empty: not probed */
    struct str host_group;    /* made by an administrator before; empty: none */
    int32_t host_group_slots; /* the system only: the group is made, or gets this budget; else 0 */
    bool enable; /* the system only: `assize up` enables its own nodes once their self-test has
                    passed */
};
#define JOIN_CODE_BYTES 40
struct node_registered {
    struct node_view node;
    char join_code[JOIN_CODE_BYTES];
    int64_t expires_ms; /* of the code */
};
/* Administrators. The join code is shown once, stored as a digest, used up by one join. A node of
 * that name that exists already and is asked for again by the system gets a fresh code. Errors:
 * ERR_CONFLICT "conflict_judger_name", ERR_INVALID "bad_field". */
checked bool judger_register(struct app *app, const struct actor *actor,
                             const struct node_register_request *request, struct arena *arena,
                             struct node_registered *ret_registered, struct err *err);
checked bool judger_list(struct app *app, const struct actor *actor, struct arena *arena,
                         struct node_view **ret_nodes, int *ret_count, struct err *err);
checked bool judger_get(struct app *app, const struct actor *actor, struct node_id id,
                        struct arena *arena, struct node_view *ret_node, struct err *err);
struct judger_access_request {
    struct node_id id;
    int64_t revision; /* ERR_STALE "stale_revision" when it is another */
};
/* A fresh join code. Used, it replaces the node's credential at once; until then that one is good.
 */
checked bool judger_rotate(struct app *app, const struct actor *actor,
                           const struct judger_access_request *request, struct arena *arena,
                           struct node_registered *ret_registered, struct err *err);
/* Nobody can speak as the node any more, and its jobs go back, at once. judger_rotate lets it come
 * back as a node that is to be proved anew. */
checked bool judger_revoke(struct app *app, const struct actor *actor,
                           const struct judger_access_request *request, struct arena *arena,
                           struct node_view *ret_node, struct err *err);
struct judger_update_request {
    struct node_id id;
    int64_t revision; /* ERR_STALE "stale_revision" when it is another */
    const enum node_config *config;
    const int32_t *slots;
    const struct str *base_url; /* empty: not probed */
};
checked bool judger_update(struct app *app, const struct actor *actor,
                           const struct judger_update_request *request, struct arena *arena,
                           struct node_view *ret_node, struct err *err);

struct pool_summary {
    struct str pool;
    bool ready;
    int32_t nodes;
    int32_t slots;
    int32_t busy_slots;
    int64_t waiting;
    int64_t oldest_wait_ms; /* of those that are next; 0: none waits */
};
/* Shared and cached for a second; needs no session. *ret_as_of_ms tells its age. */
checked bool judger_summary(struct app *app, struct arena *arena, struct pool_summary **ret_pools,
                            int *ret_count, int64_t *ret_as_of_ms, struct err *err);
/* True when an enabled, living node can run the language now. Cached for a second. */
bool judger_language_available(struct app *app, struct str language);

struct system_stats {
    int64_t submissions;
    int64_t active_workers;
    int64_t max_workers;
    int64_t busy_rejects;
    int64_t by_verdict[VERDICT_COUNT];
};
checked bool system_stats_get(struct app *app, struct system_stats *ret_stats, struct err *err);
/* ERR_SYSTEM when the database does not answer. */
checked bool system_ping(struct app *app, struct err *err);

#endif
