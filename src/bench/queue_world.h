#ifndef BENCH_QUEUE_WORLD_H
#define BENCH_QUEUE_WORLD_H

#include "app/dispatch.h"
#include "app/submission.h"
#include "bench/mariadb.h"
#include "blob/blob.h"

/* What the queue's benchmark works on: the real app over a database of its own in a temporary
 * folder, with one problem, users and nodes. */

#define QUEUE_USERS 1000
#define QUEUE_CASES_MAX 100

struct queue_plan {
    const char *folder;    /* where the temporary folder is made: its disk is what is measured */
    bool mysql;            /* a MariaDB of its own, or the one of `database` */
    const char *database;  /* mysql://...: an empty database; empty: none */
    const char *languages; /* NULL: beside the program */
    int64_t clients;
    int64_t nodes;
    int64_t groups; /* host groups; 0: none */
    int64_t cases;  /* of each result; 0: a compile error */
    int64_t backlog;
    int64_t history;
};

struct queue_node {
    struct actor actor;
    int64_t session_epoch;
};

struct queue_world {
    const struct queue_plan *plan;
    char folder[256];
    char database[300];
    struct mariadb mariadb;
    struct mydb_target target; /* with plan->mysql */
    struct language_set *languages;
    struct blob_store *blobs;
    struct app *app;
    struct db_meter meter; /* of the app's connections */
    struct arena *arena;
    struct queue_node *nodes; /* plan->nodes of them */
    struct judgement judgement;
    struct str result; /* as a node would send it */
};

/* Makes all of it. What was made is the caller's also after a failure: queue_world_done. */
checked bool queue_world_make(struct queue_world *world, const struct queue_plan *plan,
                              struct err *err);
void queue_world_done(struct queue_world *world);

/* Whoever wants another connection to the same database. */
checked bool queue_world_connect(const struct queue_world *world, bool read_only,
                                 struct db **ret_db, struct err *err);
/* Waits for an item that `begin` queues. */
struct write_item;
typedef void queue_begin_fn(struct app *app, struct write_item *item);
checked bool queue_world_wait(struct queue_world *world, queue_begin_fn *begin,
                              struct write_item *item, struct err *err);

#endif
