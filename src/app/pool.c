/* Pools and queues: looking, taking out of service, naming what new jobs run on. */
#include "app/pool.h"
#include "app/app_internal.h"
#include "app/queues_internal.h"
#include "app/runners_internal.h"
#include "app/summary_internal.h"
#include "app/writer.h"
#include "base/check.h"
#include "base/limits.h"
#include "domain/node.h"
#include "store/audit_store.h"
#include "store/node_store.h"
#include "store/place_store.h"
#include "store/queue_store.h"

#include <stdio.h>

#define WAITING_MAX 100000

/* ---- looking ---- */

struct looking {
    struct app *app;
    struct db *db;
    struct arena *arena;
    struct queue_row *rows;
    int row_count;
    struct node_row *nodes;
    int node_count;
    int64_t now_ms;
};

static bool look(struct looking *looking, struct err *err) {
    looking->rows = arena_array(looking->arena, QUEUES_MAX, sizeof looking->rows[0]);
    return queue_store_list(looking->db, looking->rows, &looking->row_count, err) &&
           node_store_list(looking->db, looking->arena, &looking->nodes, &looking->node_count,
                           err) &&
           db_now(looking->db, &looking->now_ms, err);
}

static bool fill_queue(const struct looking *looking, const struct queue_row *row,
                       struct queue_view *queue, struct err *err) {
    *queue = (struct queue_view){.id = row->id,
                                 .runtime_spec = str_from(row->runtime_spec),
                                 .current = row->current,
                                 .held = row->held,
                                 .revision = row->revision};
    for (int i = 0; i < looking->node_count; i++) {
        const struct node_row *node = &looking->nodes[i];
        if (node->node.queue.value != row->id.value) {
            continue;
        }
        bool serves = node_no_work_reason(&node->node, looking->now_ms,
                                          looking->app->settings.offline_ms) == NULL;
        queue->nodes += serves ? 1 : 0;
        queue->slots += serves ? node->node.slots : 0;
        queue->busy_slots += node->busy;
    }
    return place_depth(looking->db, row->id, WAITING_MAX, &queue->waiting, err);
}

static struct pool_view *pool_of(struct pool_view *pools, int *count, const struct queue_row *row) {
    struct pool_view *pool = NULL;
    for (int i = 0; i < *count && pool == NULL; i++) {
        pool = str_eq_c(pools[i].name, row->pool) ? &pools[i] : NULL;
    }
    if (pool == NULL) {
        pool = &pools[(*count)++];
        pool->name = str_from(row->pool);
    }
    pool->held = row->pool_held;
    pool->revision = row->pool_revision;
    if (row->current) {
        pool->runtime_spec = str_from(row->runtime_spec);
    }
    return pool;
}

static bool read_pools(struct looking *looking, struct pool_view **ret_pools, int *ret_count,
                       struct err *err) {
    struct pool_view *pools = arena_array(looking->arena, QUEUES_MAX, sizeof pools[0]);
    int count = 0;
    if (!look(looking, err)) {
        return false;
    }
    for (int i = 0; i < looking->row_count; i++) {
        struct pool_view *pool = pool_of(pools, &count, &looking->rows[i]);
        if (pool->queues == NULL) {
            pool->queues = arena_array(looking->arena, QUEUES_MAX, sizeof pool->queues[0]);
        }
        if (!fill_queue(looking, &looking->rows[i], &pool->queues[pool->queue_count++], err)) {
            return false;
        }
    }
    *ret_pools = pools;
    *ret_count = count;
    return true;
}

bool pool_list(struct app *app, const struct actor *actor, struct arena *arena,
               struct pool_view **ret_pools, int *ret_count, struct err *err) {
    own(db_reader) reader = NULL;
    if (!actor_need_role(actor, ROLE_ADMIN, err) || !db_pool_take(app->readers, &reader, err)) {
        return false;
    }
    struct looking looking = {.app = app, .db = reader->db, .arena = arena};
    return read_pools(&looking, ret_pools, ret_count, err);
}

/* ---- changing ---- */

struct change {
    struct write_item item;
    const struct actor *actor;
    const struct pool_update_request *pool; /* one of the two */
    const struct queue_update_request *queue;
    struct arena *arena;
    int64_t audit;
    /* out */
    struct str pool_name;
};

static const struct queue_row *find_row(const struct looking *looking, struct str pool,
                                        struct queue_id queue) {
    for (int i = 0; i < looking->row_count; i++) {
        const struct queue_row *row = &looking->rows[i];
        bool wanted = queue.value != 0 ? row->id.value == queue.value
                                       : row->current && str_eq_c(pool, row->pool);
        if (wanted) {
            return row;
        }
    }
    return NULL;
}

static bool stale(struct err *err, int64_t revision, int64_t shown) {
    return err_set(err, ERR_STALE, "stale_revision", "it is at revision %lld, not %lld",
                   (long long)revision, (long long)shown);
}

static bool change_pool(struct app *app, struct db *db, struct change *change,
                        const struct looking *looking, struct audit_row *audit, struct err *err) {
    const struct pool_update_request *request = change->pool;
    const struct queue_row *row = find_row(looking, request->name, (struct queue_id){0});
    struct queue_id ignored = {0};
    bool changed = false;
    if (row == NULL) {
        return err_set(err, ERR_MISSING, "no_pool", "there is no pool " STR_FMT,
                       STR_ARG(str_utf8_prefix(request->name, POOL_BYTES_MAX)));
    }
    struct pool_change write = {.name = str_from(row->pool),
                                .revision = request->revision,
                                .held = request->held != NULL ? *request->held : row->pool_held,
                                .runtime_spec = request->runtime_spec != NULL
                                                    ? *request->runtime_spec
                                                    : str_from(row->runtime_spec)};
    change->pool_name = write.name;
    audit->action = "pool.update";
    audit->object_kind = "pool";
    audit->detail = str_from(arena_printf(change->arena, STR_FMT ": %s, new jobs on " STR_FMT,
                                          STR_ARG(write.name), write.held ? "held" : "in service",
                                          STR_ARG(write.runtime_spec)));
    return queues_ensure(app, db, write.name, write.runtime_spec, &ignored, err) &&
           pool_store_update(db, &write, &changed, err) &&
           (changed || stale(err, row->pool_revision, request->revision));
}

static bool change_queue(struct db *db, struct change *change, const struct looking *looking,
                         struct audit_row *audit, struct err *err) {
    const struct queue_update_request *request = change->queue;
    const struct queue_row *row = find_row(looking, (struct str){0}, request->id);
    bool changed = false;
    if (row == NULL) {
        return err_set(err, ERR_MISSING, "no_queue", "there is no queue %lld",
                       (long long)request->id.value);
    }
    change->pool_name = str_from(row->pool);
    audit->action = "queue.update";
    audit->object_kind = "queue";
    audit->object_id = request->id.value;
    audit->detail = str_from(request->held ? "held" : "in service");
    return queue_store_hold(db, request->id, request->revision, request->held, &changed, err) &&
           (changed || stale(err, row->revision, request->revision));
}

static bool run(struct app *app, struct db *db, struct write_item **items, int count,
                struct err *err) {
    (void)count; /* one: batch_max */
    struct change *change = (struct change *)items[0];
    struct looking looking = {.app = app, .db = db, .arena = change->arena};
    if (!look(&looking, err)) {
        return false;
    }
    change->audit = runner_take_id(app, ID_AUDIT);
    struct audit_row audit = {.id = change->audit, .at_ms = looking.now_ms, .actor = change->actor};
    bool ok = change->pool != NULL ? change_pool(app, db, change, &looking, &audit, err)
                                   : change_queue(db, change, &looking, &audit, err);
    change->item.ok = ok;
    return ok && audit_store_add(db, &audit, err);
}

static bool read_back(struct app *app, struct db *db, struct write_item *item, struct err *err) {
    bool found = false;
    (void)app;
    return audit_store_has(db, ((struct change *)item)->audit, &found, err) && found;
}

/* What waited for the queue to be in service again is offered at once. */
static void committed(struct app *app, struct write_item **items, int count) {
    const struct queue_info *queues[QUEUES_MAX];
    struct err ignored = {0}; /* the maintenance reads the queues again */
    (void)items;
    (void)count;
    (void)!queues_reload(app, app->db, &ignored);
    summary_forget(app);
    int queue_count = queues_all(app, queues);
    for (int i = 0; i < queue_count; i++) {
        wake_tell(app->wake, WAKE_ROOM, queues[i]->id.value, 1);
    }
}

static const struct write_kind change_kind = {.name = "pool.update",
                                              .batch_max = 1,
                                              .run = run,
                                              .read_back = read_back,
                                              .committed = committed};

static bool change_and_show(struct app *app, struct change *change, struct pool_view *ret_pool,
                            struct err *err) {
    struct pool_view *pools = NULL;
    int count = 0;
    change->item.kind = &change_kind;
    if (!actor_need_role(change->actor, ROLE_ADMIN, err) ||
        !app_write_wait(app, &change->item, err) ||
        !pool_list(app, change->actor, change->arena, &pools, &count, err)) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        if (str_eq(pools[i].name, change->pool_name)) {
            *ret_pool = pools[i];
        }
    }
    return true;
}

bool pool_update(struct app *app, const struct actor *actor,
                 const struct pool_update_request *request, struct arena *arena,
                 struct pool_view *ret_pool, struct err *err) {
    struct change change = {.actor = actor, .pool = request, .arena = arena};
    if (request->runtime_spec != NULL &&
        !node_is_name(*request->runtime_spec, RUNTIME_SPEC_BYTES_MAX)) {
        return err_set(err, ERR_INVALID, "bad_field", "field `runtimeSpec` must have 1 to %d bytes",
                       RUNTIME_SPEC_BYTES_MAX);
    }
    return change_and_show(app, &change, ret_pool, err);
}

bool queue_update(struct app *app, const struct actor *actor,
                  const struct queue_update_request *request, struct arena *arena,
                  struct pool_view *ret_pool, struct err *err) {
    struct change change = {.actor = actor, .queue = request, .arena = arena};
    return change_and_show(app, &change, ret_pool, err);
}
