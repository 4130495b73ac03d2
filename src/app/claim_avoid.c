/* Which nodes a ready job keeps away from (S15): one that failed it, for a while, as long as
 * another node of the queue could take it. Read only when a ready job was failed before, which is
 * rare; the other nodes are not locked, since one that goes out of service meanwhile only means
 * that the next claim decides again. */
#include "app/claim_internal.h"
#include "base/check.h"
#include "store/avoid_store.h"
#include "store/node_store.h"

#include <string.h>

struct avoided {
    int64_t job;
    int64_t node;
};

struct claim_avoidance {
    struct claim_batch *batch;
    struct avoided *rows;
    int count;
    int room;
    struct node *peers; /* of the queues with such jobs, that may claim */
    int peer_count;
    int peer_room;
};

static void *grow(struct arena *arena, const void *rows, int count, int *room, size_t bytes) {
    if (count < *room) {
        return NULL;
    }
    *room = 2 * *room + 16;
    char *more = arena_array(arena, (size_t)*room, bytes);
    if (count > 0) {
        memcpy(more, rows, (size_t)count * bytes);
    }
    return more;
}

static void take_avoided(void *context, struct db_stmt *row) {
    struct claim_avoidance *a = context;
    if (a->batch->now_ms - db_i64(row, 2) >= JOB_AVOID_MS) {
        return;
    }
    struct avoided *more = grow(a->batch->arena, a->rows, a->count, &a->room, sizeof a->rows[0]);
    a->rows = more != NULL ? more : a->rows;
    a->rows[a->count++] = (struct avoided){.job = db_i64(row, 0), .node = db_i64(row, 1)};
}

static void take_peer(void *context, struct db_stmt *row) {
    struct claim_avoidance *a = context;
    struct node node = node_from_row(row);
    if (node_no_work_reason(&node, a->batch->now_ms, a->batch->app->settings.offline_ms) != NULL) {
        return;
    }
    struct node *more =
        grow(a->batch->arena, a->peers, a->peer_count, &a->peer_room, sizeof a->peers[0]);
    a->peers = more != NULL ? more : a->peers;
    a->peers[a->peer_count++] = node;
}

static bool failed_before(const struct claim_granted *found) {
    return found->has_job && found->job.fault_node.value != 0;
}

bool claim_avoid_read(struct claim_batch *batch, struct err *err) {
    struct claim_avoidance *a = arena_new(batch->arena, struct claim_avoidance);
    size_t room = (size_t)batch->found_count + 1;
    int64_t *jobs = arena_array(batch->arena, room, sizeof jobs[0]);
    int64_t *queues = arena_array(batch->arena, room, sizeof queues[0]);
    int job_count = 0;
    for (int i = 0; i < batch->found_count; i++) {
        if (failed_before(&batch->found[i])) {
            jobs[job_count] = batch->found[i].job.id.value;
            queues[job_count++] = batch->found[i].job.queue.value;
        }
    }
    a->batch = batch;
    batch->avoidance = a;
    if (job_count == 0) {
        return true;
    }
    int queue_count = job_count;
    ids_sort(jobs, &job_count);
    ids_sort(queues, &queue_count);
    const struct rows_read reads[] = {
        {&avoid_select, claim_keys(batch, jobs, job_count), job_count, LOCK_NONE, LOCK_SHARED,
         take_avoided, a},
        {&node_of_queue_select, claim_keys(batch, queues, queue_count), queue_count, LOCK_NONE,
         LOCK_SHARED, take_peer, a},
    };
    return db_read(batch->db, reads, 2, NULL, err);
}

static bool is_avoided(const struct claim_avoidance *a, const struct job *job, int64_t node) {
    for (int i = 0; i < a->count; i++) {
        if (a->rows[i].job == job->id.value && a->rows[i].node == node) {
            return true;
        }
    }
    return false;
}

bool claim_avoids(const struct claim_batch *batch, const struct job *job, struct node_id node) {
    const struct claim_avoidance *a = batch->avoidance;
    CHECK(a != NULL);
    if (!is_avoided(a, job, node.value)) {
        return false;
    }
    for (int i = 0; i < a->peer_count; i++) {
        const struct node *peer = &a->peers[i];
        if (peer->queue.value == job->queue.value && !is_avoided(a, job, peer->id.value)) {
            return true;
        }
    }
    return false; /* everybody has failed it: better one of them than none */
}
