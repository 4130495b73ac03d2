/* Leases that their node gives up: a reported fault, or an orderly hand-back. */
#include "app/app_internal.h"
#include "app/dispatch.h"
#include "app/held_internal.h"
#include "app/lease_end_internal.h"
#include "app/news_internal.h"
#include "app/refusal_internal.h"
#include "base/limits.h"

#define BATCH_MAX 32
#define BATCH_BYTES_MAX (16 * MIB)

struct batch {
    struct app *app;
    struct db *db;
    struct arena *arena;
    struct node_id *node_ids;
    int node_count;
    struct job_id *job_ids;
    int job_count;
    struct held held;
    int64_t now_ms;
};

static bool hold(struct batch *batch, struct err *err) {
    struct hold_plan plan = {.nodes = {batch->node_ids, batch->node_count},
                             .mode = LOCK_SHARED,
                             .jobs = {batch->job_ids, batch->job_count},
                             .hold = HOLD_SUBMISSIONS,
                             .with_clock = true};
    if (!hold_batch(batch->db, &plan, batch->arena, &batch->held, err)) {
        return false;
    }
    batch->now_ms = batch->held.now_ms;
    return true;
}

/* The node of the item, when it may act; else NULL, and the item has its error. */
static struct node *admit(struct batch *batch, struct write_item *item, const struct actor *actor,
                          int64_t session_epoch) {
    struct node *node = held_node(&batch->held.nodes, actor->node);
    if (node == NULL) {
        (void)err_set(&item->err, ERR_UNAUTHENTICATED, "bad_credential", "there is no such node");
        return NULL;
    }
    return node_may_act(node, session_epoch, &item->err) ? node : NULL;
}

/* ---- failure ---- */

static enum lease_end end_of_fault(enum fault fault) {
    switch (fault) {
    case FAULT_PROBLEM: return END_FAULT_PROBLEM;
    case FAULT_JOB: return END_FAULT_JOB;
    case FAULT_NODE:
    case FAULT_NONE: break;
    }
    return END_FAULT_NODE;
}

static bool run_failure(struct batch *batch, struct failure_request *request, struct err *err) {
    struct write_item *item = &request->item;
    struct node *node = admit(batch, item, &request->actor, request->session_epoch);
    struct held_job *held = held_find(&batch->held.jobs, request->lease.job);
    if (node == NULL) {
        return true;
    }
    if (!held->found) {
        (void)err_set(&item->err, ERR_MISSING, "no_job", "there is no job %lld",
                      (long long)request->lease.job.value);
        return true;
    }
    if (!lease_check(held->has_lease ? &held->lease : NULL, node, &request->lease, batch->now_ms,
                     &item->err)) {
        struct refusal refusal = {.event = "failure.refused",
                                  .node = node->id,
                                  .job = held->id,
                                  .now_ms = batch->now_ms,
                                  .reason = &item->err};
        request->recorded = true;
        return refusal_record(batch->app, batch->db, &refusal, err) &&
               lease_give_up(batch->app, batch->db, held, node, &request->lease, err);
    }
    struct ending ending = {
        .end = end_of_fault(request->fault),
        .fault = request->fault,
        .code = request->code,
        .detail = request->detail,
        .now_ms = batch->now_ms,
    };
    item->ok = true;
    return lease_end(batch->app, batch->db, held, &ending, &request->failed, err);
}

static bool run_failures(struct app *app, struct db *db, struct write_item **items, int count,
                         struct err *err) {
    own(arena) arena = arena_create(BATCH_BYTES_MAX);
    struct batch batch = {
        .app = app,
        .db = db,
        .arena = arena,
        .node_ids = arena_array(arena, (size_t)count, sizeof batch.node_ids[0]),
        .node_count = count,
        .job_ids = arena_array(arena, (size_t)count, sizeof batch.job_ids[0]),
        .job_count = count,
    };
    news_reset(app);
    for (int i = 0; i < count; i++) {
        const struct failure_request *request = (struct failure_request *)items[i];
        batch.node_ids[i] = request->actor.node;
        batch.job_ids[i] = request->lease.job;
    }
    if (!hold(&batch, err)) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        struct failure_request *request = (struct failure_request *)items[i];
        request->failed = false;
        request->recorded = false;
        if (!run_failure(&batch, request, err)) {
            return false;
        }
    }
    return true;
}

static void failures_committed(struct app *app, struct write_item **items, int count) {
    news_tell(app, items, count);
    for (int i = 0; i < count; i++) {
        progress_forget(app, ((struct failure_request *)items[i])->lease.job);
    }
    events_start(app);
}

static const struct write_kind failure_kind = {.name = "failure",
                                               .batch_max = BATCH_MAX,
                                               .run = run_failures,
                                               .committed = failures_committed};

void dispatch_failure(struct app *app, struct failure_request *request) {
    struct err err = {0};
    if (request->fault == FAULT_NONE) {
        (void)err_set(&err, ERR_INVALID, "bad_field", "fault must be NODE, PROBLEM or JOB");
        app_fail(&request->item, &err);
        return;
    }
    request->item.kind = &failure_kind;
    app_write(app, &request->item);
}

/* ---- release ---- */

/* A lease that is not the node's any more is passed over: the job is in good hands. */
static bool release_one(struct batch *batch, const struct node *node, const struct lease_ref *shown,
                        bool *ret_released, struct err *err) {
    struct held_job *held = held_find(&batch->held.jobs, shown->job);
    struct err refused = {0};
    bool failed = false;
    const struct lease *lease = held->found && held->has_lease ? &held->lease : NULL;
    *ret_released = lease_is_given_up(lease, node, shown) ||
                    lease_check(lease, node, shown, batch->now_ms, &refused);
    struct ending ending = {.end = END_RELEASED, .now_ms = batch->now_ms};
    return !*ret_released || lease_end(batch->app, batch->db, held, &ending, &failed, err);
}

static bool run_release(struct batch *batch, struct release_request *request, struct err *err) {
    struct node *node = admit(batch, &request->item, &request->actor, request->session_epoch);
    request->released = 0;
    if (node == NULL) {
        return true;
    }
    for (int i = 0; i < request->count; i++) {
        bool released = false;
        if (!release_one(batch, node, &request->leases[i], &released, err)) {
            return false;
        }
        request->released += released ? 1 : 0;
    }
    request->item.ok = true;
    return true;
}

static bool run_releases(struct app *app, struct db *db, struct write_item **items, int count,
                         struct err *err) {
    own(arena) arena = arena_create(BATCH_BYTES_MAX);
    struct batch batch = {
        .app = app,
        .db = db,
        .arena = arena,
        .node_ids = arena_array(arena, (size_t)count, sizeof batch.node_ids[0]),
        .node_count = count,
        .job_ids = arena_array(arena, (size_t)count * RENEW_JOBS_MAX, sizeof batch.job_ids[0]),
    };
    news_reset(app);
    for (int i = 0; i < count; i++) {
        const struct release_request *request = (struct release_request *)items[i];
        batch.node_ids[i] = request->actor.node;
        for (int j = 0; j < request->count; j++) {
            batch.job_ids[batch.job_count++] = request->leases[j].job;
        }
    }
    if (!hold(&batch, err)) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        if (!run_release(&batch, (struct release_request *)items[i], err)) {
            return false;
        }
    }
    return true;
}

static void releases_committed(struct app *app, struct write_item **items, int count) {
    news_tell(app, items, count);
    for (int i = 0; i < count; i++) {
        const struct release_request *request = (struct release_request *)items[i];
        for (int j = 0; request->item.ok && j < request->count; j++) {
            progress_forget(app, request->leases[j].job);
        }
    }
}

static const struct write_kind release_kind = {.name = "release",
                                               .batch_max = BATCH_MAX,
                                               .run = run_releases,
                                               .committed = releases_committed};

void dispatch_release(struct app *app, struct release_request *request) {
    struct err err = {0};
    if (request->count < 0 || request->count > RENEW_JOBS_MAX) {
        (void)err_set(&err, ERR_INVALID, "bad_field", "at most %d leases at once", RENEW_JOBS_MAX);
        app_fail(&request->item, &err);
        return;
    }
    request->item.kind = &release_kind;
    app_write(app, &request->item);
}
