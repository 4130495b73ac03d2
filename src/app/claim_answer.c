/* What a claim is answered: its jobs with what their snapshots say. */
#include "app/claim_internal.h"
#include "app/held_internal.h"
#include "base/check.h"
#include "base/limits.h"
#include "store/lease_store.h"

struct rows_value *claim_keys(struct claim_batch *batch, const int64_t *ids, int count) {
    struct rows_value *keys = arena_array(batch->arena, (size_t)count + 1, sizeof keys[0]);
    for (int i = 0; i < count; i++) {
        keys[i] = rows_i64(ids[i]);
    }
    return keys;
}

static void describe(const struct claim_batch *batch, const struct claim_granted *granted,
                     struct arena *arena, struct claimed_job *ret_job) {
    const struct job_body *body = &granted->body;
    const struct lease *lease = &granted->lease;
    *ret_job = (struct claimed_job){
        .job = granted->job.id,
        .submission = granted->job.submission,
        .generation = granted->job.generation,
        .pool = arena_str(arena, body->pool),
        .runtime_spec = arena_str(arena, body->runtime_spec),
        .lease = {.job = granted->job.id, .epoch = lease->epoch, .token = lease->token},
        .lease_remaining_ms = lease->until_ms - batch->now_ms,
        .language = arena_str(arena, body->language),
        .source_bytes = body->source_bytes,
        .time_limit_ms = body->time_limit_ms,
        .memory_limit_kib = body->memory_limit_kib,
        .output_limit_kib = body->output_limit_kib,
        .job_total_ms = body->job_total_ms,
        .trace_id = arena_str(arena, body->trace_id),
    };
    hex_encode(body->manifest_id, 32, ret_job->manifest_id);
    hex_encode(body->source_sha256, 32, ret_job->source_digest);
}

/* Of a claim that is answered again: what its leases do not hold. */
struct again {
    struct claim_batch *batch;
    struct claimant *claimant;
};

static struct claim_granted *find_again(struct again *again, int64_t id) {
    for (int i = 0; i < again->claimant->job_count; i++) {
        struct claim_granted *granted = again->claimant->jobs[i];
        if (granted->lease.job.value == id) {
            return granted;
        }
    }
    CHECK(false);
}

static void take_job_again(void *context, struct db_stmt *row) {
    struct claim_granted *granted = find_again(context, db_i64(row, 0));
    granted->job = job_from_row(row, 1);
    granted->has_job = true;
}

static void take_body_again(void *context, struct db_stmt *row) {
    struct again *again = context;
    struct claim_granted *granted = find_again(again, db_i64(row, 0));
    granted->body = job_body_from_row(row, 1, again->batch->arena);
    granted->has_body = true;
}

static bool read_again(struct claim_batch *batch, struct claimant *claimant, struct err *err) {
    struct again again = {batch, claimant};
    int64_t ids[2 * NODE_SLOTS_MAX];
    int count = claimant->job_count;
    for (int i = 0; i < count; i++) {
        ids[i] = claimant->jobs[i]->lease.job.value;
    }
    ids_sort(ids, &count);
    const struct rows_value *keys = claim_keys(batch, ids, count);
    const struct rows_read reads[] = {
        {&job_select, keys, count, LOCK_NONE, LOCK_SHARED, take_job_again, &again},
        {&job_body_select, keys, count, LOCK_NONE, LOCK_SHARED, take_body_again, &again},
    };
    return db_read(batch->db, reads, 2, NULL, err);
}

bool claim_answer(struct claim_batch *batch, struct claimant *claimant, struct err *err) {
    struct claim_request *request = claimant->request;
    request->job_count = 0;
    if (claimant->node == NULL || claimant->job_count == 0) {
        return true;
    }
    if (claimant->replay && !read_again(batch, claimant, err)) {
        return false;
    }
    request->jobs =
        arena_array(request->arena, (size_t)claimant->job_count, sizeof request->jobs[0]);
    for (int i = 0; i < claimant->job_count; i++) {
        const struct claim_granted *granted = claimant->jobs[i];
        const struct lease *lease = &granted->lease;
        if (!granted->has_job || !granted->has_body || lease->until_ms <= batch->now_ms ||
            lease->revoked) {
            continue; /* of a claim that is answered again, too late for this job */
        }
        describe(batch, granted, request->arena, &request->jobs[request->job_count++]);
    }
    return true;
}
