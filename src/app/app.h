#ifndef APP_APP_H
#define APP_APP_H

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/random.h"
#include "blob/s3_client.h"
#include "language/language.h"
#include "store/db.h"
#include "wake/redis.h"

/* The use cases: one struct, no global state. server/ calls them for HTTP, main/ for local
 * administration, the simulator steps them. Reads take a connection of the pool and run at once;
 * writes go through app/writer.h. */

struct app;

struct app_settings { /* defaults of DESIGN section 5 by app_settings_default */
    int64_t heartbeat_ms;
    int64_t offline_ms;
    int64_t lease_ms;
    int64_t renew_ms;
    int64_t reap_ms;
    int64_t join_code_ms;
    int64_t claim_wait_ms;
    int32_t attempts_max;
    int64_t practice_waiting_max; /* of a queue; more are told to come again. 0: no limit */
    int64_t rejudge_waiting_max;  /* as that, for bulk rejudging */
    int64_t keep_runs_ms;         /* how long what is of no more use is kept (app/retention.c) */
    int64_t keep_bodies_ms;
    int64_t keep_node_events_ms;
    int64_t keep_audit_ms;
    int64_t keep_sessions_ms;
    int64_t keep_files_ms; /* unused ones (app/collect.c): no upload takes that long */
    int64_t session_days;
    int64_t token_ms;        /* of an access token */
    bool password_hash_fast; /* tests only */
};

struct app_options {
    const char *database_path;       /* file, or ":memory:"; unused with `mysql` */
    const struct mydb_target *mysql; /* copied; NULL: SQLite */
    /* With ":memory:": apps of one name share a database, which lives as long as one of them is
     * open (simulator). NULL: one of its own. */
    const char *memory_name;
    /* Where files are: a folder, rows of the database, or an S3 store. */
    const char *blob_folder;              /* NULL: none of this kind */
    bool blob_database;                   /* needs spool_folder */
    const struct s3_options *blob_s3;     /* borrowed; needs spool_folder */
    const char *spool_folder;             /* for files on their way to and from the other two */
    const struct language_set *languages; /* borrowed */
    const struct clock *clock;
    const struct random *random;
    /* Who this process is, for the refusal of a second one: "assize server, pid 71". NULL: a
     * visitor beside a server, such as a local command; it locks nothing and leaves maintenance
     * alone. */
    const char *holder;
    struct app_settings settings;
    enum db_claims claims;                  /* how queues are claimed of: store/db.h */
    const struct redis_link_options *redis; /* NULL: hints stay in this process */
    const char *redis_channel;              /* servers of one database share it */
    struct db_meter *meter;                 /* borrowed; NULL: nobody counts */
    bool threads; /* false: the caller steps writer and maintenance by app_step (simulator, unit
                     tests) */
};

void app_settings_default(struct app_settings *settings);

/* Opens the database (running missing migrations) and starts the writer and the maintenance thread.
 * Errors: ERR_CONFLICT "database_in_use" naming the holder when another server has the file. */
checked bool app_open(const struct app_options *options, struct app **ret_app, struct err *err);
/* Stops taking requests and finishes what is queued; parked claims are answered empty. Calls that
 * still come are refused or answered from what is there, until app_close. For whoever must end its
 * own threads between the two. */
void app_stop(struct app *app);
/* app_stop, then frees everything: nobody may call any more. */
void app_close(struct app *app);
OWN_DEFINE(app, app_close)

/* One turn of writer and maintenance when options.threads is false. True when something was done.
 */
bool app_step(struct app *app);

/* False: there is no Redis in the settings. */
bool app_redis_state(const struct app *app, struct redis_wake_state *ret_state);

const struct language_set *app_languages(const struct app *app);
const struct app_settings *app_settings_of(const struct app *app);
const struct clock *app_clock(const struct app *app);

#endif
