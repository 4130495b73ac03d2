#ifndef DOMAIN_NODE_CHECK_H
#define DOMAIN_NODE_CHECK_H

#include "base/err.h"
#include "base/str.h"
#include "domain/ids.h"

/* What proves a node before a student's program reaches it (docs/decisions/0017-node-checks.md).
 *
 * A connection check is the server's look at the node's health address, done at once. A self-test
 * is run by the node, in its box; it is bound to one session: a new session ends it and, when its
 * languages or settings are not those of the last passed one, begins another. */

enum check_kind { CHECK_CONNECTION = 1, CHECK_SELF_TEST, CHECK_KIND_END };
enum check_state {
    CHECK_WAITING = 1, /* the node has not answered yet */
    CHECK_PASSED,
    CHECK_FAILED,
    CHECK_ENDED, /* a later one or a new session took its place */
    CHECK_STATE_END,
};

#define CHECK_MESSAGE_BYTES_MAX 512
#define CHECK_DETAIL_BYTES_MAX 65536

struct node_check {
    int64_t id;
    struct node_id node;
    enum check_kind kind;
    enum check_state state;
    int64_t session_epoch;    /* of a self-test */
    struct str config_digest; /* of that session */
    struct user_id actor;     /* who asked for it; 0: the system */
    int64_t speed_permille;   /* measured; 0: not */
    struct str message;       /* the first thing that is wrong */
    int64_t created_ms;
    int64_t done_ms;   /* 0: not yet */
    struct str detail; /* JSON: what was tried, in order */
};

const char *check_kind_name(enum check_kind kind);    /* "SELF_TEST" */
const char *check_state_name(enum check_state state); /* "PASSED" */

/* May the node's answer of this session settle the check? Errors: ERR_CONFLICT "check_over". */
checked bool check_may_settle(const struct node_check *check, struct node_id node,
                              int64_t session_epoch, struct err *err);

#endif
