#include "domain/lease.h"
#include "base/check.h"

#include <string.h>

struct lease lease_grant(const struct job *job, const struct node *node, uint64_t token,
                         const struct lease_terms *terms, int64_t now_ms) {
    int64_t stop_at_ms = now_ms + terms->job_total_ms;
    int64_t until_ms = now_ms + terms->lease_ms;
    return (struct lease){
        .job = job->id,
        .node = node->id,
        .host_group = node->host_group,
        .session_epoch = node->session_epoch,
        .epoch = job->lease_epoch + 1,
        .token = token,
        .until_ms = until_ms < stop_at_ms ? until_ms : stop_at_ms, /* (1) */
        .stop_at_ms = stop_at_ms,
        .claimed_ms = now_ms,
    };
}

static bool is_shown(const struct lease *lease, const struct node *node,
                     const struct lease_ref *shown) { /* (2), S2 */
    return lease->job.value == shown->job.value && lease->node.value == node->id.value &&
           lease->session_epoch == node->session_epoch && lease->epoch == shown->epoch &&
           lease->token == shown->token;
}

bool lease_check(const struct lease *lease, const struct node *node, const struct lease_ref *shown,
                 int64_t now_ms, struct err *err) {
    if (lease == NULL) {
        return err_set(err, ERR_CONFLICT, "lease_superseded", "job %lld has no lease",
                       (long long)shown->job.value);
    }
    if (!is_shown(lease, node, shown)) {
        return err_set(err, ERR_CONFLICT, "lease_superseded", "job %lld belongs to another lease",
                       (long long)shown->job.value);
    }
    if (lease->revoked) {
        return err_set(err, ERR_CONFLICT, "lease_superseded", "the lease of job %lld was revoked",
                       (long long)shown->job.value);
    }
    if (now_ms >= lease->until_ms) { /* (3), S3 */
        return err_set(err, ERR_CONFLICT, "lease_expired",
                       "the lease of job %lld ended %lld ms ago", (long long)shown->job.value,
                       (long long)(now_ms - lease->until_ms));
    }
    return true;
}

bool lease_is_given_up(const struct lease *lease, const struct node *node,
                       const struct lease_ref *shown) {
    return lease != NULL && lease->revoked && is_shown(lease, node, shown);
}

enum renew_answer renew_check(const struct lease *lease, const struct node *node,
                              const struct lease_ref *shown, int64_t now_ms) {
    if (lease == NULL || !is_shown(lease, node, shown)) {
        return RENEW_CONFLICT;
    }
    if (lease->revoked || now_ms >= lease->stop_at_ms) {
        return RENEW_STOP;
    }
    return now_ms >= lease->until_ms ? RENEW_CONFLICT : RENEW_GO;
}

int64_t lease_renewed_until(const struct lease *lease, int64_t lease_ms, int64_t now_ms) {
    CHECK(now_ms < lease->until_ms);
    int64_t until_ms = now_ms + lease_ms;
    return until_ms < lease->stop_at_ms ? until_ms : lease->stop_at_ms;
}

static enum settle_answer refuse(struct err *err, const char *code, const char *text,
                                 struct job_id job) {
    (void)err_set(err, ERR_CONFLICT, code, "job %lld: %s", (long long)job.value, text);
    return SETTLE_REFUSE;
}

static enum settle_answer check_closed(const struct settle_facts *facts, struct err *err) {
    const struct job *job = facts->job;
    bool same_lease = job->lease_epoch == facts->shown->epoch &&
                      job->lease_token == facts->shown->token &&
                      job->node.value == facts->node->id.value;
    if (job->state != JOB_COMPLETED) {
        return refuse(err, "job_superseded", "it was closed without a result", job->id);
    }
    if (!same_lease) {
        return refuse(err, "lease_superseded", "another lease has settled it", job->id);
    }
    if (memcmp(job->digest, facts->digest, JOB_DIGEST_BYTES) != 0) {
        return refuse(err, "digest_conflict", "this lease has settled with another result",
                      job->id);
    }
    return SETTLE_ALREADY; /* S9 */
}

enum settle_answer settle_check(const struct settle_facts *facts, int64_t now_ms, struct err *err) {
    const struct job *job = facts->job;
    CHECK(job->id.value == facts->shown->job.value);
    if (!job_is_open(job)) { /* S1: it has its settlement, or never gets one */
        return check_closed(facts, err);
    }
    if (facts->current_job.value != job->id.value) { /* S4 */
        return refuse(err, "job_superseded", "a newer judging took its place", job->id);
    }
    if (facts->lease == NULL && job->lease_epoch == facts->shown->epoch &&
        job->lease_token == facts->shown->token) {
        return refuse(err, "lease_expired", "its lease has ended and it waits again", job->id);
    }
    return lease_check(facts->lease, facts->node, facts->shown, now_ms, err) ? SETTLE_ACCEPT
                                                                             : SETTLE_REFUSE;
}
