#ifndef TESTS_SIM_SHADOW_H
#define TESTS_SIM_SHADOW_H

#include "domain/job.h"
#include "domain/lease.h"
#include "domain/node.h"
#include "store/db.h"

/* What the database said after the last commit, so that each commit can be judged as a step from
 * one state to the next: what is wrong with a single state, invariants_check finds. Numbers are
 * those of docs/invariants.md. */

#define SHADOW_JOBS_MAX 1024
#define SHADOW_NODES_MAX 16
#define SHADOW_TOKENS_MAX 8192
#define SHADOW_BLAMES_MAX 4096

struct shadow_job {
    struct job job;
    char fault_code[32];
    bool has_lease;
    struct lease lease;
    enum fault fault; /* of the end before */
};

struct shadow_submission {
    int64_t id;
    int64_t current_job;
    int64_t effective_job;
    int64_t effective_rev;
    int32_t generation;
    int32_t verdict;
};

struct shadow_state {
    struct shadow_job jobs[SHADOW_JOBS_MAX];
    int job_count;
    struct shadow_submission submissions[SHADOW_JOBS_MAX];
    int submission_count;
    struct node nodes[SHADOW_NODES_MAX];
    int node_count;
};

/* A node that failed a job. */
struct shadow_blame {
    int64_t job;
    int64_t node;
    int64_t at_ms;
};

struct shadow {
    struct shadow_state states[2];      /* before and after, by turns */
    int now;                            /* the newest */
    uint64_t tokens[SHADOW_TOKENS_MAX]; /* every one that was ever issued: the ghost's memory */
    int token_count;
    int64_t commits;
    struct shadow_blame blames[SHADOW_BLAMES_MAX];
    int blame_count;
    int64_t outage_from_ms; /* of the database's clock: nobody could write */
    int64_t outage_until_ms;
};

struct shadow_step {
    struct db *db;
    int64_t lock_ms; /* the database's time when the transaction had its lock */
    int64_t offline_ms;
    int32_t attempts_max;
    int32_t group_slots;
};

/* Reads the database and compares. False with what is wrong in `why`. */
bool shadow_commit(struct shadow *shadow, const struct shadow_step *step, char *why,
                   size_t why_bytes);
/* Nobody can write from then to then; 0: what was said before is no longer sure. */
void shadow_outage(struct shadow *shadow, int64_t from_ms, int64_t until_ms);
const struct shadow_job *shadow_find(const struct shadow *shadow, struct job_id id);
const struct node *shadow_node(const struct shadow *shadow, struct node_id id);

#endif
