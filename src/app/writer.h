#ifndef APP_WRITER_H
#define APP_WRITER_H

#include "base/err.h"
#include "base/own.h"
#include "store/db.h"

/* Group commit (DESIGN section 5). A write use case is a request struct whose first member is a
 * write_item; it is queued, and a batch of whatever waited during the last commit, of one kind, is
 * locked, checked, written and committed together. Each item has its own outcome. `done` runs after
 * the commit, never before: what it answers is durable. Nothing waits in a thread meanwhile; the
 * HTTP request is suspended.
 *
 * The writer is an object that a thread (writer_start) or the simulator (writer_step) drives. One
 * thread for SQLite, two for MySQL.
 *
 * Invariants: (1) done is called exactly once for each queued item; (2) items of one kind keep
 * their order; (3) an item whose check failed has written nothing; (4) after an unknown commit
 * outcome each item is read back by its kind before it is answered; when that cannot be done now
 * either, it fails with ERR_BUSY "outcome_unknown". */

struct app;
struct writer;
struct write_item;

/* Kinds of one lane run one after the other. Where the database lets several transactions write at
 * once, kinds of different lanes do (runners_internal.h). */
enum write_lane { WRITE_REST, WRITE_SUBMIT, WRITE_CLAIM, WRITE_SETTLE, WRITE_LANE_COUNT };

struct write_kind {
    const char *name;
    int batch_max;
    enum write_lane lane;
    /* Locks, checks and writes all items in the open transaction. Sets item->ok and item->err one
     * by one. Returns false only when the whole batch must be rolled back: it is then retried, then
     * run one by one. */
    bool (*run)(struct app *app, struct db *db, struct write_item **items, int count,
                struct err *err);
    /* After an unknown commit outcome: did this item take effect? NULL: it is run again
     * (idempotent). */
    bool (*read_back)(struct app *app, struct db *db, struct write_item *item, struct err *err);
    /* After the commit, before the first `done`: wake-ups, caches. May be NULL. */
    void (*committed)(struct app *app, struct write_item **items, int count);
};

struct write_item {
    const struct write_kind *kind;
    void (*done)(struct write_item *item); /* in the writer's thread: short, never blocks */
    void *context;                         /* the caller's */
    bool ok;
    struct err err;
    bool held; /* set by `run`: not done yet, `committed` takes it (a claim that finds nothing
                  waits) */
    struct write_item *next; /* the writer's */
    uint64_t order;          /* the writer's */
};

/* Queues the item; ERR_BUSY at once through `done` when the queue is full or the server is
 * stopping. The item and all it points to stay alive until `done`. */
void app_write(struct app *app, struct write_item *item);
/* Queues and waits: for commands and tests, not for HTTP threads. */
checked bool app_write_wait(struct app *app, struct write_item *item, struct err *err);

#endif
