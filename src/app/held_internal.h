#ifndef APP_HELD_INTERNAL_H
#define APP_HELD_INTERNAL_H

#include "base/arena.h"
#include "domain/lease.h"
#include "store/submission_store.h"

/* Jobs of one batch, locked in the one order and read under their locks. What the batch changes is
 * kept up to date here, so that a second item about the same job sees what the first one did. */

struct held_job {
    struct job_id id;
    bool found;
    struct job job;
    bool has_lease; /* not with HOLD_JOBS */
    struct lease lease;
    struct submission_facts submission; /* only with HOLD_SUBMISSIONS */
};

struct held_jobs {
    struct held_job *rows; /* by id */
    int count;
};

enum hold {
    HOLD_JOBS,        /* the jobs alone */
    HOLD_LEASES,      /* and their leases */
    HOLD_SUBMISSIONS, /* and their submissions, locked before them */
};

/* Ids in any order, doubles welcome; nodes and host groups are locked before. Everything lives in
 * `arena`. */
struct job_list {
    const struct job_id *ids;
    int count;
};
checked bool hold_jobs(struct db *db, struct job_list list, enum hold hold, struct arena *arena,
                       struct held_jobs *ret_held, struct err *err);
/* CHECKs that the id was among them. */
struct held_job *held_find(struct held_jobs *held, struct job_id id);

/* Nodes of one batch, locked and read. */
struct held_nodes {
    struct node *rows; /* by id */
    int count;
};
struct node_list {
    const struct node_id *ids;
    int count;
};
checked bool hold_nodes(struct db *db, struct node_list list, enum lock_mode mode,
                        struct arena *arena, struct held_nodes *ret_held, struct err *err);
/* Both, in one packet, with the clock read after the locks when it is asked for. */
struct hold_plan {
    struct node_list nodes;
    enum lock_mode mode; /* of the nodes */
    struct job_list jobs;
    enum hold hold;
    /* HOLD_SUBMISSIONS: those of `jobs`, in their order, when the caller knows them; NULL: they are
     * read first. */
    const struct submission_id *submissions;
    bool with_clock;
};
struct held {
    struct held_nodes nodes;
    struct held_jobs jobs;
    int64_t now_ms; /* with_clock */
};
checked bool hold_batch(struct db *db, const struct hold_plan *plan, struct arena *arena,
                        struct held *ret_held, struct err *err);
/* NULL when there is no such node. */
struct node *held_node(struct held_nodes *held, struct node_id id);

/* The ids in `ids`, ascending, each once; *count becomes smaller. */
void ids_sort(int64_t *ids, int *count);
/* The place of `id` in ascending ids, -1 when it is not among them. */
int ids_find(const int64_t *ids, int count, int64_t id);

#endif
