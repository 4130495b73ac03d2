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

#define EVENTS_MAX USER_PROBLEMS_MAX

struct event_pump {
    struct write_item item;
    struct app *app;
    atomic_bool queued;
    bool more; /* the writer's thread only */
};

struct batch {
    struct event_row events[EVENTS_MAX];
    int count;
};

/* S13: recomputed, and the events removed, in this one transaction. */
static bool work_off(struct db *db, const struct batch *batch, struct err *err) {
    struct submission_id changed[EVENTS_MAX];
    for (int i = 0; i < batch->count; i++) {
        changed[i] = batch->events[i].submission;
    }
    if (!user_problems_update(db, changed, batch->count, err)) {
        return false;
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
        !work_off(db, &batch, err)) {
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
