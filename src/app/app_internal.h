#ifndef APP_APP_INTERNAL_H
#define APP_APP_INTERNAL_H

#include "app/app.h"
#include "app/writer_internal.h"
#include "blob/blob.h"
#include "store/db_pool.h"
#include "store/holder.h"
#include "store/id_block.h"
#include "wake/wake.h"

#include <stdatomic.h>

/* The use cases' shared state. Each part is opened by one row of the table in app.c and owned by
 * one file of this folder; what a part keeps to itself it hides behind its own struct.
 *
 * Reads:  own(db_reader) reader = NULL; db_pool_take(app->readers, &reader, err) ...
 * Writes: a struct with a write_item first, a write_kind, app_write or app_write_wait. In
 *         write_kind.run: lock, read the clock, check, write; ids by runner_take_id(app, ID_...).
 */

struct news;             /* news.c: what a batch will tell once it is committed */
struct claim_desk;       /* claim_desk.c: claims that wait */
struct queue_table;      /* queues.c: pool and runtime spec -> queue */
struct credential_cache; /* credential.c */
struct manifest_cache;   /* manifest_cache.c */
struct memos;            /* memo.c */
struct progress_board;   /* progress.c */
struct watch_hub;        /* watch.c */
struct event_pump;       /* event.c */
struct maintenance;      /* maintenance.c */
struct backlog;          /* backlog.c */
struct maintainer_name;  /* maintainer.c */
struct retention;        /* retention.c */
struct summary_cache;    /* judger_summary.c */
struct auth;             /* auth_internal.h */

struct app {
    struct app_settings settings;
    const struct clock *clock;
    const struct random *random;
    const struct language_set *languages;
    bool threads;

    bool shared;           /* other servers may be at the same database */
    bool maintains;        /* false: this process only visits, the maintenance is another's */
    struct holder *holder; /* NULL: a visitor, or in memory */
    struct db *db;         /* the writer's connection: only through app_write */
    struct db_pool *readers;
    struct id_blocks *ids; /* the writers': runner_take_id */
    struct writer *writer;
    struct runner *more; /* runners.c; NULL: the writer has one thread */
    struct blob_store *blobs;
    struct db_pool *blob_writers; /* NULL: files are not in the database */
    struct wake *wake;
    struct redis_wake *redis; /* NULL: not in the settings */
    struct news *news;        /* the writer's: runner_news */

    struct queue_table *queues;
    struct claim_desk *claims;
    struct credential_cache *credentials;
    struct manifest_cache *manifests;
    struct memos *memos;
    struct progress_board *progress;
    struct watch_hub *watches;
    struct event_pump *events;
    struct maintenance *maintenance;
    struct summary_cache *summaries;
    struct backlog *backlog;
    struct maintainer_name *maintainer;
    struct retention *retention;
    struct auth *auth;

    atomic_bool stopping;
    atomic_llong busy_rejects;
    atomic_int refusals_waiting; /* refusal.c */
};

/* A part of the app: opened in the order of the table, closed in the opposite one. `stop` runs
 * before any part is closed, while the writer still works: whoever waits is answered. */
struct app_part {
    const char *name;
    bool (*open)(struct app *app, struct err *err);
    void (*stop)(struct app *app);
    void (*close)(struct app *app); /* also after an `open` that failed */
};

/* For a request that has nothing to queue: its item is done at once. Returns nothing to the caller
 * beyond what `done` sees. */
void app_fail(struct write_item *item, const struct err *err);

#endif
