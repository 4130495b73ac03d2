/* Claims: ready jobs become leases of the nodes that ask.
 *
 * A batch serves several nodes at once, in three packets: which queues and host groups, then locks,
 * counts, ready jobs and clock, then what is written. Locks: host groups, nodes, then the ready
 * jobs, which are taken without waiting. Slots are counted from leases under the locks of node and
 * group, so nothing that is stored can be wrong; a lease that ran out and was not reaped counts
 * too. A claim that finds nothing is parked (claim_desk.c). */
#include "app/claim_desk_internal.h"
#include "app/claim_internal.h"
#include "app/held_internal.h"
#include "app/memo_internal.h"
#include "app/news_internal.h"
#include "app/queues_internal.h"
#include "base/check.h"
#include "base/limits.h"
#include "store/host_group_store.h"
#include "store/job_store.h"
#include "store/lease_store.h"
#include "store/node_store.h"
#include "store/place_store.h"
#include "store/queue_store.h"

#include <stdio.h>
#include <string.h>

#define CLAIM_BATCH_MAX 64
#define CLAIM_BATCH_JOBS_MAX 512
#define BATCH_BYTES_MAX (32 * MIB)
#define READS_MAX (7 + CLAIM_BATCH_MAX * PRIORITY_COUNT) /* a queue a node at most */

/* ---- rows ---- */

/* -1: none of them. */
static int place_of_node(const struct claim_batch *batch, int64_t id) {
    return ids_find(batch->node_ids, batch->node_count, id);
}

static void take_node(void *context, struct db_stmt *row) {
    struct claim_batch *batch = context;
    struct node node = node_from_row(row);
    int place = place_of_node(batch, node.id.value);
    batch->nodes[place] = node;
    batch->node_found[place] = true;
}

static struct claim_group *group_of(struct claim_batch *batch, int64_t id) {
    for (int i = 0; i < batch->group_count; i++) {
        if (batch->groups[i].id.value == id) {
            return &batch->groups[i];
        }
    }
    return NULL;
}

static void take_slots(void *context, struct db_stmt *row) {
    struct claim_group *group = group_of(context, db_i64(row, 0));
    CHECK(group != NULL);
    group->free += (int32_t)db_i64(row, 1);
}

static void take_group_leases(void *context, struct db_stmt *row) {
    struct claim_group *group = group_of(context, db_i64(row, 0));
    CHECK(group != NULL);
    group->free -= (int32_t)db_i64(row, 1);
}

/* Slots in use are counted: nothing that is stored can be wrong. */
static void take_lease(void *context, struct db_stmt *row) {
    struct claim_batch *batch = context;
    if (batch->lease_count == batch->lease_room) {
        int room = 2 * batch->lease_room + 64;
        struct lease *more = arena_array(batch->arena, (size_t)room, sizeof more[0]);
        if (batch->lease_count > 0) {
            memcpy(more, batch->leases, (size_t)batch->lease_count * sizeof more[0]);
        }
        batch->leases = more;
        batch->lease_room = room;
    }
    struct lease lease = lease_from_row(row);
    batch->leases[batch->lease_count++] = lease;
    batch->busy[place_of_node(batch, lease.node.value)]++;
}

static void take_ready(void *context, struct db_stmt *row) {
    struct claim_batch *batch = context;
    CHECK(batch->found_count < batch->found_room);
    struct claim_granted *found = &batch->found[batch->found_count++];
    found->has_job = !db_is_null(row, 1);
    found->has_body = !db_is_null(row, 1 + JOB_COLUMN_COUNT);
    found->job.id.value = db_i64(row, 0);
    if (found->has_job && found->has_body) {
        found->job = job_from_row(row, 1);
        found->body = job_body_from_row(row, 1 + JOB_COLUMN_COUNT, batch->arena);
    }
}

/* ---- what is locked and read ---- */

static bool read_nodes(struct claim_batch *batch, struct err *err) {
    batch->node_ids = arena_array(batch->arena, (size_t)batch->count + 1, sizeof(int64_t));
    for (int i = 0; i < batch->count; i++) {
        batch->node_ids[batch->node_count++] = batch->claimants[i].request->actor.node.value;
    }
    ids_sort(batch->node_ids, &batch->node_count);
    size_t count = (size_t)batch->node_count + 1;
    batch->nodes = arena_array(batch->arena, count, sizeof batch->nodes[0]);
    batch->node_found = arena_array(batch->arena, count, sizeof batch->node_found[0]);
    batch->busy = arena_array(batch->arena, count, sizeof batch->busy[0]);
    struct rows_read read = {
        .select = &node_select,
        .values = claim_keys(batch, batch->node_ids, batch->node_count),
        .count = batch->node_count,
        .row = take_node,
        .context = batch,
    };
    return db_read(batch->db, &read, 1, NULL, err);
}

static void list_groups(struct claim_batch *batch) {
    int64_t *ids = arena_array(batch->arena, (size_t)batch->node_count + 1, sizeof ids[0]);
    int count = 0;
    for (int i = 0; i < batch->node_count; i++) {
        if (batch->node_found[i] && batch->nodes[i].host_group.value > 0) {
            ids[count++] = batch->nodes[i].host_group.value;
        }
    }
    ids_sort(ids, &count);
    batch->groups = arena_array(batch->arena, (size_t)count + 1, sizeof batch->groups[0]);
    batch->group_count = count;
    for (int i = 0; i < count; i++) {
        batch->groups[i].id.value = ids[i];
    }
}

/* How many jobs of the queue are asked for: an upper bound, for looking no further than needed. For
 * a node that gets none nothing is locked: another server's claim would pass over it meanwhile. */
static int wish_of_queue(const struct claim_batch *batch, int64_t queue) {
    int wish = 0;
    for (int i = 0; i < batch->count; i++) {
        const struct claim_request *request = batch->claimants[i].request;
        int place = place_of_node(batch, request->actor.node.value);
        const struct node *node = &batch->nodes[place];
        bool of_queue =
            batch->node_found[place] && node->queue.value == queue && node_is_in_service(node);
        wish += of_queue ? (request->was_unable ? 1 : request->free_slots) : 0;
    }
    return wish < CLAIM_BATCH_JOBS_MAX ? wish : CLAIM_BATCH_JOBS_MAX;
}

/* All priorities at once, each as if the others had none: what is not handed out is let go. */
static int add_ready(struct claim_batch *batch, struct queue_id queue, struct rows_read *reads) {
    enum job_priority order[PRIORITY_COUNT];
    int wish = wish_of_queue(batch, queue.value);
    queues_order(batch->app, queue, order);
    for (int p = 0; p < PRIORITY_COUNT; p++) {
        const int64_t values[] = {queue.value, order[p], wish};
        reads[p] = (struct rows_read){.select = ready_select(batch->db),
                                      .values = claim_keys(batch, values, 3),
                                      .count = 3,
                                      .level = db_claims_owned(batch->db) ? LOCK_NONE : LOCK_JOB,
                                      .mode = LOCK_EXCLUSIVE,
                                      .row = take_ready,
                                      .context = batch};
    }
    batch->found_room += PRIORITY_COUNT * wish;
    return PRIORITY_COUNT;
}

static int add_queues(struct claim_batch *batch, struct rows_read *reads) {
    int64_t *queues = arena_array(batch->arena, (size_t)batch->node_count + 1, sizeof queues[0]);
    int count = 0;
    for (int i = 0; i < batch->node_count; i++) {
        if (batch->node_found[i]) {
            queues[count++] = batch->nodes[i].queue.value;
        }
    }
    ids_sort(queues, &count);
    CHECK(count <= CLAIM_BATCH_MAX);
    int read_count = claim_owned_reads(batch, queues, count, reads);
    for (int i = 0; i < count; i++) {
        read_count += add_ready(batch, (struct queue_id){queues[i]}, reads + read_count);
    }
    batch->found = arena_array(batch->arena, (size_t)batch->found_room + 1, sizeof batch->found[0]);
    return read_count;
}

/* Before it is looked at: what becomes ready meanwhile is not slept through (claims_park). */
static void note_wakes(struct claim_batch *batch) {
    for (int i = 0; i < batch->count; i++) {
        struct claim_request *request = batch->claimants[i].request;
        int place = place_of_node(batch, request->actor.node.value);
        if (batch->node_found[place]) {
            request->queue = batch->nodes[place].queue;
            claims_note_wakes(batch->app, request);
            request->was_unable = request->unable;
            request->unable = !node_is_in_service(&batch->nodes[place]);
        }
    }
}

/* One packet: locks in their order, counts under them, the ready jobs, the clock. */
static bool hold(struct claim_batch *batch, struct err *err) {
    if (!read_nodes(batch, err)) {
        return false;
    }
    note_wakes(batch);
    list_groups(batch);
    int64_t *group_ids = arena_array(batch->arena, (size_t)batch->group_count + 1, sizeof(int64_t));
    for (int i = 0; i < batch->group_count; i++) {
        group_ids[i] = batch->groups[i].id.value;
    }
    const struct rows_value *groups = claim_keys(batch, group_ids, batch->group_count);
    const struct rows_value *nodes = claim_keys(batch, batch->node_ids, batch->node_count);
    struct rows_read *reads = arena_array(batch->arena, READS_MAX + 1, sizeof reads[0]);
    int count = 0;
    reads[count++] = (struct rows_read){
        &host_group_select, groups, batch->group_count, LOCK_HOST_GROUP, LOCK_EXCLUSIVE,
        take_slots,         batch};
    reads[count++] =
        (struct rows_read){NULL, nodes, batch->node_count, LOCK_NODE, LOCK_EXCLUSIVE, NULL, batch};
    reads[count++] = (struct rows_read){
        &node_select, nodes, batch->node_count, LOCK_NONE, LOCK_SHARED, take_node, batch};
    reads[count++] =
        (struct rows_read){&lease_count_select, groups, batch->group_count, LOCK_NONE, LOCK_SHARED,
                           take_group_leases,   batch};
    reads[count++] = (struct rows_read){
        &lease_of_node_select, nodes, batch->node_count, LOCK_NONE, LOCK_SHARED, take_lease, batch};
    count += add_queues(batch, reads + count);
    if (db_claims_owned(
            batch->db)) { /* there the jobs are yet to be locked: the clock comes after */
        return db_read(batch->db, reads, count, NULL, err) && claim_owned_hold(batch, err);
    }
    return db_read(batch->db, reads, count, &batch->now_ms, err);
}

/* ---- who may claim ---- */

/* Of this session and claim id: then the answer was lost, and is given again. */
/* S9: a claim that is asked again is answered by the leases that it got. */
static void find_replay(struct claim_batch *batch, struct claimant *claimant) {
    claimant->jobs = arena_array(batch->arena, 2 * NODE_SLOTS_MAX + 1, sizeof claimant->jobs[0]);
    for (int i = 0; i < batch->lease_count; i++) {
        const struct lease *lease = &batch->leases[i];
        if (lease->node.value == claimant->node->id.value &&
            lease->session_epoch == claimant->node->session_epoch &&
            lease->claim_key == claimant->request->claim_id &&
            claimant->job_count < 2 * NODE_SLOTS_MAX) {
            struct claim_granted *granted = arena_new(batch->arena, struct claim_granted);
            granted->lease = *lease;
            claimant->jobs[claimant->job_count++] = granted;
        }
    }
    claimant->replay = claimant->job_count > 0;
}

/* A node asks again when its connection broke. Both questions may be in one batch: the later one
 * gets the jobs, since nobody hears the answer to the earlier. */
static void silence_earlier(struct claim_batch *batch, const struct claimant *claimant) {
    for (struct claimant *earlier = batch->claimants; earlier < claimant; earlier++) {
        if (earlier->node == claimant->node &&
            earlier->request->claim_id == claimant->request->claim_id) {
            earlier->node = NULL;
            earlier->replay = false;
            earlier->job_count = 0;
        }
    }
}

static void admit(struct claim_batch *batch, struct claimant *claimant) {
    struct claim_request *request = claimant->request;
    if (claims_is_cancelled(batch->app, request)) {
        request->item.ok = true; /* nobody listens any more: no jobs */
        return;
    }
    int place = place_of_node(batch, request->actor.node.value);
    struct node *node = &batch->nodes[place];
    if (!batch->node_found[place]) {
        (void)err_set(&request->item.err, ERR_UNAUTHENTICATED, "bad_credential",
                      "there is no such node");
        return; /* refused: the item has its error */
    }
    if (!node_may_act(node, request->session_epoch, &request->item.err)) {
        return;
    }
    request->item.ok = true;
    claimant->node = node;
    claimant->node_busy = &batch->busy[place];
    claimant->group = node->host_group.value > 0 ? group_of(batch, node->host_group.value) : NULL;
    request->queue = node->queue;
    silence_earlier(batch, claimant);
    find_replay(batch, claimant);
}

/* ---- leases ---- */

static bool has_room(const struct claim_batch *batch, const struct claimant *claimant) {
    if (claimant->node == NULL || claimant->replay) {
        return false;
    }
    struct slots_facts facts = {
        .wanted = claimant->request->free_slots - claimant->job_count,
        .busy = *claimant->node_busy,
        .group_free = claimant->group != NULL ? claimant->group->free : INT32_MAX,
    };
    return node_free_slots(claimant->node, &facts, batch->now_ms, batch->app->settings.offline_ms) >
           0;
}

/* Nodes of the queue take turns, so that one does not fill up while another idles. */
static struct claimant *next_claimant(struct claim_batch *batch, const struct job *job, int *turn,
                                      bool *ret_avoided) {
    *ret_avoided = false;
    for (int i = 0; i < batch->count; i++) {
        int at = (*turn + i) % batch->count;
        struct claimant *claimant = &batch->claimants[at];
        if (claimant->node == NULL || claimant->node->queue.value != job->queue.value ||
            !has_room(batch, claimant)) {
            continue;
        }
        if (!claim_avoids(batch, job, claimant->node->id)) {
            *turn = at + 1;
            return claimant;
        }
        *ret_avoided = true;
    }
    return NULL;
}

static void remember(const struct claim_batch *batch, const struct claim_granted *granted) {
    struct job_memo memo = {.job = granted->job.id, .submission = granted->job.submission};
    memcpy(memo.manifest_id, granted->body.manifest_id, 32);
    memo_keep_job(batch->app, &memo);
}

static bool write_lease(struct claim_batch *batch, struct claimant *claimant,
                        struct claim_granted *found, struct err *err) {
    struct app *app = batch->app;
    struct job *job = &found->job;
    struct lease_terms terms = {.lease_ms = app->settings.lease_ms,
                                .job_total_ms = found->body.job_total_ms};
    uint64_t token = random_u64(app->random);
    found->lease = lease_grant(job, claimant->node, token, &terms, batch->now_ms);
    found->lease.claim_key = claimant->request->claim_id;
    job->lease_epoch = found->lease.epoch;
    job->lease_token = token;
    job->node = claimant->node->id;
    if (!job_apply(job, JOB_CLAIM, err) || !place_delete_ready(batch->db, job, err) ||
        !lease_store_insert(batch->db, &found->lease, err) ||
        !job_store_update(batch->db, job, err)) {
        return false;
    }
    *claimant->node_busy += 1;
    if (claimant->group != NULL) {
        claimant->group->free--;
    }
    claimant->jobs[claimant->job_count++] = found;
    queues_advance(app, job->queue, job->priority, job->order_key);
    news_submission(app, job->submission);
    remember(batch, found);
    return true;
}

/* The ready row and the job are locked and were read by one statement: nobody else has them. */
static bool take_job(struct claim_batch *batch, struct claim_granted *found, int *turn,
                     struct err *err) {
    struct job *job = &found->job;
    if (!found->has_job || !found->has_body) {
        return true; /* somebody has locked the job: it is left to the next claim */
    }
    if (!job_is_open(job)) { /* closed meanwhile: whoever closed it left the row to us */
        return place_delete_ready(batch->db, job, err);
    }
    bool avoided = false;
    struct claimant *claimant = next_claimant(batch, job, turn, &avoided);
    if (job->state != JOB_QUEUED || job->due_ms != 0) {
        return true;
    }
    if (claimant == NULL) {
        if (!avoided) { /* it was locked: who passed over it looks again */
            news_ready(batch->app, job->queue);
        }
        return true;
    }
    return write_lease(batch, claimant, found, err);
}

/* Queues share the slots of a machine: the one whose claim has waited longest comes first. Last
 * come jobs of no claim's queue, moved meanwhile. */
static bool take_jobs(struct claim_batch *batch, struct err *err) {
    bool *seen = arena_array(batch->arena, (size_t)batch->found_count + 1, sizeof seen[0]);
    int turn = 0;
    for (int c = 0; c <= batch->count; c++) {
        int64_t queue = c < batch->count ? batch->claimants[c].request->queue.value : 0;
        for (int i = 0; i < batch->found_count; i++) {
            struct claim_granted *found = &batch->found[i];
            if (seen[i] || (c < batch->count && found->job.queue.value != queue)) {
                continue;
            }
            seen[i] = true;
            if (!take_job(batch, found, &turn, err)) {
                return false;
            }
        }
    }
    return true;
}

/* Every n-th time another priority is asked first: counted when it had something. */
static void note_offers(struct claim_batch *batch) {
    int64_t last = 0;
    for (int i = 0; i < batch->found_count; i++) {
        struct queue_id queue = batch->found[i].job.queue;
        if (batch->found[i].has_job && queue.value != last) {
            queues_offered(batch->app, queue);
            last = queue.value;
        }
    }
}

static void decide_parking(struct claim_batch *batch, struct claimant *claimant) {
    struct claim_request *request = claimant->request;
    request->item.held = request->item.ok && request->job_count == 0 && !claimant->replay &&
                         clock_mono_ms(batch->app->clock) < request->deadline_mono_ms;
    bool looked = !request->unable; /* read without lock: its node may be in service by now */
    request->unable = !has_room(batch, claimant);
    if (!looked && !request->unable) {
        request->looks_seen = UINT64_MAX; /* nobody tells it again */
    }
}

static bool run_batch(struct claim_batch *batch, struct err *err) {
    if (!hold(batch, err)) {
        return false;
    }
    for (int i = 0; i < batch->count; i++) {
        admit(batch, &batch->claimants[i]);
    }
    if (!claim_avoid_read(batch, err) || !take_jobs(batch, err)) {
        return false;
    }
    note_offers(batch);
    for (int i = 0; i < batch->count; i++) {
        if (!claim_answer(batch, &batch->claimants[i], err)) {
            return false;
        }
        decide_parking(batch, &batch->claimants[i]);
    }
    return true;
}

static bool run(struct app *app, struct db *db, struct write_item **items, int count,
                struct err *err) {
    own(arena) arena = arena_create(BATCH_BYTES_MAX);
    struct claim_batch batch = {
        .app = app,
        .db = db,
        .arena = arena,
        .claimants = arena_array(arena, (size_t)count, sizeof batch.claimants[0]),
        .count = count,
    };
    news_reset(app);
    for (int i = 0; i < count; i++) {
        batch.claimants[i].request = (struct claim_request *)items[i];
        batch.claimants[i].request->job_count = 0;
    }
    return run_batch(&batch, err);
}

/* The jobs of an answer that was claimed are told to the queue's clock; the empty ones wait. */
static void committed(struct app *app, struct write_item **items, int count) {
    news_tell(app, items, count);
    for (int i = 0; i < count; i++) {
        struct claim_request *request = (struct claim_request *)items[i];
        if (request->item.held) {
            claims_park(app, request);
        }
    }
}

static const struct write_kind claim_kind = {.name = "claim",
                                             .batch_max = CLAIM_BATCH_MAX,
                                             .lane = WRITE_CLAIM,
                                             .run = run,
                                             .committed = committed};

static bool check_request(const struct claim_request *request, struct err *err) {
    if (request->claim_id == 0) {
        return err_set(err, ERR_INVALID, "bad_field", "claimId must not be zero");
    }
    if (request->free_slots < 1 || request->free_slots > CLAIM_JOBS_MAX) {
        return err_set(err, ERR_INVALID, "bad_field", "freeSlots must be 1 to %d", CLAIM_JOBS_MAX);
    }
    return true;
}

void dispatch_claim(struct app *app, struct claim_request *request) {
    struct err err = {0};
    if (!check_request(request, &err)) {
        app_fail(&request->item, &err);
        return;
    }
    int64_t wait_ms = request->wait_ms < CLAIM_WAIT_MS_MAX ? request->wait_ms : CLAIM_WAIT_MS_MAX;
    request->item.kind = &claim_kind;
    request->deadline_mono_ms =
        clock_mono_ms(app->clock) + (wait_ms > 0 && !atomic_load(&app->stopping) ? wait_ms : 0);
    request->parked = false;
    request->jobs = NULL;
    request->job_count = 0;
    app_write(app, &request->item);
}
