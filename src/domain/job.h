#ifndef DOMAIN_JOB_H
#define DOMAIN_JOB_H

#include "base/err.h"
#include "domain/ids.h"

/* One judging of one subject and generation.
 *
 *                      RELEASE, EXPIRE
 *                    +-----------------+
 *                    v                 |
 *     (submit) --> QUEUED --CLAIM--> RUNNING --SETTLE--> COMPLETED
 *                    |                 |------GIVE_UP--> FAILED
 *                    +-----CANCEL------+------CANCEL---> CANCELLED
 *
 * Invariants (job_check holds the first three, store/invariant_store.c all, for the whole
 * database): (1) an open job (QUEUED, RUNNING) is in exactly one place: QUEUED in job_ready or
 * job_delayed, RUNNING in job_lease; a delayed one knows its due time, no other has one; (2) a
 * lease was granted when, and only when, the lease epoch is above zero; attempts never exceed it,
 * and a running job has at least one; (3) a job has a result digest when, and only when, it is
 * COMPLETED; (4) COMPLETED, FAILED and CANCELLED are final: no event leads out of them; (5) at most
 * one settlement counts for each generation: only the submission's current job settles.
 */

enum job_subject {
    SUBJECT_NONE,
    SUBJECT_ALGO,
    SUBJECT_SQL,
    SUBJECT_CHECK,
    SUBJECT_RUN,
    SUBJECT_WARM
};

enum job_state {
    JOB_NONE,
    JOB_QUEUED,
    JOB_RUNNING,
    JOB_COMPLETED,
    JOB_FAILED,
    JOB_CANCELLED,
    JOB_STATE_COUNT,
};

enum job_event {
    JOB_CLAIM = 1,
    JOB_SETTLE,
    JOB_EXPIRE,  /* the lease ended without a result: the attempt counts */
    JOB_RELEASE, /* the node handed the job back: no attempt */
    JOB_GIVE_UP, /* attempts ran out */
    JOB_CANCEL,
    JOB_EVENT_COUNT,
};

/* Lower is served first, with turns for the others (domain/turn.h). */
enum job_priority { PRIORITY_EXAM, PRIORITY_PRACTICE, PRIORITY_REJUDGE, PRIORITY_COUNT };

/* Where a submission came from (DESIGN section 8), and what its first judging is worth. */
enum submission_origin {
    ORIGIN_PRACTICE = 1,
    ORIGIN_LESSON,
    ORIGIN_PROBLEM_SET,
    ORIGIN_EXAM,
    ORIGIN_CONTEST,
    ORIGIN_COUNT,
};
enum job_priority job_priority_of(enum submission_origin origin);

#define JOB_DIGEST_BYTES 32

struct job {
    struct job_id id;
    enum job_subject subject;
    struct submission_id submission; /* the subject of ALGO and SQL */
    int32_t generation;
    struct queue_id queue;
    enum job_priority priority;
    int64_t order_key; /* smaller is earlier: whose turn it is (domain/turn.h) */
    int64_t due_ms;    /* 0 unless delayed */
    enum job_state state;
    int32_t attempts;
    int64_t lease_epoch; /* of the newest lease, as are token and node */
    uint64_t lease_token;
    struct node_id node;
    struct node_id fault_node; /* whose attempt failed last; 0: none */
    bool has_digest;
    uint8_t digest[JOB_DIGEST_BYTES];
};

bool job_is_open(const struct job *job);
/* CHECKs invariants 1 to 3. */
void job_check(const struct job *job);
/* Changes state and attempts. ERR_CONFLICT "job_closed" or "job_not_running" when the state does
 * not allow the event; then nothing changed. */
checked bool job_apply(struct job *job, enum job_event event, struct err *err);

/* How a lease can end without a result. */
enum lease_end {
    END_EXPIRED = 1, /* not renewed in time */
    END_OUTAGE,      /* nobody could renew in time: the database was away */
    END_STOPPED,     /* past its stop_at, though renewed */
    END_SESSION,     /* its node opened a new session */
    END_DISABLED,    /* its node was shut out by an administrator */
    END_RELEASED,    /* handed back in good order */
    END_FAULT_NODE,  /* the three that a node reports (DESIGN section 4) */
    END_FAULT_PROBLEM,
    END_FAULT_JOB,
    END_COUNT,
};

struct retry {
    enum job_event event; /* JOB_EXPIRE, JOB_RELEASE, JOB_GIVE_UP */
    int64_t delay_ms;     /* 0: ready at once */
};

/* What becomes of a running job. A first expiry goes straight back, since its user has waited a
 * whole lease already. What is no fault of the job costs no attempt (S15): an outage, and what a
 * node reports of itself; of the latter so many that a job which breaks every machine ends at
 * last. */
struct retry_facts {
    enum lease_end end;
    int32_t attempts; /* with the one that ends */
    int32_t attempts_max;
    int64_t leases;         /* granted so far */
    bool other_node_failed; /* an attempt before, on another node */
};
struct retry job_retry(const struct retry_facts *facts);
/* The node that held the lease is to be avoided: another one should try (S15). */
bool lease_end_blames_node(enum lease_end end);

/* For how long a job is kept from a node that failed it while another could take it. Not for ever:
 * the other may answer heartbeats and never claim. */
#define JOB_AVOID_MS INT64_C(300000)
/* Leases of a job that cost no attempt, before faults of nodes do cost one. */
#define JOB_FREE_LEASES_MAX 30

const char *lease_end_code(enum lease_end end); /* "lease_expired" */
/* For the user, whose fault it never is. */
const char *lease_end_text(enum lease_end end);

#endif
