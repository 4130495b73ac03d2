/* What anybody may know about the state of this server, and probes for load balancers. */
#include "app/judger.h"
#include "domain/verdict.h"
#include "server/server_internal.h"

static route_fn judger_summary_route, system_health, system_stats_route, alive, ready;

/* clang-format off */
const struct route routes_system[] = {
    {HTTP_GET, "/api/v1/system/judgers/summary", ACCESS_NONE, 0, RATE_READ, ROUTE_BLOCKING,
     judger_summary_route, "judgerSummary"},
    {HTTP_GET, "/api/system/health", ACCESS_NONE, 0, RATE_READ, ROUTE_BLOCKING,
     system_health, "systemHealth"},
    {HTTP_GET, "/api/system/stats", ACCESS_NONE, 0, RATE_READ, ROUTE_BLOCKING,
     system_stats_route, "systemStats"},
    {HTTP_GET, "/healthz", ACCESS_NONE, 0, RATE_READ, ROUTE_INTERNAL,
     alive, "alive"},
    {HTTP_GET, "/readyz", ACCESS_NONE, 0, RATE_READ, ROUTE_INTERNAL | ROUTE_BLOCKING,
     ready, "ready"},
    {0},
};
/* clang-format on */

#define STALE_MS 5000

struct totals {
    int ready;
    int64_t slots;
    int64_t busy;
    int64_t waiting;
};

static struct totals sum_up(const struct pool_summary *pools, int count) {
    struct totals totals = {0};
    for (int i = 0; i < count; i++) {
        totals.ready += pools[i].ready;
        totals.slots += pools[i].slots;
        totals.busy += pools[i].busy_slots;
        totals.waiting += pools[i].waiting;
    }
    return totals;
}

static void put_pool(struct jw *json, const struct pool_summary *pool) {
    jw_object_begin(json);
    jw_put_str(json, "pool", pool->pool);
    jw_put_bool(json, "ready", pool->ready);
    jw_put_i64(json, "nodes", pool->nodes);
    jw_put_i64(json, "slots", pool->slots);
    jw_put_i64(json, "busySlots", pool->busy_slots);
    jw_put_i64(json, "waiting", pool->waiting);
    jw_put_i64(json, "oldestWaitMs", pool->oldest_wait_ms);
    jw_object_end(json);
}

static void judger_summary_route(struct call *call) {
    struct pool_summary *pools = NULL;
    int count = 0;
    int64_t as_of_ms = 0;
    struct err err = {0};
    if (!judger_summary(call->app, call->arena, &pools, &count, &as_of_ms, &err)) {
        call_fail(call, &err);
        return;
    }
    bool stale = clock_utc_ms(app_clock(call->app)) - as_of_ms > STALE_MS;
    struct jw json;
    call_reply_begin(call, &json);
    jw_object_begin(&json);
    jw_put_time(&json, "asOf", as_of_ms);
    jw_put_cstr(&json, "freshness", stale ? "STALE" : "LIVE");
    jw_put_i64(&json, "readyPools", sum_up(pools, count).ready);
    jw_put_i64(&json, "totalPools", count);
    jw_key(&json, "pools");
    jw_array_begin(&json);
    for (int i = 0; i < count; i++) {
        put_pool(&json, &pools[i]);
    }
    jw_array_end(&json);
    jw_object_end(&json);
    call_reply_end(call, &json, 200);
}

/* Nothing waits for Redis, so that it says nothing about the status. */
static const char *redis_word(const struct app *app) {
    struct redis_wake_state state = {0};
    if (!app_redis_state(app, &state)) {
        return "none";
    }
    return state.connected ? "ok" : "down";
}

static void system_health(struct call *call) {
    struct pool_summary *pools = NULL;
    int count = 0;
    int64_t as_of_ms = 0;
    struct err err = {0};
    bool database = system_ping(call->app, &err);
    if (!database || !judger_summary(call->app, call->arena, &pools, &count, &as_of_ms, &err)) {
        count = 0;
    }
    struct totals totals = sum_up(pools, count);
    struct jw json;
    call_reply_begin(call, &json);
    jw_object_begin(&json);
    jw_put_cstr(&json, "status", !database ? "down" : totals.ready > 0 ? "ok" : "degraded");
    jw_put_cstr(&json, "queue",
                !database          ? "down"
                : totals.ready > 0 ? "ok"
                                   : "no judge node is ready");
    jw_put_cstr(&json, "repository", database ? "ok" : "down");
    jw_put_cstr(&json, "redis", redis_word(call->app));
    jw_put_cstr(&json, "sandbox", totals.ready > 0 ? "box" : "none");
    jw_put_cstr(&json, "judger_mode", "pool");
    jw_put_i64(&json, "worker_concurrency", totals.slots);
    jw_put_time(&json, "timestamp", clock_utc_ms(app_clock(call->app)));
    jw_put_cstr(&json, "version", ASSIZE_VERSION);
    jw_object_end(&json);
    if (!database) {
        call_retry_after(call, 0);
    }
    call_reply_end(call, &json, database ? 200 : 503);
}

static void system_stats_route(struct call *call) {
    struct system_stats stats = {0};
    struct err err = {0};
    if (!system_stats_get(call->app, &stats, &err)) {
        call_fail(call, &err);
        return;
    }
    struct jw json;
    call_reply_begin(call, &json);
    jw_object_begin(&json);
    jw_put_i64(&json, "total_submissions", stats.submissions);
    jw_put_i64(&json, "active_workers", stats.active_workers);
    jw_put_i64(&json, "max_workers", stats.max_workers);
    jw_put_i64(&json, "busy_rejects", stats.busy_rejects);
    jw_key(&json, "status_counts");
    jw_object_begin(&json);
    for (int verdict = VERDICT_NONE + 1; verdict < VERDICT_COUNT; verdict++) {
        jw_put_i64(&json, verdict_stats_key((enum verdict)verdict), stats.by_verdict[verdict]);
    }
    jw_object_end(&json);
    jw_object_end(&json);
    call_reply_end(call, &json, 200);
}

static void alive(struct call *call) {
    http_send(call->http, 200, "text/plain; charset=utf-8", STR("alive\n"));
}

static void ready(struct call *call) {
    struct err err = {0};
    if (system_ping(call->app, &err)) {
        http_send(call->http, 200, "text/plain; charset=utf-8", STR("ready\n"));
    } else {
        call_retry_after(call, 0);
        http_send(call->http, 503, "text/plain; charset=utf-8", STR("database\n"));
    }
}
