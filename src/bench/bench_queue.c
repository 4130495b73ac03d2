/* assize bench queue: how fast submissions go through the database. */
#include "base/limits.h"
#include "bench/benches.h"
#include "bench/disk.h"
#include "bench/queue_idle.h"
#include "bench/queue_load.h"
#include "bench/samples.h"
#include "bench/table.h"
#include "data/json_write.h"
#include "store/place_store.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define DISK_MS 500
#define PLAN_BYTES_MAX (4 * KIB)
#define WARM_UP_MS 500
#define NS_DIGITS 6 /* nanoseconds as milliseconds */

static bool run_queue(const struct config *config, enum bench_format format, struct buf *out,
                      struct err *err);

/* clang-format off */
static const struct config_row rows[] = {
    {.name = "queue.driver", .type = CONFIG_TEXT, .fallback = "sqlite", .flag = "driver",
     .choices = "sqlite mysql", .help = "sqlite, or mysql: a MariaDB of its own, durable, with binlog"},
    {.name = "queue.database", .type = CONFIG_TEXT, .fallback = "", .flag = "database",
     .help = "with --driver mysql: mysql://USER@HOST/DATABASE, an empty one, instead"},
    {.name = "queue.clients", .type = CONFIG_INT, .fallback = "64", .flag = "clients",
     .min = 1, .max = 1000, .help = "requests outstanding at a time"},
    {.name = "queue.backlog", .type = CONFIG_INT, .fallback = "0", .flag = "backlog",
     .min = 0, .max = 10000000, .help = "jobs waiting before it begins"},
    {.name = "queue.history", .type = CONFIG_INT, .fallback = "0", .flag = "history",
     .min = 0, .max = 10000000, .help = "jobs finished before it begins"},
    {.name = "queue.cases", .type = CONFIG_INT, .fallback = "20", .flag = "cases",
     .min = 0, .max = QUEUE_CASES_MAX, .help = "cases in each result; 0 is a compile error"},
    {.name = "queue.nodes", .type = CONFIG_INT, .fallback = "0", .flag = "nodes",
     .min = 0, .max = 1000, .help = "judge nodes; 0 is one a client"},
    {.name = "queue.groups", .type = CONFIG_INT, .fallback = "-1", .flag = "host-groups",
     .min = -1, .max = 1000, .help = "host groups they share; -1 is one a node, 0 is none"},
    {.name = "queue.threads", .type = CONFIG_INT, .fallback = "2", .flag = "threads",
     .min = 1, .max = 16, .help = "threads that carry the clients on"},
    {.name = "queue.seconds", .type = CONFIG_INT, .fallback = "5", .flag = "seconds",
     .min = 1, .max = 3600, .help = "how long is measured"},
    {.name = "queue.snapshot", .type = CONFIG_BOOL, .fallback = "no", .flag = "snapshot",
     .help = "another transaction holds its snapshot meanwhile"},
    {.name = "queue.idle", .type = CONFIG_BOOL, .fallback = "no", .flag = "idle",
     .help = "no requests: what the server sends by itself, with waiting nodes and viewers"},
    {.name = "queue.viewers", .type = CONFIG_INT, .fallback = "100", .flag = "viewers",
     .min = 0, .max = SUBMISSION_WAITERS_MAX, .help = "with --idle: who watches a submission"},
    {.name = "queue.folder", .type = CONFIG_TEXT, .fallback = "", .flag = "folder",
     .help = "on whose disk; else TMPDIR or /tmp"},
    {.name = "queue.languages", .type = CONFIG_TEXT, .fallback = "", .flag = "languages-dir",
     .help = "folder of the language specs"},
    {0},
};
/* clang-format on */

const struct bench bench_queue = {"queue",
                                  "submissions through the database: submit, claim, settle",
                                  "assize bench queue [options]", rows, run_queue};

struct queue_report {
    const struct queue_plan *plan;
    const struct config *config;
    struct disk_rate disk;
    int64_t statements; /* while the load ran, or the idle time */
    int64_t trips;
    struct buf plan_text; /* how the database finds a claim's jobs */
    int64_t cpu_us;       /* of this process, while the load ran */
    struct queue_load_result load;
};

static const char *folder_of(const struct config *config) {
    const char *given = config_text(config, "queue.folder");
    const char *temporary = getenv("TMPDIR");
    return given[0] != '\0' ? given : temporary != NULL ? temporary : "/tmp";
}

static struct queue_plan plan_of(const struct config *config) {
    struct queue_plan plan = {
        .folder = folder_of(config),
        .mysql = strcmp(config_text(config, "queue.driver"), "mysql") == 0,
        .database = config_text(config, "queue.database"),
        .languages = config_text(config, "queue.languages"),
        .clients = config_i64(config, "queue.clients"),
        .nodes = config_i64(config, "queue.nodes"),
        .groups = config_i64(config, "queue.groups"),
        .cases = config_i64(config, "queue.cases"),
        .backlog = config_i64(config, "queue.backlog"),
        .history = config_i64(config, "queue.history"),
    };
    plan.nodes = plan.nodes == 0 ? plan.clients : plan.nodes;
    plan.groups = plan.groups < 0 ? plan.nodes : plan.groups;
    return plan;
}

/* ---- the report ---- */

static void put_ms(struct jw *json, const char *name, struct samples *samples) {
    jw_key(json, name);
    jw_object_begin(json);
    jw_put_decimal(json, "p50", samples_median(samples), NS_DIGITS);
    jw_put_decimal(json, "p99", samples_p99(samples), NS_DIGITS);
    jw_put_decimal(json, "max", samples_greatest(samples), NS_DIGITS);
    jw_object_end(json);
}

static int64_t per_second(const struct queue_load_result *load, int64_t count) {
    return count * 1000000000 / load->measured_ns;
}

static bool write_json(struct queue_report *report, struct buf *out, struct err *err) {
    struct jw json;
    jw_init(&json, out);
    jw_object_begin(&json);
    jw_put_cstr(&json, "driver", config_text(report->config, "queue.driver"));
    jw_put_i64(&json, "clients", report->plan->clients);
    jw_put_i64(&json, "backlog", report->plan->backlog);
    jw_put_i64(&json, "history", report->plan->history);
    jw_put_i64(&json, "cases", report->plan->cases);
    jw_put_i64(&json, "nodes", report->plan->nodes);
    jw_put_i64(&json, "hostGroups", report->plan->groups);
    jw_put_i64(&json, "lifecyclesPerSecond", per_second(&report->load, report->load.lifecycles));
    jw_put_i64(&json, "cpuMicrosPerLifecycle",
               report->load.settled > 0 ? report->cpu_us / report->load.settled : 0);
    int64_t settled = report->load.settled > 0 ? report->load.settled : 1;
    jw_put_decimal(&json, "statementsPerLifecycle", report->statements * 100 / settled, 2);
    jw_put_decimal(&json, "tripsPerLifecycle", report->trips * 100 / settled, 2);
    jw_put_bool(&json, "snapshotHeld", config_bool(report->config, "queue.snapshot"));
    put_ms(&json, "submitMs", &report->load.stage_ns[QUEUE_SUBMIT]);
    put_ms(&json, "claimMs", &report->load.stage_ns[QUEUE_CLAIM]);
    put_ms(&json, "settleMs", &report->load.stage_ns[QUEUE_SETTLE]);
    jw_put_i64(&json, "emptyClaims", report->load.empty_claims);
    jw_key(&json, "durableWritesPerSecond");
    jw_object_begin(&json);
    jw_put_i64(&json, "overwrite", report->disk.overwrites);
    jw_put_i64(&json, "append", report->disk.appends);
    jw_object_end(&json);
    jw_put_str(&json, "claimPlan", buf_str(&report->plan_text));
    jw_object_end(&json);
    return jw_finish(&json, "the report", err) && buf_append_char(out, '\n');
}

static bool write_report(struct queue_report *report, enum bench_format format, struct buf *out,
                         struct err *err) {
    if (format == BENCH_JSON) {
        return write_json(report, out, err);
    }
    static const char *const names[QUEUE_STAGES] = {"submit", "claim", "settle"};
    own_table table;
    table_init(&table, "step|p50 ms|p99 ms|max ms");
    for (int i = 0; i < QUEUE_STAGES; i++) {
        struct samples *samples = &report->load.stage_ns[i];
        table_cell(&table, "%s", names[i]);
        table_number(&table, samples_median(samples), NS_DIGITS, 2);
        table_number(&table, samples_p99(samples), NS_DIGITS, 2);
        table_number(&table, samples_greatest(samples), NS_DIGITS, 2);
    }
    buf_printf(out, "%lld lifecycles a second, %lld microseconds of this process each\n\n",
               (long long)per_second(&report->load, report->load.lifecycles),
               (long long)(report->load.settled > 0 ? report->cpu_us / report->load.settled : 0));
    table_print(&table, format, out);
    buf_printf(out,
               "\n%lld nodes in %lld host groups; the disk makes %lld durable overwrites and %lld "
               "appends a second\n\nHow the database finds a claim's jobs:\n" STR_FMT,
               (long long)report->plan->nodes, (long long)report->plan->groups,
               (long long)report->disk.overwrites, (long long)report->disk.appends,
               STR_ARG(buf_str(&report->plan_text)));
    return buf_ok(out, "the report", err);
}

/* ---- measuring ---- */

static int64_t cpu_us(void) {
    struct rusage usage;
    (void)getrusage(RUSAGE_SELF, &usage);
    return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 + usage.ru_utime.tv_usec +
           usage.ru_stime.tv_usec;
}

/* A reader that looked once and is still in its transaction: what a backup or a forgotten session
 * does to a database. */
static bool hold_snapshot(struct queue_world *world, struct db **ret_db, struct err *err) {
    own(db) db = NULL;
    own(db_stmt) stmt = NULL;
    bool found = false;
    if (!queue_world_connect(world, true, &db, err) || !db_begin(db, err) ||
        !db_prepare(db, "SELECT count(*) FROM job_lease", &stmt, err) ||
        !db_find(stmt, &found, err)) {
        return false;
    }
    db_stmt_release(take(stmt));
    *ret_db = take(db);
    return true;
}

static bool explain(struct queue_world *world, struct queue_report *report, struct err *err) {
    own(db) db = NULL;
    return queue_world_connect(world, false, &db, err) && db_begin(db, err) &&
           place_explain_claim(db, (struct queue_id){1}, &report->plan_text, err);
}

static bool run_load(struct queue_world *world, struct queue_report *report, struct err *err) {
    struct queue_load_plan load = {
        .world = world,
        .clients = report->plan->clients,
        .threads = config_i64(report->config, "queue.threads"),
        .warm_up_ms = WARM_UP_MS,
        .run_ms = config_i64(report->config, "queue.seconds") * 1000,
    };
    int64_t before_us = cpu_us();
    int64_t statements = atomic_load(&world->meter.statements);
    int64_t trips = atomic_load(&world->meter.trips);
    if (!queue_load_run(&load, &report->load, err)) {
        return false;
    }
    report->cpu_us = cpu_us() - before_us;
    report->statements = atomic_load(&world->meter.statements) - statements;
    report->trips = atomic_load(&world->meter.trips) - trips;
    return true;
}

static bool measure(struct queue_world *world, struct queue_report *report, struct err *err) {
    own(db) reader = NULL;
    if (config_bool(report->config, "queue.snapshot") && !hold_snapshot(world, &reader, err)) {
        return false;
    }
    return disk_rate_measure(world->folder, DISK_MS, &report->disk, err) &&
           run_load(world, report, err) && explain(world, report, err);
}

static bool measure_idle(struct queue_world *world, const struct config *config, struct buf *out,
                         struct err *err) {
    int64_t seconds = config_i64(config, "queue.seconds");
    int64_t viewers = config_i64(config, "queue.viewers");
    int64_t statements = 0;
    struct jw json;
    if (!queue_idle_run(world, viewers, seconds * 1000, &statements, err)) {
        return false;
    }
    jw_init(&json, out);
    jw_object_begin(&json);
    jw_put_cstr(&json, "driver", config_text(config, "queue.driver"));
    jw_put_i64(&json, "nodes", world->plan->nodes);
    jw_put_i64(&json, "viewers", viewers);
    jw_put_decimal(&json, "idleStatementsPerSecond", statements * 100 / seconds, 2);
    jw_object_end(&json);
    return jw_finish(&json, "the report", err) && buf_append_char(out, '\n');
}

static bool measure_load(struct queue_world *world, struct queue_report *report,
                         enum bench_format format, struct buf *out, struct err *err) {
    buf_init(&report->plan_text, PLAN_BYTES_MAX);
    bool ok = measure(world, report, err) && write_report(report, format, out, err);
    buf_done(&report->plan_text);
    queue_load_result_done(&report->load);
    return ok;
}

static bool run_queue(const struct config *config, enum bench_format format, struct buf *out,
                      struct err *err) {
    struct queue_plan plan = plan_of(config);
    struct queue_report report = {.plan = &plan, .config = config};
    struct queue_world world;
    bool ok = queue_world_make(&world, &plan, err) &&
              (config_bool(config, "queue.idle") ? measure_idle(&world, config, out, err)
                                                 : measure_load(&world, &report, format, out, err));
    queue_world_done(&world);
    return ok;
}
