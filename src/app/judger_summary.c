#include "app/node_text.h"
#include "app/parts_internal.h"
#include "app/queues_internal.h"
#include "app/summary_internal.h"
#include "base/check.h"
#include "base/limits.h"
#include "base/thread.h"
#include "store/node_store.h"
#include "store/place_store.h"
#include "store/queue_store.h"
#include "store/stats_store.h"

#include <stdlib.h>

#define FRESH_MS 1000
#define ARENA_BYTES_MAX (64 * MIB) /* NODES_MAX rows, each with its languages */
#define WAITING_MAX 100000
#define OLDEST_MAX 1000
#define STATS_COST_FACTOR 100 /* counting takes at most one hundredth of the time */
#define STATS_FRESH_MS_MAX 60000

struct queue_summary {
    const struct queue_info *queue;
    struct waiting_nodes nodes; /* without other_spec */
    int64_t waiting;
    int64_t oldest_ms; /* when the oldest of the next was handed in; 0: none waits */
};

struct summary {
    struct node_row *nodes;
    int node_count;
    struct queue_summary queues[QUEUES_MAX];
    int queue_count;
    int64_t now_ms;
};

struct summary_cache {
    struct mutex mutex; /* also while reading: whoever comes meanwhile wants the same */
    struct arena *arena;
    struct summary *summary; /* in arena; NULL: to be read */
    int64_t read_mono_ms;
    struct system_stats stats;
    bool has_stats;
    int64_t stats_until_mono_ms;
};

/* ---- reading ---- */

static const char *reason_of(const struct app *app, const struct node_row *row, int64_t now_ms) {
    return node_no_work_reason(&row->node, now_ms, app->settings.offline_ms);
}

static void count_node(const struct app *app, const struct node_row *row, int64_t now_ms,
                       struct waiting_nodes *nodes) {
    if (reason_of(app, row, now_ms) == NULL) {
        nodes->ready++;
        nodes->slots += row->node.slots;
    } else if (row->node.config == NODE_DRAINING) {
        nodes->draining++;
    } else if (row->node.config == NODE_ENABLED) {
        nodes->silent++;
    }
}

/* From the database: another server may have taken one out of service. */
static bool read_held(struct db *db, struct summary *summary, struct err *err) {
    struct queue_row *rows = calloc(QUEUES_MAX, sizeof rows[0]);
    CHECK(rows != NULL);
    int count = 0;
    bool read = queue_store_list(db, rows, &count, err);
    for (int q = 0; q < summary->queue_count; q++) {
        for (int i = 0; i < count; i++) {
            summary->queues[q].nodes.queue_held |=
                rows[i].id.value == summary->queues[q].queue->id.value &&
                (rows[i].held || rows[i].pool_held);
        }
    }
    free(rows);
    return read;
}

static bool read_queues(struct app *app, struct db *db, struct summary *summary, struct err *err) {
    const struct queue_info *queues[QUEUES_MAX];
    summary->queue_count = queues_all(app, queues);
    for (int q = 0; q < summary->queue_count; q++) {
        struct queue_summary *queue = &summary->queues[q];
        queue->queue = queues[q];
        if (!place_depth(db, queues[q]->id, WAITING_MAX, &queue->waiting, err) ||
            (queue->waiting > 0 &&
             !place_oldest(db, queues[q]->id, OLDEST_MAX, &queue->oldest_ms, err))) {
            return false;
        }
        for (int n = 0; n < summary->node_count; n++) {
            if (summary->nodes[n].node.queue.value == queues[q]->id.value) {
                count_node(app, &summary->nodes[n], summary->now_ms, &queue->nodes);
            }
        }
    }
    return read_held(db, summary, err);
}

static bool read_summary(struct app *app, struct summary_cache *cache, struct db *db,
                         struct err *err) {
    own(arena) arena = arena_create(ARENA_BYTES_MAX);
    struct summary *summary = arena_new(arena, struct summary);
    if (!node_store_list(db, arena, &summary->nodes, &summary->node_count, err) ||
        !db_now(db, &summary->now_ms, err) || !read_queues(app, db, summary, err)) {
        return false;
    }
    arena_free(cache->arena);
    cache->arena = take(arena);
    cache->summary = summary;
    cache->read_mono_ms = clock_mono_ms(app->clock);
    return true;
}

/* Locks the cache; the caller unlocks it, also after a failure. */
static bool lock_summary(struct app *app, struct db *db, const struct summary **ret_summary,
                         struct err *err) {
    struct summary_cache *cache = app->summaries;
    mutex_lock(&cache->mutex);
    bool fresh =
        cache->summary != NULL && clock_mono_ms(app->clock) - cache->read_mono_ms < FRESH_MS;
    if (!fresh && !read_summary(app, cache, db, err)) {
        return false;
    }
    *ret_summary = cache->summary;
    return true;
}

void summary_forget(struct app *app) {
    mutex_lock(&app->summaries->mutex);
    app->summaries->summary = NULL;
    mutex_unlock(&app->summaries->mutex);
}

/* ---- asking ---- */

static struct waiting_nodes nodes_for(const struct summary *summary, struct queue_id queue) {
    struct waiting_nodes nodes = {0};
    struct str pool = {0};
    for (int q = 0; q < summary->queue_count; q++) {
        if (summary->queues[q].queue->id.value == queue.value) {
            nodes = summary->queues[q].nodes;
            pool = summary->queues[q].queue->pool;
        }
    }
    for (int q = 0; q < summary->queue_count; q++) {
        const struct queue_summary *other = &summary->queues[q];
        if (other->queue->id.value != queue.value && str_eq(other->queue->pool, pool)) {
            nodes.other_spec += other->nodes.ready + other->nodes.silent;
        }
    }
    return nodes;
}

bool summary_nodes(struct app *app, struct db *db, struct queue_id queue,
                   struct waiting_nodes *ret_nodes, struct err *err) {
    const struct summary *summary = NULL;
    bool read = lock_summary(app, db, &summary, err);
    if (read) {
        *ret_nodes = nodes_for(summary, queue);
    }
    mutex_unlock(&app->summaries->mutex);
    return read;
}

static struct pool_summary *pool_of(struct pool_summary *pools, int *count, struct str name,
                                    struct arena *arena) {
    for (int i = 0; i < *count; i++) {
        if (str_eq(pools[i].pool, name)) {
            return &pools[i];
        }
    }
    pools[*count].pool = arena_str(arena, name);
    return &pools[(*count)++];
}

static int sum_pools(struct app *app, const struct summary *summary, struct arena *arena,
                     struct pool_summary *pools) {
    int count = 0;
    for (int q = 0; q < summary->queue_count; q++) {
        struct pool_summary *pool = pool_of(pools, &count, summary->queues[q].queue->pool, arena);
        pool->waiting += summary->queues[q].waiting;
        int64_t oldest_ms = summary->queues[q].oldest_ms;
        int64_t waited_ms = oldest_ms > 0 ? summary->now_ms - oldest_ms : 0;
        pool->oldest_wait_ms = waited_ms > pool->oldest_wait_ms ? waited_ms : pool->oldest_wait_ms;
        pool->ready = pool->ready || summary->queues[q].nodes.ready > 0;
    }
    for (int n = 0; n < summary->node_count; n++) {
        const struct node_row *row = &summary->nodes[n];
        struct pool_summary *pool = pool_of(pools, &count, row->pool, arena);
        bool serves = reason_of(app, row, summary->now_ms) == NULL;
        pool->nodes += serves ? 1 : 0;
        pool->slots += serves ? row->node.slots : 0;
        pool->busy_slots += row->busy;
    }
    return count;
}

bool judger_summary(struct app *app, struct arena *arena, struct pool_summary **ret_pools,
                    int *ret_count, int64_t *ret_as_of_ms, struct err *err) {
    own(db_reader) reader = NULL;
    const struct summary *summary = NULL;
    if (!db_pool_take(app->readers, &reader, err)) {
        return false;
    }
    bool read = lock_summary(app, reader->db, &summary, err);
    if (read) {
        size_t most = (size_t)summary->queue_count + (size_t)summary->node_count + 1;
        *ret_pools = arena_array(arena, most, sizeof **ret_pools);
        *ret_count = sum_pools(app, summary, arena, *ret_pools);
        *ret_as_of_ms = summary->now_ms;
    }
    mutex_unlock(&app->summaries->mutex);
    return read;
}

static bool has_language(const struct node_row *row, struct str language) {
    struct str rest = row->languages;
    struct str line = {0};
    while (str_next_line(&rest, &line)) {
        struct str id = {0};
        struct str version = {0};
        if (str_cut(line, '\t', &id, &version) && str_eq(id, language)) {
            return true;
        }
    }
    return false;
}

bool judger_language_available(struct app *app, struct str language) {
    own(db_reader) reader = NULL;
    const struct summary *summary = NULL;
    struct err ignored = {0};
    bool available = false;
    if (!db_pool_take(app->readers, &reader, &ignored)) {
        return false;
    }
    if (lock_summary(app, reader->db, &summary, &ignored)) {
        for (int n = 0; n < summary->node_count && !available; n++) {
            available = reason_of(app, &summary->nodes[n], summary->now_ms) == NULL &&
                        has_language(&summary->nodes[n], language);
        }
    }
    mutex_unlock(&app->summaries->mutex);
    return available;
}

/* ---- statistics ---- */

static bool count_submissions(struct db *db, struct system_stats *stats, struct err *err) {
    if (!stats_store_verdicts(db, stats->by_verdict, err)) {
        return false;
    }
    stats->submissions = 0;
    for (int i = 0; i < VERDICT_COUNT; i++) {
        stats->submissions += stats->by_verdict[i];
    }
    return true;
}

/* The more there is to count, the longer the answer is kept. */
static bool refresh_stats(struct app *app, struct db *db, struct err *err) {
    struct summary_cache *cache = app->summaries;
    int64_t begin_ms = clock_mono_ms(app->clock);
    if (cache->has_stats && begin_ms < cache->stats_until_mono_ms) {
        return true;
    }
    if (!count_submissions(db, &cache->stats, err)) {
        return false;
    }
    int64_t end_ms = clock_mono_ms(app->clock);
    int64_t keep_ms = (end_ms - begin_ms) * STATS_COST_FACTOR;
    cache->stats_until_mono_ms =
        end_ms + (keep_ms < STATS_FRESH_MS_MAX ? keep_ms : STATS_FRESH_MS_MAX);
    cache->has_stats = true;
    return true;
}

bool system_stats_get(struct app *app, struct system_stats *ret_stats, struct err *err) {
    own(db_reader) reader = NULL;
    const struct summary *summary = NULL;
    if (!db_pool_take(app->readers, &reader, err)) {
        return false;
    }
    bool read = lock_summary(app, reader->db, &summary, err) && refresh_stats(app, reader->db, err);
    if (read) {
        *ret_stats = app->summaries->stats;
        ret_stats->busy_rejects = atomic_load(&app->busy_rejects);
        for (int n = 0; n < summary->node_count; n++) {
            const struct node_row *row = &summary->nodes[n];
            bool serves = reason_of(app, row, summary->now_ms) == NULL;
            ret_stats->active_workers += row->busy;
            ret_stats->max_workers += serves ? row->node.slots : 0;
        }
    }
    mutex_unlock(&app->summaries->mutex);
    return read;
}

bool system_ping(struct app *app, struct err *err) {
    own(db_reader) reader = NULL;
    own(db_stmt) stmt = NULL;
    bool found = false;
    return db_pool_take(app->readers, &reader, err) &&
           db_prepare(reader->db, "SELECT 1 FROM schema_migration LIMIT 1", &stmt, err) &&
           db_find(stmt, &found, err);
}

/* ---- the part ---- */

bool summary_part_open(struct app *app, struct err *err) {
    (void)err;
    app->summaries = calloc(1, sizeof *app->summaries);
    CHECK(app->summaries != NULL);
    mutex_init(&app->summaries->mutex);
    return true;
}

void summary_part_close(struct app *app) {
    if (app->summaries != NULL) {
        arena_free(app->summaries->arena);
        mutex_done(&app->summaries->mutex);
        free(app->summaries);
    }
}
