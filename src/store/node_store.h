#ifndef STORE_NODE_STORE_H
#define STORE_NODE_STORE_H

#include "base/arena.h"
#include "domain/node.h"
#include "store/rows.h"

/* Nodes and their heartbeats, which have a table of their own so that they never wait for the locks
 * of a claim. */

#define NODES_MAX 1000

struct node_row {
    struct node node; /* with the heartbeat */
    struct str name;
    struct str pool;
    struct str runtime_spec;
    struct str version;
    struct str languages; /* a line each: id, tab, version */
    struct str self_test_detail;
    int32_t busy;             /* leases */
    struct str host_group;    /* its name; empty: none */
    struct str base_url;      /* empty: not probed */
    struct str passed_digest; /* what the last passed self-test was of; empty: none has passed */
    int64_t speed_permille;   /* measured by it; 0: not */
    struct str out_reason;    /* why it took itself out; empty: it did not */
    struct str config_digest; /* of its session */
    bool has_credential;
    bool enable_when_ready;
    int64_t revision;
};

/* For decisions: under the node's lock. */
extern const struct rows_select node_select;          /* by id */
extern const struct rows_select node_of_queue_select; /* by queue; seldom: it has no index */
struct node node_from_row(struct db_stmt *row);
checked bool node_store_get(struct db *db, struct node_id id, struct node *ret_node,
                            bool *ret_found, struct err *err);
/* For people. Texts live in `arena`. */
checked bool node_store_row(struct db *db, struct node_id id, struct arena *arena,
                            struct node_row *ret_row, bool *ret_found, struct err *err);
/* By name, at most NODES_MAX. */
checked bool node_store_list(struct db *db, struct arena *arena, struct node_row **ret_rows,
                             int *ret_count, struct err *err);
checked bool node_store_find_name(struct db *db, struct str name, struct node_id *ret_id,
                                  bool *ret_found, struct err *err);
checked bool node_store_find_credential(struct db *db, const uint8_t digest[32],
                                        struct node_id *ret_id, bool *ret_found, struct err *err);
checked bool node_store_find_join(struct db *db, const uint8_t digest[32], struct node_id *ret_id,
                                  int64_t *ret_until_ms, bool *ret_found, struct err *err);

/* The digest of its credential, which it must have. */
checked bool node_store_credential(struct db *db, struct node_id id, uint8_t ret_digest[32],
                                   struct err *err);

struct node_insert {
    const struct node *node;
    struct str name;
    bool enable_when_ready;
    int64_t now_ms;
    struct str base_url;
};
checked bool node_store_insert(struct db *db, const struct node_insert *insert, struct err *err);

/* The rest changes a node that this transaction has locked exclusively. */
struct node_join {
    struct node_id node;
    const uint8_t *digest; /* of the code */
    int64_t until_ms;
    int32_t slots;
    bool enable_when_ready;
};
checked bool node_store_set_join(struct db *db, const struct node_join *join, struct err *err);
/* The join code is used up by it. */
checked bool node_store_set_credential(struct db *db, struct node_id id, const uint8_t digest[32],
                                       struct err *err);
struct node_session {
    struct node_id node;
    int64_t session_epoch;
    enum node_config config;
    bool self_test_passed;
    struct str self_test_detail;
    struct str version;
    struct str languages;
    struct str config_digest;
    int64_t check; /* the self-test it is to run; 0: none */
};
checked bool node_store_open_session(struct db *db, const struct node_session *session,
                                     struct err *err);
/* Sets both and raises the revision. */
checked bool node_store_configure(struct db *db, struct node_id id, enum node_config config,
                                  int32_t slots, struct err *err);

checked bool node_store_set_base_url(struct db *db, struct node_id id, struct str base_url,
                                     struct err *err);
/* Nobody has the node's credential or a join code any more. */
checked bool node_store_drop_credential(struct db *db, struct node_id id, struct err *err);
checked bool node_store_set_check(struct db *db, struct node_id id, int64_t check, struct err *err);
/* What a self-test found, or why the node took itself out; no check is open afterwards. */
struct node_proof {
    struct node_id node;
    bool passed;
    struct str detail;
    struct str passed_digest;
    int64_t speed_permille;
    struct str out_reason;
    enum node_config config;
};
checked bool node_store_proved(struct db *db, const struct node_proof *proof, struct err *err);

struct node_beat {
    struct node_id node;
    int64_t received_ms;
    int64_t session_epoch;
    int32_t busy_slots;
    int64_t load_permille;
};
checked bool node_store_beat(struct db *db, const struct node_beat *beat, struct err *err);
/* As that, for a node that has had a session; sent with the others of the batch. */
checked bool node_store_put_beat(struct db *db, const struct node_beat *beat, struct err *err);

#endif
