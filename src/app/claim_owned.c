/* Claims where locked rows cannot be skipped (TiDB, Vitess, a Galera cluster): a queue has one
 * owner at a time, which alone claims of it.
 *
 *   1. lock the queue's row of queue_owner and read its term; read the ready jobs without locks
 *   2. begin the next term: changes no row when somebody else has begun it meanwhile, even where
 *      the lock of step 1 was a word only
 *   3. lock the jobs by id, in their order, and read them anew: one that was cancelled, held or
 *      moved since step 1 is left
 *
 * The ownership ends with the transaction, so each server serves its own nodes. What the row's lock
 * costs is what the host group's costs: claims of one queue are made one after the other, a batch
 * at a time. See docs/decisions/0018-claims-without-skip-locked.md. */
#include "app/claim_internal.h"
#include "app/maintainer_internal.h"
#include "base/check.h"
#include "store/place_store.h"
#include "store/queue_owner_store.h"

struct claim_owned {
    struct queue_ownership *queues; /* by id */
    int64_t *queue_ids;
    int queue_count;
};

static void take_term(void *context, struct db_stmt *row) {
    const struct claim_owned *owned = context;
    int place = ids_find(owned->queue_ids, owned->queue_count, db_i64(row, 0));
    CHECK(place >= 0);
    owned->queues[place].term = db_i64(row, 1);
}

int claim_owned_reads(struct claim_batch *batch, const int64_t *queues, int count,
                      struct rows_read *reads) {
    if (!db_claims_owned(batch->db)) {
        return 0;
    }
    struct claim_owned *owned = arena_new(batch->arena, struct claim_owned);
    owned->queues = arena_array(batch->arena, (size_t)count + 1, sizeof owned->queues[0]);
    owned->queue_ids = arena_array(batch->arena, (size_t)count + 1, sizeof owned->queue_ids[0]);
    owned->queue_count = count;
    for (int i = 0; i < count; i++) {
        owned->queue_ids[i] = queues[i];
        owned->queues[i].queue.value = queues[i];
    }
    batch->owned = owned;
    const struct rows_value *keys = claim_keys(batch, queues, count);
    reads[0] = (struct rows_read){NULL, keys, count, LOCK_QUEUE, LOCK_EXCLUSIVE, NULL, owned};
    reads[1] = (struct rows_read){&queue_owner_select, keys,      count, LOCK_NONE,
                                  LOCK_SHARED,         take_term, owned};
    return 2;
}

/* ---- the jobs, anew under their locks ---- */

struct anew {
    struct job *jobs; /* by the place of their id */
    bool *seen;
    int64_t *ids;
    int count;
};

static void take_anew(void *context, struct db_stmt *row) {
    const struct anew *anew = context;
    struct job job = job_from_row(row, 1);
    int place = ids_find(anew->ids, anew->count, job.id.value);
    CHECK(place >= 0);
    anew->jobs[place] = job;
    anew->seen[place] = true;
}

static struct anew list_jobs(struct claim_batch *batch) {
    size_t room = (size_t)batch->found_count + 1;
    struct anew anew = {
        .jobs = arena_array(batch->arena, room, sizeof anew.jobs[0]),
        .seen = arena_array(batch->arena, room, sizeof anew.seen[0]),
        .ids = arena_array(batch->arena, room, sizeof anew.ids[0]),
    };
    for (int i = 0; i < batch->found_count; i++) {
        if (batch->found[i].has_job) {
            anew.ids[anew.count++] = batch->found[i].job.id.value;
        }
    }
    ids_sort(anew.ids, &anew.count);
    return anew;
}

static bool read_anew(struct claim_batch *batch, struct err *err) {
    struct anew anew = list_jobs(batch);
    const struct rows_read read = {&job_select,    claim_keys(batch, anew.ids, anew.count),
                                   anew.count,     LOCK_JOB,
                                   LOCK_EXCLUSIVE, take_anew,
                                   &anew};
    if (!db_read(batch->db, &read, 1, &batch->now_ms, err)) {
        return false;
    }
    for (int i = 0; i < batch->found_count; i++) {
        struct claim_granted *found = &batch->found[i];
        int place = ids_find(anew.ids, anew.count, found->job.id.value);
        found->has_job = found->has_job && place >= 0 && anew.seen[place];
        if (found->has_job) {
            found->job = anew.jobs[place];
        }
    }
    return true;
}

bool claim_owned_hold(struct claim_batch *batch, struct err *err) {
    const struct claim_owned *owned = batch->owned;
    CHECK(owned != NULL);
    for (int i = 0; batch->found_count > 0 && i < owned->queue_count; i++) {
        if (!queue_owner_take(batch->db, &owned->queues[i], maintainer_text(batch->app), err)) {
            return false;
        }
    }
    return read_anew(batch, err);
}
