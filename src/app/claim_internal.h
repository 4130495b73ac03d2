#ifndef APP_CLAIM_INTERNAL_H
#define APP_CLAIM_INTERNAL_H

#include "app/app_internal.h"
#include "app/dispatch.h"
#include "app/held_internal.h"
#include "store/job_store.h"
#include "store/rows.h"

/* What the files of a claim share: one batch of claims, from its locks to its answers. */

struct claim_group {
    struct host_group_id id;
    int32_t free;
};

/* A job that is or becomes a claimant's. */
struct claim_granted {
    struct job job;
    struct job_body body;
    struct lease lease;
    bool has_job;
    bool has_body;
};

struct claimant {
    struct claim_request *request;
    struct node *node;           /* NULL: refused */
    int32_t *node_busy;          /* shared by requests of one node */
    struct claim_group *group;   /* NULL: none */
    bool replay;                 /* this claim id has leases already */
    struct claim_granted **jobs; /* to answer with */
    int job_count;
};

struct claim_avoidance; /* claim_avoid.c */
struct claim_owned;     /* claim_owned.c */

struct claim_batch {
    struct app *app;
    struct db *db;
    struct arena *arena;
    struct claimant *claimants;
    int count;
    int64_t *node_ids; /* ascending, as the next three are by place */
    int node_count;
    struct node *nodes; /* at first unlocked, for what never changes: queue and host group */
    bool *node_found;
    int32_t *busy;
    struct claim_group *groups; /* by id */
    int group_count;
    struct lease *leases; /* of all nodes */
    int lease_count;
    int lease_room;
    struct claim_granted *found; /* ready jobs in claim order */
    int found_count;
    int found_room;
    struct claim_avoidance *avoidance;
    struct claim_owned *owned; /* NULL: rows are skipped */
    int64_t now_ms;
};

/* One value an id, in the batch's arena. */
struct rows_value *claim_keys(struct claim_batch *batch, const int64_t *ids, int count);

/* What owning the queues (ascending) adds to the packet of locks, before their ready jobs; 0: rows
 * are skipped here. Room for 2. */
int claim_owned_reads(struct claim_batch *batch, const int64_t *queues, int count,
                      struct rows_read *reads);
/* After that packet: owns the queues, locks the jobs that were found and reads the clock. */
checked bool claim_owned_hold(struct claim_batch *batch, struct err *err);

/* After the ready jobs were found: which nodes failed them. */
checked bool claim_avoid_read(struct claim_batch *batch, struct err *err);
/* The node failed the job lately, and another one of the queue could take it (S15). */
bool claim_avoids(const struct claim_batch *batch, const struct job *job, struct node_id node);

/* Fills the request's jobs. A claim that is asked again gets what it got: the leases as they are
 * now. (claim_answer.c) */
checked bool claim_answer(struct claim_batch *batch, struct claimant *claimant, struct err *err);

#endif
