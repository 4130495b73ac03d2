/* One history: a storm of `acts`, then calm until everything that was accepted has its verdict. */
#include "world.h"
#include "base/check.h"
#include "base/file.h"
#include "base/log.h"
#include "domain/manifest.h"
#include "store/invariant_store.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define START_MS INT64_C(1700000000000)
#define STEPS_MAX 2000000
#define CALM_MS (10 * 60 * 1000)
/* An outage that every server must notice, whatever its settings: app/clock_guard.c. */
#define OUTAGE_LEASES_MIN 1
#define OUTAGE_MS_MIN 6000
#define SERVERS_LOOK_MS 60000

const char *const trouble_names[TROUBLE_COUNT] = {
    "lost",  "late",  "doubled", "cut",      "outage", "database", "slow", "server", "node",
    "pause", "clock", "judge",   "takeover", "jobs",   "rejudge",  "keep", "admin",
};

static struct world *the_world; /* for what is called without one */
static char last_failure[512];

/* ---- dice, words ---- */

int64_t roll(struct world *world, int64_t limit) {
    return random_below(&world->dice.random, limit);
}

bool strikes(struct world *world, enum trouble trouble, int64_t n) {
    return world->stormy && roll(world, n) == 0 && !world->options.without[trouble];
}

void trace(struct world *world, const char *format, ...) {
    if (!world->options.trace) {
        return;
    }
    char text[400];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    (void)printf("%10.3f  %s\n", (double)(sched_now_ms() - START_MS) / 1000, text);
}

void world_fail(struct world *world, const char *format, ...) {
    if (world->failed[0] != '\0') {
        return; /* the first reason counts */
    }
    va_list args;
    va_start(args, format);
    (void)vsnprintf(world->failed, sizeof world->failed, format, args);
    va_end(args);
    trace(world, "WRONG: %s", world->failed);
    world->over = true;
}

const char *world_failure(void) {
    return last_failure;
}

int64_t world_db_ms(const struct world *world) {
    return sched_now_ms() + world->db_offset_ms;
}

/* ---- the database ---- */

void world_exec(struct world *world, const char *sql) {
    struct err err = {0};
    if (!db_script(world->db, str_from(sql), &err)) {
        (void)fprintf(stderr, "%s: %s\n", sql, err.text);
        abort();
    }
}

int64_t world_query(struct world *world, const char *sql) {
    own(db_stmt) stmt = NULL;
    struct err err = {0};
    bool found = false;
    CHECK(db_prepare(world->db, sql, &stmt, &err) && db_find(stmt, &found, &err) && found);
    return db_i64(stmt, 0);
}

/* The schema stays from one history to the next, nothing else does. */
static void empty_tables(struct world *world) {
    char script[8192] = "";
    size_t len = 0;
    own(db_stmt) stmt = NULL;
    struct err err = {0};
    CHECK(db_prepare(world->db,
                     "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE "
                     "'schema_%' AND name NOT LIKE 'sqlite_%'",
                     &stmt, &err));
    while (db_step(stmt, &err) == DB_ROW) {
        len += (size_t)snprintf(script + len, sizeof script - len, "DELETE FROM `" STR_FMT "`;",
                                STR_ARG(db_text(stmt, 0)));
        CHECK(len < sizeof script);
    }
    db_reset(stmt);
    world_exec(world, script);
}

/* ---- problems and users ---- */

static struct blob_ref put_blob(struct world *world, struct str bytes) {
    struct blob_source source = {.bytes = bytes, .fd = -1, .bytes_max = MIB};
    struct blob_info info = {0};
    struct err err = {0};
    CHECK(blob_put(world->servers[0].app->blobs, &source, &info, &err));
    struct blob_ref ref = {.bytes = info.bytes};
    memcpy(ref.sha256, info.digest.bytes, 32);
    return ref;
}

static void make_manifest(struct world *world) {
    static const char *const names[CASES] = {"sample/1", "secret/1", "secret/2"};
    struct manifest manifest;
    struct manifest_case cases[CASES] = {0};
    struct err err = {0};
    manifest_defaults(&manifest);
    manifest.limits.job_total_ms = 6 * world->settings.lease_ms;
    for (int i = 0; i < CASES; i++) {
        cases[i] = (struct manifest_case){.name = str_from(names[i]),
                                          .sample = i == 0,
                                          .group = -1,
                                          .input = put_blob(world, str_from(names[i])),
                                          .answer = put_blob(world, STR("answer"))};
    }
    manifest.cases = cases;
    manifest.case_count = CASES;
    own_buf text = {0};
    buf_init(&text, MIB);
    CHECK(manifest_write(&manifest, &text, &err));
    memcpy(world->manifest_id, put_blob(world, buf_str(&text)).sha256, 32);
}

static void populate(struct world *world) {
    char hex[65] = {0};
    char sql[1500];
    make_manifest(world);
    hex_encode(world->manifest_id, 32, hex);
    for (int id = 1; id <= PROBLEMS; id++) {
        (void)snprintf(
            sql, sizeof sql,
            "INSERT INTO problem (id, code, titles, search_text, manifest_id, time_limit_ms, "
            "memory_limit_kib, output_limit_kib, code_limit_kib, job_total_ms, cases_total, "
            "languages, revision, created_ms, updated_ms) VALUES (%d, 'p%d', 'en' || char(9) || "
            "'T' || char(10), 'p', x'%s', 1000, 65536, 8192, 128, 900000, 3, '', 1, 0, 0)",
            id, id, hex);
        world_exec(world, sql);
    }
    for (int id = 1; id <= USERS_MAX; id++) {
        (void)snprintf(sql, sizeof sql,
                       "INSERT INTO `user` VALUES (%d, 'u%d', 'u%d', 'U', 1, '', 0, 1, 0, 0)", id,
                       id, id);
        world_exec(world, sql);
    }
    world_exec(world, "INSERT INTO `user` VALUES (900, 'a', 'a', 'A', 3, '', 0, 1, 0, 0)");
}

/* ---- the fates ---- */

static struct sim_node *any_node(struct world *world) {
    return &world->nodes[roll(world, world->node_count)];
}

static void jump_database_clock(struct world *world) {
    int64_t jump_ms = roll(world, 6 * world->settings.lease_ms) - 2 * world->settings.lease_ms;
    world->db_offset_ms += jump_ms;
    shadow_outage(&world->shadow, 0, 0); /* what leases were moved by is not followed */
    world->jumped_ms = sched_now_ms();
    for (int i = 0; i < world->server_count; i++) {
        world->servers[i].process.utc_offset_ms = world->db_offset_ms;
    }
    trace(world, "the database's clock jumps by %lld ms", (long long)jump_ms);
}

static void jump_node_clock(struct world *world) {
    struct sim_node *node = any_node(world);
    node->process.utc_offset_ms += roll(world, 7200000) - 3600000;
    process_set_rate(&node->process, 900 + roll(world, 201));
    trace(world, "%s's clocks jump and run at %lld permille", node->name,
          (long long)node->process.rate_permille);
}

static void pause_process(struct world *world) {
    bool server = roll(world, 3) == 0;
    struct process *process = server ? &world->servers[roll(world, world->server_count)].process
                                     : &any_node(world)->process;
    int64_t ms = roll(world, 3 * world->settings.lease_ms);
    process->paused_until_ms = sched_now_ms() + ms;
    trace(world, "%s is stopped for %lld ms", process->name, (long long)ms);
}

static void cut_node(struct world *world) {
    struct sim_node *node = any_node(world);
    int64_t ms = roll(world, 3 * world->settings.lease_ms);
    node->cut_until_ms = sched_now_ms() + ms;
    trace(world, "%s is cut off for %lld ms", node->name, (long long)ms);
}

/* Reading goes on, as with a full disk. */
static void database_goes_away(struct world *world) {
    int64_t now_ms = sched_now_ms();
    int64_t ms = world->settings.lease_ms / 2 + roll(world, 4 * world->settings.lease_ms);
    if (now_ms < world->away_until_ms) {
        return; /* it is away */
    }
    world->away_until_ms = now_ms + ms;
    trace(world, "the database takes no writes for %lld ms", (long long)ms);
    bool looked = now_ms - world->jumped_ms > SERVERS_LOOK_MS; /* the jump was seen by all */
    if (ms > OUTAGE_LEASES_MIN * world->settings.lease_ms && ms > OUTAGE_MS_MIN && looked) {
        int64_t from_ms = world_db_ms(world);
        shadow_outage(&world->shadow, from_ms, from_ms + ms);
    }
}

static void stop_or_kill_node(struct world *world) {
    struct sim_node *node = any_node(world);
    if (roll(world, 3) == 0) {
        trace(world, "%s is told to stop", node->name);
        node->stop = true;
        fiber_wake(&node->stop);
    } else {
        node_kill(node, "by the fates");
    }
}

static void stop_or_kill_server(struct world *world) {
    struct server *server = server_any(world);
    if (server == NULL) {
        return;
    }
    if (roll(world, 3) == 0) {
        server_stop(server);
    } else {
        server_kill(server, "by the fates");
    }
}

static const struct fate {
    enum trouble trouble;
    void (*act)(struct world *world);
} fates[] = {
    {TROUBLE_ADMIN, admin_act},
    {TROUBLE_ADMIN, admin_act},
    {TROUBLE_CLOCK, jump_node_clock},
    {TROUBLE_CLOCK, jump_database_clock},
    {TROUBLE_PAUSE, pause_process},
    {TROUBLE_CUT, cut_node},
    {TROUBLE_OUTAGE, database_goes_away},
    {TROUBLE_NODE, stop_or_kill_node},
    {TROUBLE_NODE, stop_or_kill_node},
    {TROUBLE_SERVER, stop_or_kill_server},
    {TROUBLE_TAKEOVER, node_start_twin},
    {TROUBLE_JOBS, jobs_act},
    {TROUBLE_JOBS, jobs_act},
    {TROUBLE_JOBS, jobs_act},
    {TROUBLE_REJUDGE, rejudge_act},
    {TROUBLE_REJUDGE, rejudge_act},
    {TROUBLE_REJUDGE, rejudge_act},
    {TROUBLE_KEEP, keep_act},
};

static void storm(struct world *world) {
    int64_t acts = 4 + roll(world, 16);
    for (int64_t i = 0; i < acts && !world->over; i++) {
        fiber_sleep_ms(roll(world, 4000));
        const struct fate *fate = &fates[roll(world, sizeof fates / sizeof fates[0])];
        bool allowed = world->options.acts_max < 0 || world->acts < world->options.acts_max;
        if (allowed && !world->options.without[fate->trouble]) {
            world->acts++;
            fate->act(world);
        }
    }
}

/* ---- the end ---- */

static bool all_judged(struct world *world) {
    return world_query(world, "SELECT count(*) FROM job WHERE state IN (1, 2)") == 0 &&
           world_query(world, "SELECT count(*) FROM job_lease") == 0 && /* revoked ones */
           world_query(world, "SELECT count(*) FROM settlement_event") == 0 &&
           world_query(world, "SELECT count(*) FROM rejudging WHERE state NOT IN (5, 7, 9)") == 0;
}

static void heal(struct world *world) {
    world->stormy = false;
    trace(world, "the storm is over");
    for (int i = 0; i < world->server_count; i++) {
        world->servers[i].process.paused_until_ms = 0;
    }
    for (int i = 0; i < world->node_count; i++) {
        struct sim_node *node = &world->nodes[i];
        node->process.paused_until_ms = 0;
        node->cut_until_ms = 0;
        process_set_rate(&node->process, 1000);
    }
    world->twin.process.paused_until_ms = 0;
    if (world->twin_runs) {
        node_kill(&world->twin, "there is one of each");
    }
}

static bool calm_down(struct world *world) {
    int64_t until_ms = sched_now_ms() + CALM_MS;
    if (world->away_until_ms > sched_now_ms()) {
        fiber_sleep_ms(world->away_until_ms - sched_now_ms());
    }
    heal(world);
    while (sched_now_ms() < until_ms && !world->over) {
        people_calm(world);
        fiber_sleep_ms(1000);
        if (world->users_busy == 0 && all_judged(world)) {
            return true;
        }
    }
    world_fail(world, "ten minutes after the last trouble %lld jobs and %lld events are still open",
               (long long)world_query(world, "SELECT count(*) FROM job WHERE state IN (1, 2)"),
               (long long)world_query(world, "SELECT count(*) FROM settlement_event"));
    return false;
}

static void check_accepted(struct world *world, const struct accepted *accepted) {
    own(db_stmt) stmt = NULL;
    struct err err = {0};
    bool found = false;
    CHECK(db_prepare(world->db, "SELECT verdict FROM submission WHERE id = ?", &stmt, &err));
    db_bind_i64(stmt, 1, accepted->submission.value);
    CHECK(db_find(stmt, &found, &err));
    enum verdict verdict = found ? (enum verdict)db_i64(stmt, 0) : VERDICT_NONE;
    long long id = (long long)accepted->submission.value;
    if (!found) {
        world_fail(world, "(S12) submission %lld was received, and is not there", id);
    } else if (verdict == VERDICT_NONE) {
        world_fail(world, "submission %lld was received, and has no verdict", id);
    } else if (verdict != accepted->truth && verdict != VERDICT_SYSTEM_ERROR &&
               !(verdict == VERDICT_CANCELLED && accepted->withdrawn)) {
        world_fail(world, "(S14) submission %lld deserves %s and got %s", id,
                   verdict_code(accepted->truth), verdict_code(verdict));
    }
}

static void check_end(struct world *world) {
    struct err err = {0};
    if (!invariants_check(world->db, &err)) {
        world_fail(world, "at the end: %s", err.text);
    }
    if (world_query(world, "SELECT (SELECT count(*) FROM job_ready) + (SELECT count(*) FROM "
                           "job_delayed) + (SELECT count(*) FROM job_lease) + (SELECT count(*) "
                           "FROM job_avoid)") != 0) {
        world_fail(world, "all is judged, and rows of open jobs are left");
    }
    if (world_query(world, "SELECT count(*) - count(DISTINCT sha256) FROM submission_source") !=
        0) {
        world_fail(world, "a program was handed in once, and is there twice");
    }
    for (int i = 0; i < world->accepted_count; i++) {
        check_accepted(world, &world->accepted[i]);
    }
}

static void go_home(struct world *world) {
    world->over = true;
    world->stormy = false;
    for (int i = 0; i < world->node_count; i++) {
        world->nodes[i].process.paused_until_ms = 0;
        node_kill(&world->nodes[i], "the history is over");
    }
    for (int i = 0; i < world->server_count; i++) {
        world->servers[i].process.paused_until_ms = 0;
        fiber_wake(&world->servers[i]);
    }
}

/* ---- the beginning ---- */

static void choose_settings(struct world *world) {
    static const int64_t leases_ms[] = {3000, 6000, 12000};
    int64_t lease_ms = leases_ms[roll(world, 3)];
    app_settings_default(&world->settings);
    world->settings.lease_ms = lease_ms;
    world->settings.renew_ms = lease_ms / 4;
    world->settings.heartbeat_ms = lease_ms / 4;
    world->settings.offline_ms = lease_ms;
    world->settings.reap_ms = 1000;
    world->settings.claim_wait_ms = 5000;
    world->settings.password_hash_fast = true;
    world->settings.keep_bodies_ms = roll(world, 20000);
    world->settings.keep_node_events_ms = roll(world, 20000);
    world->settings.keep_audit_ms = roll(world, 20000);
    world->server_count = 2 + (int)roll(world, SERVERS_MAX - 1);
    world->node_count = 2 + (int)roll(world, NODES_MAX - 1);
    world->group_slots = 2 + (int)roll(world, 2);
}

static void direct(void *argument) {
    struct world *world = argument;
    choose_settings(world);
    for (int i = 0; i < world->server_count; i++) {
        server_start(world, i);
        while (!world->servers[i].up && !world->over) {
            fiber_sleep_ms(10);
        }
    }
    if (!world->over) {
        populate(world);
        for (int i = 0; i < world->node_count; i++) {
            node_set_up(world, i);
            node_start(&world->nodes[i]);
        }
        fiber_sleep_ms(1000); /* everybody joins in peace */
        for (int i = 0; i < USERS_MAX; i++) {
            user_start(world, i, 1 + (int)roll(world, 5));
        }
        world->stormy = true;
        storm(world);
        if (calm_down(world)) {
            check_end(world);
        }
    }
    go_home(world);
}

/* What a history finds on disk would be another beginning: files, caches, credentials. */
static void forget_files(const struct world *world) {
    struct err err = {0};
    CHECK(file_remove_tree(world->options.folder, &err) &&
          file_make_dirs(world->options.folder, 0700, &err));
}

bool world_play(const struct world_options *options, struct db *db) {
    struct world *world = calloc(1, sizeof *world);
    CHECK(world != NULL);
    the_world = world;
    world->options = *options;
    world->db = db;
    random_seeded_init(&world->dice, options->seed * 7919 + 1);
    empty_tables(world);
    forget_files(world);
    struct sched_options sched = {.random = &world->dice.random,
                                  .start_ms = START_MS,
                                  .steps_max = STEPS_MAX,
                                  .lateness_permille = roll(world, 4) * 500};
    if (!sched_run(&sched, direct, world)) {
        (void)fprintf(stderr, "this history does not end: %s\n", world->failed);
        abort();
    }
    (void)snprintf(last_failure, sizeof last_failure, "%s", world->failed);
    free(world);
    the_world = NULL;
    return last_failure[0] == '\0';
}

/* ---- the program's log ---- */

/* In place of base/log.c: part of the trace, or nothing. */
void log_write(enum log_level level, const char *event, const struct log_field *fields) {
    char text[400];
    size_t len = 0;
    if (the_world == NULL || !the_world->options.trace) {
        return;
    }
    for (; fields->kind != LOG_FIELD_END && len < sizeof text - 1; fields++) {
        int more = fields->kind == LOG_FIELD_ERR ? snprintf(text + len, sizeof text - len, " %s=%s",
                                                            fields->name, fields->err->code)
                   : fields->kind == LOG_FIELD_STR
                       ? snprintf(text + len, sizeof text - len, " %s=" STR_FMT, fields->name,
                                  STR_ARG(fields->text))
                       : snprintf(text + len, sizeof text - len, " %s=%lld", fields->name,
                                  (long long)fields->number);
        len += more > 0 ? (size_t)more : 0;
    }
    trace(the_world, "    %s/%s: %s%s%s", fiber_process()->name, fiber_name(),
          level >= LOG_WARN ? "! " : "", event, len > 0 ? text : "");
}
