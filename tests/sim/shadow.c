/* What no single state can show: whether each commit was a step that the rules allow. */
#include "shadow.h"
#include "store/invariant_store.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SLACK_MS 500 /* between a transaction's lock and its look at the clock */

struct look {
    struct shadow *shadow;
    const struct shadow_step *step;
    const struct shadow_state *before;
    struct shadow_state *after;
    char *why;
    size_t why_bytes;
};

static bool wrong(struct look *look, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool wrong(struct look *look, const char *format, ...) {
    va_list args;
    va_start(args, format);
    (void)vsnprintf(look->why, look->why_bytes, format, args);
    va_end(args);
    return false;
}

/* ---- reading ---- */

static bool read_jobs(struct look *look) {
    static const char sql[] =
        "SELECT j.id, j.subject_kind, j.subject_id, j.generation, j.state, j.attempts, "
        "j.lease_epoch, j.lease_token, j.node_id, j.result_digest, j.fault_code, l.job_id, "
        "l.node_id, l.host_group_id, l.session_epoch, l.lease_epoch, l.lease_token, l.claim_key, "
        "l.lease_until_ms, l.stop_at_ms, l.revoked, j.fault FROM job j LEFT JOIN job_lease l ON "
        "l.job_id = "
        "j.id ORDER BY j.id";
    own(db_stmt) stmt = NULL;
    struct err err = {0};
    struct shadow_state *state = look->after;
    enum db_step step = DB_FAILED;
    state->job_count = 0;
    if (!db_prepare(look->step->db, sql, &stmt, &err)) {
        return wrong(look, "%s", err.text);
    }
    while ((step = db_step(stmt, &err)) == DB_ROW && state->job_count < SHADOW_JOBS_MAX) {
        struct shadow_job *row = &state->jobs[state->job_count++];
        *row = (struct shadow_job){.job = {.id = {db_i64(stmt, 0)},
                                           .subject = (enum job_subject)db_i64(stmt, 1),
                                           .submission = {db_i64(stmt, 2)},
                                           .generation = (int32_t)db_i64(stmt, 3),
                                           .state = (enum job_state)db_i64(stmt, 4),
                                           .attempts = (int32_t)db_i64(stmt, 5),
                                           .lease_epoch = db_i64(stmt, 6),
                                           .lease_token = (uint64_t)db_i64(stmt, 7),
                                           .node = {db_i64(stmt, 8)}},
                                   .has_lease = !db_is_null(stmt, 11),
                                   .lease = {.job = {db_i64(stmt, 0)},
                                             .node = {db_i64(stmt, 12)},
                                             .host_group = {db_i64(stmt, 13)},
                                             .session_epoch = db_i64(stmt, 14),
                                             .epoch = db_i64(stmt, 15),
                                             .token = (uint64_t)db_i64(stmt, 16),
                                             .claim_key = (uint64_t)db_i64(stmt, 17),
                                             .until_ms = db_i64(stmt, 18),
                                             .stop_at_ms = db_i64(stmt, 19),
                                             .revoked = db_i64(stmt, 20) != 0}};
        row->fault = (enum fault)db_i64(stmt, 21);
        row->job.has_digest = db_sha256(stmt, 9, row->job.digest);
        (void)snprintf(row->fault_code, sizeof row->fault_code, STR_FMT,
                       STR_ARG(db_text(stmt, 10)));
    }
    return step == DB_DONE || wrong(look, "reading jobs: %s", err.text);
}

static bool read_submissions(struct look *look) {
    own(db_stmt) stmt = NULL;
    struct err err = {0};
    struct shadow_state *state = look->after;
    enum db_step step = DB_FAILED;
    state->submission_count = 0;
    if (!db_prepare(look->step->db,
                    "SELECT id, current_job_id, effective_job_id, effective_rev, generation, "
                    "verdict FROM submission ORDER BY id",
                    &stmt, &err)) {
        return wrong(look, "%s", err.text);
    }
    while ((step = db_step(stmt, &err)) == DB_ROW && state->submission_count < SHADOW_JOBS_MAX) {
        state->submissions[state->submission_count++] =
            (struct shadow_submission){.id = db_i64(stmt, 0),
                                       .current_job = db_i64(stmt, 1),
                                       .effective_job = db_i64(stmt, 2),
                                       .effective_rev = db_i64(stmt, 3),
                                       .generation = (int32_t)db_i64(stmt, 4),
                                       .verdict = (int32_t)db_i64(stmt, 5)};
    }
    return step == DB_DONE || wrong(look, "reading submissions: %s", err.text);
}

static bool read_nodes(struct look *look) {
    own(db_stmt) stmt = NULL;
    struct err err = {0};
    struct shadow_state *state = look->after;
    enum db_step step = DB_FAILED;
    state->node_count = 0;
    if (!db_prepare(look->step->db,
                    "SELECT n.id, n.host_group_id, n.slots, n.config, n.session_epoch, "
                    "n.self_test_passed, b.received_ms FROM node n LEFT JOIN node_beat b ON "
                    "b.node_id = n.id ORDER BY n.id",
                    &stmt, &err)) {
        return wrong(look, "%s", err.text);
    }
    while ((step = db_step(stmt, &err)) == DB_ROW && state->node_count < SHADOW_NODES_MAX) {
        state->nodes[state->node_count++] =
            (struct node){.id = {db_i64(stmt, 0)},
                          .host_group = {db_i64(stmt, 1)},
                          .slots = (int32_t)db_i64(stmt, 2),
                          .config = (enum node_config)db_i64(stmt, 3),
                          .session_epoch = db_i64(stmt, 4),
                          .self_test_passed = db_i64(stmt, 5) != 0,
                          .beat_ms = db_i64(stmt, 6)};
    }
    return step == DB_DONE || wrong(look, "reading nodes: %s", err.text);
}

/* ---- finding ---- */

static const struct shadow_job *find_job(const struct shadow_state *state, int64_t id) {
    int low = 0;
    int high = state->job_count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (state->jobs[middle].job.id.value < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < state->job_count && state->jobs[low].job.id.value == id ? &state->jobs[low] : NULL;
}

static const struct shadow_submission *find_submission(const struct shadow_state *state,
                                                       int64_t id) {
    for (int i = 0; i < state->submission_count; i++) {
        if (state->submissions[i].id == id) {
            return &state->submissions[i];
        }
    }
    return NULL;
}

static const struct node *find_node(const struct shadow_state *state, struct node_id id) {
    for (int i = 0; i < state->node_count; i++) {
        if (state->nodes[i].id.value == id.value) {
            return &state->nodes[i];
        }
    }
    return NULL;
}

const struct shadow_job *shadow_find(const struct shadow *shadow, struct job_id id) {
    return find_job(&shadow->states[shadow->now], id.value);
}

const struct node *shadow_node(const struct shadow *shadow, struct node_id id) {
    return find_node(&shadow->states[shadow->now], id);
}

static int count_leases(const struct shadow_state *state, struct node_id node,
                        struct host_group_id group) {
    int count = 0;
    for (int i = 0; i < state->job_count; i++) {
        const struct lease *lease = &state->jobs[i].lease;
        count += state->jobs[i].has_lease &&
                 (lease->node.value == node.value ||
                  (node.value == 0 && group.value > 0 && lease->host_group.value == group.value));
    }
    return count;
}

/* ---- who failed a job (S15) ---- */

void shadow_outage(struct shadow *shadow, int64_t from_ms, int64_t until_ms) {
    bool goes_on = until_ms > 0 && shadow->outage_until_ms >= from_ms;
    shadow->outage_from_ms = goes_on ? shadow->outage_from_ms : from_ms;
    shadow->outage_until_ms = until_ms;
}

/* The last time, until it is long enough ago; NULL: never. */
static struct shadow_blame *find_blame(struct look *look, struct job_id job, struct node_id node) {
    for (int i = 0; i < look->shadow->blame_count; i++) {
        struct shadow_blame *blame = &look->shadow->blames[i];
        if (blame->job == job.value && blame->node == node.value) {
            return blame;
        }
    }
    return NULL;
}

static bool is_blamed(struct look *look, struct job_id job, struct node_id node, int64_t slack_ms) {
    const struct shadow_blame *blame = find_blame(look, job, node);
    return blame != NULL && look->step->lock_ms - blame->at_ms < JOB_AVOID_MS + slack_ms;
}

static bool blames_its_node(const struct shadow_job *ended) {
    static const char *const codes[] = {"lease_expired", "job_too_long", "node_restarted"};
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        if (strcmp(ended->fault_code, codes[i]) == 0) {
            return true;
        }
    }
    return ended->fault == FAULT_NODE || ended->fault == FAULT_JOB;
}

static void note_blame(struct look *look, const struct shadow_job *old,
                       const struct shadow_job *new) {
    struct shadow_blame *blame = find_blame(look, old->job.id, old->lease.node);
    if (!blames_its_node(new)) {
        return;
    }
    if (blame == NULL && look->shadow->blame_count < SHADOW_BLAMES_MAX) {
        blame = &look->shadow->blames[look->shadow->blame_count++];
    }
    if (blame != NULL) {
        *blame =
            (struct shadow_blame){old->job.id.value, old->lease.node.value, look->step->lock_ms};
    }
}

/* Another node may claim, and has not failed the job: sure of it, also a little later. */
static bool has_another(struct look *look, struct job_id job, const struct node *node) {
    for (int i = 0; i < look->after->node_count; i++) {
        const struct node *other = &look->after->nodes[i];
        if (other->id.value != node->id.value && !is_blamed(look, job, other->id, SLACK_MS) &&
            node_no_work_reason(other, look->step->lock_ms + SLACK_MS, look->step->offline_ms) ==
                NULL) {
            return true;
        }
    }
    return false;
}

/* ---- a lease is granted ---- */

static bool is_new_token(struct shadow *shadow, uint64_t token) {
    for (int i = 0; i < shadow->token_count; i++) {
        if (shadow->tokens[i] == token) {
            return false;
        }
    }
    if (shadow->token_count < SHADOW_TOKENS_MAX) {
        shadow->tokens[shadow->token_count++] = token;
    }
    return true;
}

/* A claim that is asked again is answered by the leases that it got. */
static bool is_second_answer(const struct shadow_state *before, const struct lease *lease) {
    for (int i = 0; i < before->job_count; i++) {
        const struct lease *other = &before->jobs[i].lease;
        if (before->jobs[i].has_lease && other->node.value == lease->node.value &&
            other->session_epoch == lease->session_epoch && other->claim_key == lease->claim_key) {
            return true;
        }
    }
    return false;
}

static bool check_grant(struct look *look, const struct shadow_job *old,
                        const struct shadow_job *new) {
    const struct lease *lease = &new->lease;
    long long id = (long long)new->job.id.value;
    const struct node *node = find_node(look->after, lease->node); /* a claim changes no node */
    int64_t silent_ms = node != NULL ? look->step->lock_ms - node->beat_ms : 0;
    if (node == NULL || node->config != NODE_ENABLED || !node->self_test_passed ||
        node->session_epoch != lease->session_epoch || silent_ms > look->step->offline_ms) {
        return wrong(look, "(S6) job %lld was given to node %lld, which may not claim", id,
                     (long long)lease->node.value);
    }
    if (count_leases(look->after, lease->node, lease->host_group) > node->slots) {
        return wrong(look, "(S5) job %lld was given to node %lld, which has no free slot", id,
                     (long long)lease->node.value);
    }
    if (lease->host_group.value > 0 && count_leases(look->after, (struct node_id){0},
                                                    lease->host_group) > look->step->group_slots) {
        return wrong(look, "(S5) job %lld was given to a host group without a free slot", id);
    }
    if (old == NULL || old->job.state != JOB_QUEUED || old->has_lease) {
        return wrong(look, "(S7) job %lld was leased, but did not wait", id);
    }
    if (lease->epoch != old->job.lease_epoch + 1 || !is_new_token(look->shadow, lease->token)) {
        return wrong(look, "(S2) the new lease of job %lld has an old epoch or token", id);
    }
    if (is_second_answer(look->before, lease)) {
        return wrong(look, "(S9) job %lld was given to a claim that had been answered", id);
    }
    if (is_blamed(look, new->job.id, node->id, -SLACK_MS) && has_another(look, new->job.id, node)) {
        return wrong(look, "(S15) job %lld was given to node %lld again, which has failed it", id,
                     (long long)node->id.value);
    }
    if (lease->until_ms <= look->step->lock_ms) {
        return wrong(look, "(S3) the new lease of job %lld has ended before it began", id);
    }
    return true;
}

/* ---- a lease ends ---- */

static bool check_settled(struct look *look, const struct shadow_job *old,
                          const struct shadow_job *new) {
    long long id = (long long)new->job.id.value;
    const struct shadow_submission *submission =
        find_submission(look->before, old->job.submission.value);
    const struct node *node = old->has_lease ? find_node(look->before, old->lease.node) : NULL;
    if (old->job.state != JOB_RUNNING || node == NULL || old->lease.revoked) {
        return wrong(look, "(S2) job %lld was settled without a lease", id);
    }
    if (new->job.lease_token != old->lease.token || new->job.lease_epoch != old->lease.epoch ||
        node->session_epoch != old->lease.session_epoch || node->config == NODE_DISABLED) {
        return wrong(look, "(S2) job %lld was settled by another than its lease", id);
    }
    if (look->step->lock_ms >= old->lease.until_ms) {
        return wrong(look, "(S3) job %lld was settled %lld ms after its lease had ended", id,
                     (long long)(look->step->lock_ms - old->lease.until_ms));
    }
    if (submission == NULL || submission->current_job != new->job.id.value) {
        return wrong(look, "(S4) job %lld was settled, but is not its submission's current one",
                     id);
    }
    return true;
}

static bool check_end(struct look *look, const struct shadow_job *old,
                      const struct shadow_job *new) {
    long long id = (long long)new->job.id.value;
    const char *code = new->fault_code;
    const struct node *was = find_node(look->before, old->lease.node);
    const struct node *is = find_node(look->after, old->lease.node);
    int64_t now_ms = look->step->lock_ms;
    if (strcmp(code, "lease_expired") == 0 && now_ms < old->lease.until_ms) {
        return wrong(look, "(S3) the lease of job %lld was taken %lld ms before its end", id,
                     (long long)(old->lease.until_ms - now_ms));
    }
    bool by_time = strcmp(code, "lease_expired") == 0 || strcmp(code, "job_too_long") == 0;
    if (by_time && old->lease.until_ms >= look->shadow->outage_from_ms &&
        old->lease.until_ms <= look->shadow->outage_until_ms) {
        return wrong(look, "(S15) job %lld pays for an outage", id);
    }
    if (new->job.state == JOB_FAILED &&new->fault ==
        FAULT_NODE &&new->job.lease_epoch <= JOB_FREE_LEASES_MAX) {
        return wrong(look, "(S15) job %lld failed for a fault of its nodes", id);
    }
    note_blame(look, old, new);
    if (strcmp(code, "job_too_long") == 0 && now_ms < old->lease.stop_at_ms) {
        return wrong(look, "(S3) job %lld was stopped %lld ms too early", id,
                     (long long)(old->lease.stop_at_ms - now_ms));
    }
    if (strcmp(code, "node_restarted") == 0 &&
        (was == NULL || is == NULL || is->session_epoch == was->session_epoch)) {
        return wrong(look, "(S3) job %lld lost its lease to a session that nobody opened", id);
    }
    return true;
}

/* ---- one job ---- */

static bool same_digest(const struct job *a, const struct job *b) {
    return a->has_digest == b->has_digest && memcmp(a->digest, b->digest, sizeof a->digest) == 0;
}

static bool check_job(struct look *look, const struct shadow_job *old, struct shadow_job *new) {
    long long id = (long long)new->job.id.value;
    bool was_open = old == NULL || job_is_open(&old->job);
    bool granted =
        new->has_lease && (old == NULL || !old->has_lease || old->lease.epoch != new->lease.epoch ||
                           old->lease.token != new->lease.token);
    if (old != NULL && !was_open &&
        (new->job.state != old->job.state || !same_digest(&new->job, &old->job))) {
        return wrong(look, "(S8) job %lld was closed, and changed", id);
    }
    if (new->job.attempts > look->step->attempts_max) {
        return wrong(look, "(S11) job %lld has %d attempts", id, (int)new->job.attempts);
    }
    if (granted && !check_grant(look, old, new)) {
        return false;
    }
    if (was_open && new->job.state == JOB_COMPLETED) {
        return old == NULL ? wrong(look, "(S2) job %lld was born settled", id)
                           : check_settled(look, old, new);
    }
    bool ended = old != NULL && old->has_lease && !old->lease.revoked && was_open &&
                 (!new->has_lease || granted);
    return !ended || check_end(look, old, new);
}

static bool check_jobs(struct look *look) {
    for (int i = 0; i < look->before->job_count; i++) {
        const struct job *old = &look->before->jobs[i].job;
        if (find_job(look->after, old->id.value) == NULL) {
            return wrong(look, "(S7) job %lld is gone", (long long)old->id.value);
        }
    }
    for (int i = 0; i < look->after->job_count; i++) {
        struct shadow_job *new = &look->after->jobs[i];
        if (!check_job(look, find_job(look->before, new->job.id.value), new)) {
            return false;
        }
    }
    return true;
}

/* ---- one submission ---- */

static bool has_event(struct look *look, const struct shadow_submission *submission,
                      bool *ret_found) {
    own(db_stmt) stmt = NULL;
    struct err err = {0};
    if (!db_prepare(look->step->db,
                    "SELECT 1 FROM settlement_event WHERE subject_id = ? AND effective_rev = ?",
                    &stmt, &err)) {
        return wrong(look, "%s", err.text);
    }
    db_bind_i64(stmt, 1, submission->id);
    db_bind_i64(stmt, 2, submission->effective_rev);
    return db_find(stmt, ret_found, &err) || wrong(look, "%s", err.text);
}

static bool check_submission(struct look *look, const struct shadow_submission *old,
                             const struct shadow_submission *new) {
    bool found = true;
    long long id = (long long)new->id;
    if (new->generation < old->generation ||
        (new->current_job != old->current_job &&new->generation <= old->generation)) {
        return wrong(look, "(S4) submission %lld went back to an older generation", id);
    }
    bool changed = new->effective_job != old->effective_job || new->verdict != old->verdict;
    if (changed != (new->effective_rev != old->effective_rev) &&
        new->effective_rev == old->effective_rev) {
        return wrong(look, "(S10) submission %lld has another verdict of the same revision", id);
    }
    if (new->effective_rev != old->effective_rev && !has_event(look, new, &found)) {
        return false;
    }
    return found || wrong(look, "(S10) submission %lld changed without an event", id);
}

static bool check_submissions(struct look *look) {
    for (int i = 0; i < look->before->submission_count; i++) {
        const struct shadow_submission *old = &look->before->submissions[i];
        const struct shadow_submission *new = find_submission(look->after, old->id);
        if (new == NULL) {
            return wrong(look, "(S7) submission %lld is gone", (long long)old->id);
        }
        if (!check_submission(look, old, new)) {
            return false;
        }
    }
    return true;
}

bool shadow_commit(struct shadow *shadow, const struct shadow_step *step, char *why,
                   size_t why_bytes) {
    struct look look = {.shadow = shadow,
                        .step = step,
                        .before = &shadow->states[shadow->now],
                        .after = &shadow->states[1 - shadow->now],
                        .why = why,
                        .why_bytes = why_bytes};
    struct err err = {0};
    shadow->commits++;
    if (!read_jobs(&look) || !read_submissions(&look) || !read_nodes(&look)) {
        return false;
    }
    shadow->now = 1 - shadow->now;
    if (!invariants_check(step->db, &err)) {
        return wrong(&look, "%s", err.text);
    }
    return check_jobs(&look) && check_submissions(&look);
}
