/* The consumer of settlement events. Each batch of events is recomputed from state and removed in
 * one transaction; one pump runs at a time, again as long as there are more. Of several servers one
 * recomputes at a time: another that had read before would write an older best over a newer one. */
#include "app/parts_internal.h"
#include "app/refusal_internal.h"
#include "base/check.h"
#include "base/limits.h"
#include "store/event_store.h"
#include "store/submission_store.h"

#include <stdlib.h>

#define EVENTS_MAX 200

struct event_pump {
    struct write_item item;
    struct app *app;
    atomic_bool queued;
    bool more; /* the writer's thread only */
};

struct batch {
    struct event_row events[EVENTS_MAX];
    bool settled[EVENTS_MAX]; /* recomputing would change nothing */
    int count;
};

static void look_at(void *context, struct db_stmt *row) {
    struct batch *batch = context;
    bool stays = user_problem_stays(row);
    for (int i = 0; stays && i < batch->count; i++) {
        batch->settled[i] =
            batch->settled[i] || batch->events[i].submission.value == db_i64(row, 0);
    }
}

/* Most submissions are not their user's best: one statement finds those for a whole batch. */
static bool look(struct db *db, struct batch *batch, struct err *err) {
    struct rows_value keys[EVENTS_MAX];
    for (int i = 0; i < batch->count; i++) {
        keys[i] = rows_i64(batch->events[i].submission.value);
    }
    const struct rows_read read = {.select = &user_problem_select,
                                   .values = keys,
                                   .count = batch->count,
                                   .row = look_at,
                                   .context = batch};
    return db_read(db, &read, 1, NULL, err);
}

/* S13: recomputed, and the events removed, in this one transaction. */
static bool work_off(struct db *db, struct batch *batch, struct err *err) {
    for (int i = 0; i < batch->count; i++) {
        if (!batch->settled[i] && !user_problem_update(db, batch->events[i].submission, err)) {
            return false;
        }
    }
    for (int i = 0; i < batch->count; i++) { /* together, behind all reads */
        if (!event_store_delete(db, &batch->events[i], err)) {
            return false;
        }
    }
    return true;
}

static bool run(struct app *app, struct db *db, struct write_item **items, int count,
                struct err *err) {
    (void)count; /* one: batch_max */
    struct event_pump *pump = (struct event_pump *)items[0];
    struct batch batch = {.count = 0};
    int64_t now_ms = 0;
    (void)app;
    if (!db_lock(db, LOCK_DERIVED, LOCK_EXCLUSIVE, BEST_RESULTS_LOCK, err) ||
        !db_now(db, &now_ms, err) ||
        !event_store_due(db, now_ms, batch.events, EVENTS_MAX, &batch.count, err) ||
        !look(db, &batch, err) || !work_off(db, &batch, err)) {
        return false;
    }
    pump->more = batch.count == EVENTS_MAX;
    pump->item.ok = true;
    return true;
}

static const struct write_kind event_kind = {.name = "event", .batch_max = 1, .run = run};

static void done(struct write_item *item) {
    struct event_pump *pump = (struct event_pump *)item;
    bool again = item->ok && pump->more;
    atomic_store(&pump->queued, false); /* a failure is tried again by the maintenance */
    if (again) {
        events_start(pump->app);
    }
}

void events_start(struct app *app) {
    struct event_pump *pump = app->events;
    if (pump == NULL || atomic_exchange(&pump->queued, true)) {
        return; /* it is on its way, and reads what is there when it runs */
    }
    pump->item.kind = &event_kind;
    pump->item.done = done;
    app_write(app, &pump->item);
}

bool events_part_open(struct app *app, struct err *err) {
    (void)err;
    app->events = calloc(1, sizeof *app->events);
    CHECK(app->events != NULL);
    app->events->app = app;
    events_start(app); /* what a crash has left */
    return true;
}

void events_part_close(struct app *app) {
    free(app->events);
}
