/* The consumer of settlement events. Each batch of events is recomputed from state and removed in
 * one transaction; one pump runs at a time, again as long as there are more. */
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

static bool run(struct app *app, struct db *db, struct write_item **items, int count,
                struct err *err) {
    (void)count; /* one: batch_max */
    struct event_pump *pump = (struct event_pump *)items[0];
    struct event_row events[EVENTS_MAX];
    int event_count = 0;
    int64_t now_ms = 0;
    (void)app;
    if (!db_now(db, &now_ms, err) ||
        !event_store_due(db, now_ms, events, EVENTS_MAX, &event_count, err)) {
        return false;
    }
    for (int i = 0; i < event_count; i++) {
        /* S13: recomputed, and the event removed, in this one transaction */
        if (!user_problem_update(db, events[i].submission, err) ||
            !event_store_delete(db, &events[i], err)) {
            return false;
        }
    }
    pump->more = event_count == EVENTS_MAX;
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
