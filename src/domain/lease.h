#ifndef DOMAIN_LEASE_H
#define DOMAIN_LEASE_H

#include "base/err.h"
#include "domain/ids.h"
#include "domain/job.h"
#include "domain/node.h"

/* The right to judge one job until a time of the database's clock.
 *
 * Invariants:
 * (1) a lease ends at until_ms, which is never after stop_at_ms; only a renewal moves it;
 * (2) who shows another epoch, token, session or node has not this lease: an epoch alone would not
 *     do, since a database that lost its last commits can issue one twice;
 * (3) an expired or revoked lease never settles, also before anybody has reaped it;
 * (4) a lease that has not been removed counts as a used slot, expired or not;
 * (5) each decision takes the time that was read after the lease was locked. */

struct lease {
    struct job_id job;
    struct node_id node;
    struct host_group_id host_group;
    int64_t session_epoch;
    int64_t epoch;
    uint64_t token;
    uint64_t claim_key; /* the claim that got it */
    int64_t until_ms;
    int64_t stop_at_ms; /* the job's end, renewed or not */
    int64_t claimed_ms;
    bool revoked;
};

/* What a node shows to act on a job. */
struct lease_ref {
    struct job_id job;
    int64_t epoch;
    uint64_t token;
};

/* A new lease of a job that a node has claimed. */
struct lease_terms {
    int64_t lease_ms;
    int64_t job_total_ms;
};
struct lease lease_grant(const struct job *job, const struct node *node, uint64_t token,
                         const struct lease_terms *terms, int64_t now_ms);

/* The lease is this node's session's, and the one it shows, and runs. `lease` is NULL when the job
 * has none. Errors: ERR_CONFLICT "lease_superseded", "lease_expired". */
checked bool lease_check(const struct lease *lease, const struct node *node,
                         const struct lease_ref *shown, int64_t now_ms, struct err *err);

/* The node shows a lease that was revoked: it tries to act no more, so its slot is free. */
bool lease_is_given_up(const struct lease *lease, const struct node *node,
                       const struct lease_ref *shown);

enum renew_answer { RENEW_GO = 1, RENEW_STOP, RENEW_CONFLICT };
/* GO: may be extended; STOP: revoked, cancelled or at its end; CONFLICT: not the node's. */
enum renew_answer renew_check(const struct lease *lease, const struct node *node,
                              const struct lease_ref *shown, int64_t now_ms);
/* Until when a renewed lease runs. */
int64_t lease_renewed_until(const struct lease *lease, int64_t lease_ms, int64_t now_ms);

enum settle_answer { SETTLE_REFUSE = 1, SETTLE_ACCEPT, SETTLE_ALREADY };

struct settle_facts {
    const struct node *node;
    const struct job *job;
    const struct lease *lease; /* NULL: the job has none */
    struct job_id current_job; /* of the submission */
    const struct lease_ref *shown;
    const uint8_t *digest; /* of the result, JOB_DIGEST_BYTES */
};
/* Whether a result counts. ALREADY: the same lease has settled with the same bytes before.
 * Errors:  ERR_CONFLICT "digest_conflict", "lease_superseded", "lease_expired", "job_superseded".
 * Source:  DESIGN section 5, "Settle". */
enum settle_answer settle_check(const struct settle_facts *facts, int64_t now_ms, struct err *err);

#endif
