#ifndef APP_NODE_CHECK_INTERNAL_H
#define APP_NODE_CHECK_INTERNAL_H

#include "app/app_internal.h"
#include "store/node_store.h"

/* Beginning and ending a node's self-test, under the node's exclusive lock. */

#define PASSED_DIGEST_BYTES 65

/* What a self-test proves: the session's languages with their versions, and its settings. */
void node_proof_digest(struct str config_digest, struct str languages,
                       char out[PASSED_DIGEST_BYTES]);

/* The check that waits for the node, if there is one, is over. */
checked bool node_check_end(struct db *db, struct node_id node, int64_t check, const char *why,
                            int64_t now_ms, struct err *err);
struct check_begin {
    struct node_id node;
    int64_t session_epoch;
    struct str config_digest;
    struct user_id actor; /* 0: the system */
    int64_t now_ms;
};
/* A row alone; the caller writes its id into the node's row. */
checked bool node_check_begin(struct app *app, struct db *db, const struct check_begin *begin,
                              int64_t *ret_check, struct err *err);

#endif
