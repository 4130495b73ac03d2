/* Renewals and heartbeats: what a healthy node sends all the time. */
#include "app/app_internal.h"
#include "app/dispatch.h"
#include "app/held_internal.h"
#include "base/limits.h"
#include "store/lease_store.h"
#include "store/node_store.h"
#include "store/rows.h"

#define BATCH_MAX 64
#define BATCH_BYTES_MAX (16 * MIB)

struct batch {
    struct app *app;
    struct db *db;
    struct held held;
    int64_t now_ms;
};

static bool hold(struct batch *batch, struct write_item **items, int count, struct arena *arena,
                 struct err *err) {
    int job_count = 0;
    for (int i = 0; i < count; i++) {
        job_count += ((struct renew_request *)items[i])->count;
    }
    struct node_id *nodes = arena_array(arena, (size_t)count, sizeof nodes[0]);
    struct job_id *jobs = arena_array(arena, (size_t)job_count + 1, sizeof jobs[0]);
    job_count = 0;
    for (int i = 0; i < count; i++) {
        const struct renew_request *request = (struct renew_request *)items[i];
        nodes[i] = request->actor.node;
        for (int j = 0; j < request->count; j++) {
            jobs[job_count++] = request->items[j].lease.job;
        }
    }
    struct hold_plan plan = {.nodes = {nodes, count},
                             .mode = LOCK_SHARED,
                             .jobs = {jobs, job_count},
                             .hold = HOLD_LEASES,
                             .with_clock = true};
    if (!hold_batch(batch->db, &plan, arena, &batch->held, err)) {
        return false;
    }
    batch->now_ms = batch->held.now_ms;
    return true;
}

static bool renew_lease(struct batch *batch, const struct node *node, struct renew_item *item,
                        struct err *err) {
    struct held_job *held = held_find(&batch->held.jobs, item->lease.job);
    struct lease *lease = held->has_lease ? &held->lease : NULL;
    item->remaining_ms = 0;
    item->answer = renew_check(lease, node, &item->lease, batch->now_ms);
    if (item->answer == RENEW_GO && !job_is_open(&held->job)) {
        item->answer = RENEW_STOP; /* cancelled */
    }
    if (item->answer != RENEW_GO) {
        return true;
    }
    lease->until_ms = lease_renewed_until(lease, batch->app->settings.lease_ms, batch->now_ms);
    item->remaining_ms = lease->until_ms - batch->now_ms;
    return lease_store_set_until(batch->db, lease->job, lease->until_ms, err);
}

static bool run_one(struct batch *batch, struct renew_request *request, struct err *err) {
    struct node *node = held_node(&batch->held.nodes, request->actor.node);
    if (node == NULL) {
        (void)err_set(&request->item.err, ERR_UNAUTHENTICATED, "bad_credential",
                      "there is no such node");
        return true;
    }
    if (!node_may_act(node, request->session_epoch, &request->item.err)) {
        return true;
    }
    for (int i = 0; i < request->count; i++) {
        if (!renew_lease(batch, node, &request->items[i], err)) {
            return false;
        }
    }
    request->item.ok = true;
    return true;
}

static bool run_renew(struct app *app, struct db *db, struct write_item **items, int count,
                      struct err *err) {
    own(arena) arena = arena_create(BATCH_BYTES_MAX);
    struct batch batch = {.app = app, .db = db};
    if (!hold(&batch, items, count, arena, err)) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        if (!run_one(&batch, (struct renew_request *)items[i], err)) {
            return false;
        }
    }
    return true;
}

static const struct write_kind renew_kind = {
    .name = "renew", .batch_max = BATCH_MAX, .run = run_renew};

void dispatch_renew(struct app *app, struct renew_request *request) {
    struct err err = {0};
    if (request->count < 0 || request->count > RENEW_JOBS_MAX) {
        (void)err_set(&err, ERR_INVALID, "bad_field", "at most %d leases at once", RENEW_JOBS_MAX);
        app_fail(&request->item, &err);
        return;
    }
    request->item.kind = &renew_kind;
    app_write(app, &request->item);
}

/* ---- heartbeats ---- */

/* The nodes of one batch of heartbeats. No locks: a heartbeat must never wait for a claim. */
struct beating {
    struct arena *arena;
    struct node *nodes;
    int count;
    int64_t now_ms;
};

static void take_node(void *context, struct db_stmt *row) {
    struct beating *beating = context;
    beating->nodes[beating->count++] = node_from_row(row);
}

static bool read_nodes(struct db *db, struct write_item **items, int count, struct beating *beating,
                       struct err *err) {
    int64_t *ids = arena_array(beating->arena, (size_t)count, sizeof ids[0]);
    struct rows_value *keys = arena_array(beating->arena, (size_t)count, sizeof keys[0]);
    for (int i = 0; i < count; i++) {
        ids[i] = ((struct heartbeat_request *)items[i])->actor.node.value;
    }
    ids_sort(ids, &count);
    for (int i = 0; i < count; i++) {
        keys[i] = rows_i64(ids[i]);
    }
    beating->nodes = arena_array(beating->arena, (size_t)count, sizeof beating->nodes[0]);
    const struct rows_read read = {.select = &node_select,
                                   .values = keys,
                                   .count = count,
                                   .row = take_node,
                                   .context = beating};
    return db_read(db, &read, 1, &beating->now_ms, err);
}

static const struct node *find_node(const struct beating *beating, struct node_id id) {
    for (int i = 0; i < beating->count; i++) {
        if (beating->nodes[i].id.value == id.value) {
            return &beating->nodes[i];
        }
    }
    return NULL;
}

static bool beat(struct db *db, const struct beating *beating, struct heartbeat_request *request,
                 struct err *err) {
    const struct node *node = find_node(beating, request->actor.node);
    if (node == NULL) {
        (void)err_set(&request->item.err, ERR_UNAUTHENTICATED, "bad_credential",
                      "there is no such node");
        return true;
    }
    if (!node_may_act(node, request->session_epoch, &request->item.err)) {
        return true;
    }
    struct node_beat row = {
        .node = node->id,
        .received_ms = beating->now_ms,
        .session_epoch = request->session_epoch,
        .busy_slots = request->busy_slots,
        .load_permille = request->load_permille,
    };
    request->config = (int)node->config;
    request->slots = node->slots;
    request->check = node->check;
    request->item.ok = true;
    return node_store_put_beat(db, &row, err);
}

static bool run_beat(struct app *app, struct db *db, struct write_item **items, int count,
                     struct err *err) {
    own(arena) arena = arena_create(BATCH_BYTES_MAX);
    struct beating beating = {.arena = arena};
    (void)app;
    if (!read_nodes(db, items, count, &beating, err)) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        if (!beat(db, &beating, (struct heartbeat_request *)items[i], err)) {
            return false;
        }
    }
    return true;
}

static const struct write_kind beat_kind = {.name = "heartbeat", .batch_max = 256, .run = run_beat};

void dispatch_heartbeat(struct app *app, struct heartbeat_request *request) {
    request->item.kind = &beat_kind;
    app_write(app, &request->item);
}
