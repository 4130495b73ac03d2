/* Opens and closes the parts of the app. */
#include "app/app_internal.h"
#include "app/auth_internal.h"
#include "app/blob_share.h"
#include "app/parts_internal.h"
#include "app/runners_internal.h"
#include "base/check.h"
#include "base/limits.h"
#include "base/log.h"
#include "store/migrate.h"
#include "store/mydb_selftest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define READERS_MAX 8
/* Beside readers: the writers, and two while it starts. */
#define DATABASE_CONNECTIONS (1 + RUNNERS_MORE + 2)
#define BLOB_WRITERS_MAX 2 /* files that are stored in the database at a time */
#define HOUR_MS INT64_C(3600000)
#define DAY_MS (24 * HOUR_MS)

void app_settings_default(struct app_settings *settings) {
    *settings = (struct app_settings){
        .heartbeat_ms = 10000,
        .offline_ms = 30000,
        .lease_ms = 60000,
        .renew_ms = 15000,
        .reap_ms = 2000,
        .join_code_ms = 600000,
        .claim_wait_ms = 15000,
        .attempts_max = 3,
        .practice_waiting_max = 100000,
        .keep_runs_ms = HOUR_MS,
        .keep_bodies_ms = 90 * DAY_MS,
        .keep_node_events_ms = 90 * DAY_MS,
        .keep_audit_ms = 400 * DAY_MS,
        .keep_sessions_ms = 30 * DAY_MS,
        .keep_files_ms = DAY_MS,
        .session_days = 30,
        .token_ms = 300000,
    };
}

static bool settings_check(const struct app_settings *s, struct err *err) {
    if (s->heartbeat_ms < 1 || s->renew_ms < 1 || s->reap_ms < 1 || s->claim_wait_ms < 0 ||
        s->attempts_max < 1 || s->session_days < 1 || s->token_ms < 1 || s->join_code_ms < 1 ||
        s->practice_waiting_max < 0 || s->rejudge_waiting_max < 0) {
        return err_set(err, ERR_INVALID, "bad_setting", "a time or number in the settings is zero");
    }
    /* Two renewals may be lost; a heartbeat may be late by one. */
    if (s->lease_ms < 3 * s->renew_ms || s->offline_ms < 2 * s->heartbeat_ms) {
        return err_set(err, ERR_INVALID, "bad_setting",
                       "the lease must last three renewals (%lld ms), offline two heartbeats "
                       "(%lld ms)",
                       (long long)(3 * s->renew_ms), (long long)(2 * s->heartbeat_ms));
    }
    return true;
}

/* clang-format off */
static const struct app_part parts[] = {
    {"manifests",   manifests_part_open,   NULL,                  manifests_part_close},
    {"memos",       memos_part_open,       NULL,                  memos_part_close},
    {"queues",      queues_part_open,      NULL,                  queues_part_close},
    {"credentials", credentials_part_open, NULL,                  credentials_part_close},
    {"watches",     watches_part_open,     NULL,                  watches_part_close},
    {"progress",    progress_part_open,    NULL,                  progress_part_close},
    {"claims",      claims_part_open,      claims_part_stop,      claims_part_close},
    {"events",      events_part_open,      NULL,                  events_part_close},
    {"backlog",     backlog_part_open,     NULL,                  backlog_part_close},
    {"maintainer",  maintainer_part_open,  NULL,                  maintainer_part_close},
    {"retention",   retention_part_open,   NULL,                  retention_part_close},
    {"summary",     summary_part_open,     NULL,                  summary_part_close},
    {"maintenance", maintenance_part_open, maintenance_part_stop, maintenance_part_close},
};
/* clang-format on */
#define PART_COUNT ((int)(sizeof parts / sizeof parts[0]))

/* ---- the ground: database, blobs, writer ---- */

/* On a connection of its own, since it may take long. */
static bool bring_to_schema(struct db_options options, struct err *err) {
    own(db) db = NULL;
    int applied = 0;
    options.patient = true;
    return db_open(&options, &db, err) && migrate(db, migrations, &applied, err);
}

/* Several servers share a MySQL database; a file has one. */
static bool hold_file(struct app *app, const struct app_options *options, struct err *err) {
    return options->holder == NULL ||
           holder_lock(options->database_path, options->holder, app->clock, &app->holder, err);
}

/* Several servers share a MySQL database, so its settings are nobody's here: each start looks. */
static bool look_at_database(const struct db_options *options, enum db_claims claims,
                             bool *ret_claims_owned, struct err *err) {
    struct mydb_report report = {0};
    struct mydb_needs needs = {.connections = READERS_MAX + BLOB_WRITERS_MAX + DATABASE_CONNECTIONS,
                               .claims = claims};
    bool fit = mydb_selftest(options, &needs, &report, err);
    for (int i = 0; i < report.count; i++) {
        log_warn("database.doubtful", LOG_STR("text", report.warnings[i]));
    }
    *ret_claims_owned = report.claims_owned;
    return fit;
}

static bool open_database(struct app *app, const struct app_options *options, struct err *err) {
    static atomic_int opened; /* an app in memory has a database of its own */
    char name[64];
    bool in_memory = options->mysql == NULL && strcmp(options->database_path, ":memory:") == 0;
    (void)snprintf(name, sizeof name, "assize-%d", atomic_fetch_add(&opened, 1));
    const char *memory_name = options->memory_name != NULL ? options->memory_name : name;
    struct db_options database = {
        .path = options->database_path,
        .shared_name = in_memory ? memory_name : NULL,
        .mysql = options->mysql,
        .clock = options->clock,
        .meter = options->meter,
        .claims_owned = options->claims == DB_CLAIMS_OWNED,
    };
    if (options->mysql == NULL && !in_memory && !hold_file(app, options, err)) {
        return false;
    }
    /* In memory the first connection keeps the database alive. */
    if ((in_memory && !db_open(&database, &app->db, err)) || !bring_to_schema(database, err)) {
        return false;
    }
    if (options->mysql != NULL &&
        !look_at_database(&database, options->claims, &database.claims_owned, err)) {
        return false;
    }
    if (!in_memory && !db_open(&database, &app->db, err)) {
        return false;
    }
    app->readers = db_pool_create(&database, READERS_MAX);
    if (options->blob_database) {
        app->blob_writers = db_pool_create_writers(&database, BLOB_WRITERS_MAX);
    }
    return true;
}

static bool open_ground(struct app *app, const struct app_options *options, struct err *err) {
    if (!open_database(app, options, err)) {
        return false;
    }
    struct db_options database = {.mysql = options->mysql,
                                  .clock = options->clock,
                                  .meter = options->meter,
                                  .claims_owned = db_claims_owned(app->db)};
    return runners_open(app, &database, err);
}

static void free_ground(struct app *app) {
    runners_free(app);
    blob_close(app->blobs);
    db_pool_free(app->blob_writers);
    db_pool_free(app->readers);
    db_close(app->db);
    holder_free(app->holder);
    auth_free(app->auth);
    wake_free(app->wake);
}

/* ---- the whole ---- */

static bool open_parts(struct app *app, struct err *err) {
    for (int i = 0; i < PART_COUNT; i++) {
        if (!parts[i].open(app, err)) {
            return err_wrap(err, "open %s", parts[i].name);
        }
    }
    return true;
}

/* After the parts: all listeners are set. */
static bool open_redis(struct app *app, const struct app_options *options, struct err *err) {
    if (options->redis == NULL) {
        return true;
    }
    CHECK(app->threads);
    const struct redis_wake_options redis = {.link = *options->redis,
                                             .channel = options->redis_channel,
                                             .wake = app->wake,
                                             .random = app->random,
                                             .clock = app->clock};
    return redis_wake_open(&redis, &app->redis, err);
}

bool app_redis_state(const struct app *app, struct redis_wake_state *ret_state) {
    if (app->redis != NULL) {
        redis_wake_state(app->redis, ret_state);
    }
    return app->redis != NULL;
}

bool app_open(const struct app_options *options, struct app **ret_app, struct err *err) {
    if (!settings_check(&options->settings, err)) {
        return false;
    }
    own(app) app = calloc(1, sizeof *app);
    CHECK(app != NULL);
    app->settings = options->settings;
    app->clock = options->clock;
    app->random = options->random;
    app->languages = options->languages;
    app->threads = options->threads;
    app->maintains = options->holder != NULL;
    app->shared = options->mysql != NULL;
    app->wake = wake_create();
    app->auth = auth_create(options);
    if (!open_ground(app, options, err) || !blob_share_open(app, options, err) ||
        !open_parts(app, err) || !open_redis(app, options, err)) {
        return false;
    }
    *ret_app = take(app);
    return true;
}

void app_stop(struct app *app) {
    if (atomic_exchange(&app->stopping, true)) {
        return;
    }
    for (int i = PART_COUNT - 1; i >= 0; i--) {
        if (parts[i].stop != NULL) {
            parts[i].stop(app);
        }
    }
    runners_stop(app); /* finishes what is queued; the parts are still there for it */
}

void app_close(struct app *app) {
    if (app == NULL) {
        return;
    }
    app_stop(app);
    redis_wake_close(app->redis); /* its thread calls what the parts listen with */
    for (int i = PART_COUNT - 1; i >= 0; i--) {
        parts[i].close(app);
    }
    free_ground(app);
    free(app);
}

bool app_step(struct app *app) {
    CHECK(!app->threads);
    return writer_step(app->writer) || claims_step(app) || maintenance_step(app) ||
           writer_step(app->writer); /* what the maintenance has queued */
}

void app_write(struct app *app, struct write_item *item) {
    writer_queue(app->writer, item);
}

bool app_write_wait(struct app *app, struct write_item *item, struct err *err) {
    return writer_wait(app->writer, item, err);
}

void app_fail(struct write_item *item, const struct err *err) {
    item->ok = false;
    item->err = *err;
    item->done(item);
}

const struct language_set *app_languages(const struct app *app) {
    return app->languages;
}

const struct app_settings *app_settings_of(const struct app *app) {
    return &app->settings;
}

const struct clock *app_clock(const struct app *app) {
    return app->clock;
}
