/* Claims: ready jobs become leases of the nodes that ask.
 *
 * A batch serves several nodes at once. Locks: host groups, nodes, then the jobs that were found in
 * the order of their queue's keys. Slots are counted from leases under the locks of node and group,
 * so nothing that is stored can be wrong; a lease that ran out and was not reaped counts too. A
 * claim that finds nothing is parked (claim_desk.c). */
#include "app/claim_desk_internal.h"
#include "app/held_internal.h"
#include "app/news_internal.h"
#include "app/queues_internal.h"
#include "base/check.h"
#include "base/limits.h"
#include "store/host_group_store.h"
#include "store/job_store.h"
#include "store/lease_store.h"
#include "store/node_store.h"
#include "store/place_store.h"

#include <stdio.h>
#include <string.h>

#define CLAIM_BATCH_MAX 64
#define CLAIM_BATCH_JOBS_MAX 512
#define BATCH_BYTES_MAX (16 * MIB)

struct group {
    struct host_group_id id;
    int32_t free;
};

struct claimant {
    struct claim_request *request;
    struct node *node;   /* NULL: refused */
    int32_t *node_busy;  /* shared by requests of one node */
    struct group *group; /* NULL: none */
    bool replay;         /* this claim id has leases already */
    struct job_id *jobs; /* to answer with */
    int job_count;
};

struct batch {
    struct app *app;
    struct db *db;
    struct arena *arena;
    struct claimant *claimants;
    int count;
    struct held_nodes nodes;
    int32_t *busy; /* by place in nodes */
    struct group *groups;
    int group_count;
    struct job_id *found; /* in claim order */
    int found_count;
    struct held_jobs held;
    struct job_body **bodies; /* by place in held; NULL: not read yet */
    int64_t now_ms;
};

/* ---- locks ---- */

static bool lock_groups(struct batch *batch, struct err *err) {
    int64_t *ids = arena_array(batch->arena, (size_t)batch->count + 1, sizeof ids[0]);
    int count = 0;
    for (int i = 0; i < batch->count; i++) {
        struct node node = {0};
        bool found = false;
        if (!node_store_get(batch->db, batch->claimants[i].request->actor.node, &node, &found,
                            err)) {
            return false;
        }
        if (found && node.host_group.value > 0) { /* never changes, so it may be read unlocked */
            ids[count++] = node.host_group.value;
        }
    }
    ids_sort(ids, &count);
    batch->groups = arena_array(batch->arena, (size_t)count + 1, sizeof batch->groups[0]);
    batch->group_count = count;
    for (int i = 0; i < count; i++) {
        batch->groups[i].id.value = ids[i];
        if (!db_lock(batch->db, LOCK_HOST_GROUP, LOCK_EXCLUSIVE, ids[i], err)) {
            return false;
        }
    }
    return true;
}

static bool lock_nodes(struct batch *batch, struct err *err) {
    struct node_id *ids = arena_array(batch->arena, (size_t)batch->count + 1, sizeof ids[0]);
    for (int i = 0; i < batch->count; i++) {
        ids[i] = batch->claimants[i].request->actor.node;
    }
    return hold_nodes(batch->db, (struct node_list){ids, batch->count}, LOCK_EXCLUSIVE,
                      batch->arena, &batch->nodes, err);
}

static bool count_leases(struct batch *batch, struct err *err) {
    batch->busy = arena_array(batch->arena, (size_t)batch->nodes.count + 1, sizeof batch->busy[0]);
    for (int i = 0; i < batch->nodes.count; i++) {
        if (!lease_store_count_node(batch->db, batch->nodes.rows[i].id, &batch->busy[i], err)) {
            return false;
        }
    }
    for (int i = 0; i < batch->group_count; i++) {
        int32_t slots = 0;
        int32_t busy = 0;
        struct group *group = &batch->groups[i];
        if (!host_group_store_slots(batch->db, group->id, &slots, err) ||
            !lease_store_count_group(batch->db, group->id, &busy, err)) {
            return false;
        }
        group->free = slots - busy;
    }
    return true;
}

static struct group *group_of(struct batch *batch, struct host_group_id id) {
    for (int i = 0; i < batch->group_count; i++) {
        if (batch->groups[i].id.value == id.value) {
            return &batch->groups[i];
        }
    }
    return NULL;
}

/* ---- who may claim ---- */

static bool find_replay(struct batch *batch, struct claimant *claimant, struct err *err) {
    struct lease_page page = {
        .jobs = arena_array(batch->arena, NODE_SLOTS_MAX, sizeof page.jobs[0]),
        .max = NODE_SLOTS_MAX,
    };
    if (!lease_store_of_claim(batch->db, claimant->node, claimant->request->claim_id, &page, err)) {
        return false;
    }
    claimant->replay = page.count > 0;
    claimant->jobs = page.jobs;
    claimant->job_count = page.count;
    return true;
}

/* A node asks again when its connection broke. Both questions may be in one batch: the later one
 * gets the jobs, since nobody hears the answer to the earlier. */
static void silence_earlier(struct batch *batch, const struct claimant *claimant) {
    for (struct claimant *earlier = batch->claimants; earlier < claimant; earlier++) {
        if (earlier->node == claimant->node &&
            earlier->request->claim_id == claimant->request->claim_id) {
            earlier->node = NULL;
            earlier->replay = false;
            earlier->job_count = 0;
        }
    }
}

static bool admit(struct batch *batch, struct claimant *claimant, struct err *err) {
    struct claim_request *request = claimant->request;
    if (claims_is_cancelled(batch->app, request)) {
        request->item.ok = true; /* nobody listens any more: no jobs */
        return true;
    }
    struct node *node = held_node(&batch->nodes, request->actor.node);
    if (node == NULL) {
        (void)err_set(&request->item.err, ERR_UNAUTHENTICATED, "bad_credential",
                      "there is no such node");
        return true; /* refused: the item has its error */
    }
    if (!node_may_act(node, request->session_epoch, &request->item.err)) {
        return true;
    }
    request->item.ok = true;
    claimant->node = node;
    claimant->node_busy = &batch->busy[node - batch->nodes.rows];
    claimant->group = node->host_group.value > 0 ? group_of(batch, node->host_group) : NULL;
    request->queue = node->queue;
    silence_earlier(batch, claimant);
    return find_replay(batch, claimant, err);
}

/* Without the clock: an upper bound, for looking no further than needed. */
static int32_t wish_of(const struct claimant *claimant) {
    if (claimant->node == NULL || claimant->replay || claimant->node->config != NODE_ENABLED) {
        return 0;
    }
    int32_t free = claimant->node->slots - *claimant->node_busy;
    int32_t wanted = claimant->request->free_slots;
    return free <= 0 ? 0 : free < wanted ? free : wanted;
}

/* ---- ready jobs ---- */

static int wish_of_queue(const struct batch *batch, struct queue_id queue) {
    int wish = 0;
    for (int i = 0; i < batch->count; i++) {
        const struct claimant *claimant = &batch->claimants[i];
        wish += claimant->node != NULL && claimant->node->queue.value == queue.value
                    ? wish_of(claimant)
                    : 0;
    }
    int room = CLAIM_BATCH_JOBS_MAX - batch->found_count;
    return wish < room ? wish : room;
}

static bool find_in_queue(struct batch *batch, struct queue_id queue, struct err *err) {
    enum job_priority order[PRIORITY_COUNT];
    int wish = wish_of_queue(batch, queue);
    int found_before = batch->found_count;
    queues_order(batch->app, queue, order);
    for (int p = 0; p < PRIORITY_COUNT && wish > 0; p++) {
        int count = 0;
        struct ready_query query = {.queue = queue, .priority = order[p], .max = wish};
        if (!place_next_ready(batch->db, &query, batch->found + batch->found_count, &count, err)) {
            return false;
        }
        batch->found_count += count;
        wish -= count;
    }
    if (batch->found_count > found_before) {
        queues_offered(batch->app, queue);
    }
    return true;
}

static bool find_ready(struct batch *batch, struct err *err) {
    batch->found = arena_array(batch->arena, CLAIM_BATCH_JOBS_MAX, sizeof batch->found[0]);
    int64_t *queues = arena_array(batch->arena, (size_t)batch->count + 1, sizeof queues[0]);
    int queue_count = 0;
    for (int i = 0; i < batch->count; i++) {
        if (wish_of(&batch->claimants[i]) > 0) {
            queues[queue_count++] = batch->claimants[i].node->queue.value;
        }
    }
    ids_sort(queues, &queue_count);
    for (int i = 0; i < queue_count; i++) {
        if (!find_in_queue(batch, (struct queue_id){queues[i]}, err)) {
            return false;
        }
    }
    return true;
}

static bool hold_found(struct batch *batch, struct err *err) {
    int count = batch->found_count;
    for (int i = 0; i < batch->count; i++) {
        count += batch->claimants[i].replay ? batch->claimants[i].job_count : 0;
    }
    struct job_id *ids = arena_array(batch->arena, (size_t)count + 1, sizeof ids[0]);
    memcpy(ids, batch->found, (size_t)batch->found_count * sizeof ids[0]);
    count = batch->found_count;
    for (int i = 0; i < batch->count; i++) {
        const struct claimant *claimant = &batch->claimants[i];
        for (int j = 0; claimant->replay && j < claimant->job_count; j++) {
            ids[count++] = claimant->jobs[j];
        }
    }
    batch->bodies = arena_array(batch->arena, (size_t)count + 1, sizeof batch->bodies[0]);
    return hold_jobs(batch->db, (struct job_list){ids, count}, HOLD_JOBS, batch->arena,
                     &batch->held, err);
}

/* ---- leases ---- */

static bool has_room(const struct batch *batch, const struct claimant *claimant) {
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
static struct claimant *next_claimant(struct batch *batch, struct queue_id queue, int *turn) {
    for (int i = 0; i < batch->count; i++) {
        int at = (*turn + i) % batch->count;
        struct claimant *claimant = &batch->claimants[at];
        if (claimant->node != NULL && claimant->node->queue.value == queue.value &&
            has_room(batch, claimant)) {
            *turn = at + 1;
            return claimant;
        }
    }
    return NULL;
}

/* The snapshot, its texts in the arena of who gets the job. */
static bool read_body(struct batch *batch, const struct held_job *held, struct arena *arena,
                      const struct job_body **ret_body, struct err *err) {
    struct job_body **body = &batch->bodies[held - batch->held.rows];
    if (*body == NULL) {
        *body = arena_new(arena, struct job_body);
        if (!job_body_get(batch->db, held->id, arena, *body, err)) {
            return false;
        }
    }
    *ret_body = *body;
    return true;
}

static bool write_lease(struct batch *batch, struct claimant *claimant, struct held_job *held,
                        struct err *err) {
    struct app *app = batch->app;
    struct job *job = &held->job;
    const struct job_body *body = NULL;
    if (!read_body(batch, held, claimant->request->arena, &body, err)) {
        return false;
    }
    struct lease_terms terms = {.lease_ms = app->settings.lease_ms,
                                .job_total_ms = body->job_total_ms};
    uint64_t token = random_u64(app->random);
    held->lease = lease_grant(job, claimant->node, token, &terms, batch->now_ms);
    held->lease.claim_key = claimant->request->claim_id;
    held->has_lease = true;
    job->lease_epoch = held->lease.epoch;
    job->lease_token = token;
    job->node = claimant->node->id;
    if (!job_apply(job, JOB_CLAIM, err) || !lease_store_insert(batch->db, &held->lease, err) ||
        !job_store_update(batch->db, job, err)) {
        return false;
    }
    *claimant->node_busy += 1;
    if (claimant->group != NULL) {
        claimant->group->free--;
    }
    claimant->jobs[claimant->job_count++] = job->id;
    /* A hint: harmless when rolled back. */
    queues_advance(app, job->queue, job->priority, job->order_key);
    news_submission(app, job->submission);
    return true;
}

static bool take_job(struct batch *batch, struct job_id id, int *turn, struct err *err) {
    struct held_job *held = held_find(&batch->held, id);
    bool there = false;
    if (!held->found) {
        return true;
    }
    if (!job_is_open(&held->job)) { /* closed meanwhile: whoever closed it left the row to us */
        return place_delete_ready(batch->db, &held->job, &there, err);
    }
    struct claimant *claimant = next_claimant(batch, held->job.queue, turn);
    if (claimant == NULL || held->job.state != JOB_QUEUED || held->job.due_ms != 0) {
        return true;
    }
    if (!place_delete_ready(batch->db, &held->job, &there, err)) {
        return false;
    }
    /* Somebody else's if it is gone: never a lease without having removed the row. */
    return !there || write_lease(batch, claimant, held, err);
}

static bool take_jobs(struct batch *batch, struct err *err) {
    for (int i = 0; i < batch->count; i++) {
        struct claimant *claimant = &batch->claimants[i];
        if (!claimant->replay) {
            claimant->jobs =
                arena_array(batch->arena, CLAIM_JOBS_MAX + 1, sizeof claimant->jobs[0]);
        }
    }
    int turn = 0;
    for (int i = 0; i < batch->found_count; i++) {
        if (!take_job(batch, batch->found[i], &turn, err)) {
            return false;
        }
    }
    return true;
}

/* ---- answers ---- */

static bool describe(struct batch *batch, const struct held_job *held, struct arena *arena,
                     struct claimed_job *ret_job, struct err *err) {
    const struct job_body *body = NULL;
    if (!read_body(batch, held, arena, &body, err)) {
        return false;
    }
    *ret_job = (struct claimed_job){
        .job = held->id,
        .submission = held->job.submission,
        .generation = held->job.generation,
        .pool = body->pool,
        .runtime_spec = body->runtime_spec,
        .lease = {.job = held->id, .epoch = held->lease.epoch, .token = held->lease.token},
        .lease_remaining_ms = held->lease.until_ms - batch->now_ms,
        .language = body->language,
        .source_bytes = body->source_bytes,
        .time_limit_ms = body->time_limit_ms,
        .memory_limit_kib = body->memory_limit_kib,
        .output_limit_kib = body->output_limit_kib,
        .job_total_ms = body->job_total_ms,
        .trace_id = body->trace_id,
    };
    hex_encode(body->manifest_id, 32, ret_job->manifest_id);
    hex_encode(body->source_sha256, 32, ret_job->source_digest);
    return true;
}

/* A claim that is asked again gets what it got: the leases as they are now. */
static bool read_lease(struct batch *batch, struct held_job *held, struct err *err) {
    return held->has_lease ||
           lease_store_get(batch->db, held->id, &held->lease, &held->has_lease, err);
}

static bool answer(struct batch *batch, struct claimant *claimant, struct err *err) {
    struct claim_request *request = claimant->request;
    request->job_count = 0;
    if (claimant->node == NULL || claimant->job_count == 0) {
        return true;
    }
    request->jobs =
        arena_array(request->arena, (size_t)claimant->job_count, sizeof request->jobs[0]);
    for (int i = 0; i < claimant->job_count; i++) {
        struct held_job *held = held_find(&batch->held, claimant->jobs[i]);
        if (!read_lease(batch, held, err)) {
            return false;
        }
        if (!held->has_lease || held->lease.until_ms <= batch->now_ms || held->lease.revoked) {
            continue; /* of a claim that is answered again, too late for this job */
        }
        if (!describe(batch, held, request->arena, &request->jobs[request->job_count], err)) {
            return false;
        }
        request->job_count++;
    }
    return true;
}

static void decide_parking(struct batch *batch, struct claimant *claimant) {
    struct claim_request *request = claimant->request;
    request->item.held = request->item.ok && request->job_count == 0 && !claimant->replay &&
                         clock_mono_ms(batch->app->clock) < request->deadline_mono_ms;
}

static bool run_batch(struct batch *batch, struct err *err) {
    if (!lock_groups(batch, err) || !lock_nodes(batch, err) || !count_leases(batch, err)) {
        return false;
    }
    for (int i = 0; i < batch->count; i++) {
        if (!admit(batch, &batch->claimants[i], err)) {
            return false;
        }
    }
    if (!find_ready(batch, err) || !hold_found(batch, err) ||
        !db_now(batch->db, &batch->now_ms, err) || !take_jobs(batch, err)) {
        return false;
    }
    for (int i = 0; i < batch->count; i++) {
        if (!answer(batch, &batch->claimants[i], err)) {
            return false;
        }
        decide_parking(batch, &batch->claimants[i]);
    }
    return true;
}

static bool run(struct app *app, struct db *db, struct write_item **items, int count,
                struct err *err) {
    own(arena) arena = arena_create(BATCH_BYTES_MAX);
    struct batch batch = {
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

static const struct write_kind claim_kind = {
    .name = "claim", .batch_max = CLAIM_BATCH_MAX, .run = run, .committed = committed};

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
