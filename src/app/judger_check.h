#ifndef APP_JUDGER_CHECK_H
#define APP_JUDGER_CHECK_H

#include "app/app.h"
#include "app/writer.h"
#include "data/digest.h"
#include "domain/actor.h"
#include "domain/node_check.h"

/* Checks of nodes (domain/node_check.h): asked for by administrators, self-tests answered by
 * nodes. */

/* ---- administrators ---- */

/* The node runs it at its next heartbeat; one that waited is over. Errors: ERR_MISSING "no_judger";
 * ERR_CONFLICT "judger_not_ready": it has no session. */
checked bool judger_self_test(struct app *app, const struct actor *actor, struct node_id node,
                              struct arena *arena, struct node_check *ret_check, struct err *err);
/* The newest first. */
struct node_check_list {
    struct node_check *items;
    int count;
};
checked bool judger_checks(struct app *app, const struct actor *actor, struct node_id node,
                           struct arena *arena, struct node_check_list *ret_checks,
                           struct err *err);

/* What the look at a node's health address compares. */
struct probe_target {
    struct node_id node;
    struct str name;
    struct str base_url;      /* empty: not probed */
    struct digest key;        /* SHA-256 of the node's credential: proves who answers */
    bool has_key;             /* false: it has not joined */
    struct str config_digest; /* of its session; empty: none */
    int64_t session_epoch;
};
checked bool judger_probe_target(struct app *app, const struct actor *actor, struct node_id node,
                                 struct arena *arena, struct probe_target *ret_target,
                                 struct err *err);
/* Keeps the outcome of a connection check: passed, message and detail are the caller's. */
struct connection_outcome {
    struct node_id node;
    bool passed;
    struct str message;
    struct str detail;
};
checked bool judger_connection_checked(struct app *app, const struct actor *actor,
                                       const struct connection_outcome *outcome,
                                       struct arena *arena, struct node_check *ret_check,
                                       struct err *err);

/* ---- nodes ---- */

struct check_result_request {
    struct write_item item;
    struct actor actor;
    int64_t session_epoch;
    int64_t check;
    bool passed;
    int64_t speed_permille;
    struct str message; /* the first thing that is wrong */
    struct str detail;  /* JSON, at most CHECK_DETAIL_BYTES_MAX */
};
/* A passed one lets the node get work, and enables a node that waits for that. Errors: as
 * dispatch.h says; ERR_CONFLICT "check_over". The same answer again changes nothing. */
void dispatch_check_result(struct app *app, struct check_result_request *request);

struct out_request {
    struct write_item item;
    struct actor actor;
    int64_t session_epoch;
    struct str reason;
};
/* The node takes itself out of service: it gets no work until a self-test has passed. */
void dispatch_out_of_service(struct app *app, struct out_request *request);

#endif
