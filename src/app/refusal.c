#include "app/dispatch.h"
#include "app/refusal_internal.h"
#include "app/runners_internal.h"
#include "base/check.h"
#include "store/node_event_store.h"

#include <stdio.h>
#include <stdlib.h>

bool refusal_record(struct app *app, struct db *db, const struct refusal *refusal,
                    struct err *err) {
    char detail[320];
    (void)snprintf(detail, sizeof detail, "%s: %s",
                   refusal->reason->code != NULL ? refusal->reason->code : "",
                   refusal->reason->text);
    struct node_event_row row = {
        .id = runner_take_id(app, ID_NODE_EVENT),
        .node = refusal->node,
        .at_ms = refusal->now_ms,
        .event = refusal->event,
        .job = refusal->job,
        .detail = str_from(detail),
    };
    return node_event_insert(db, &row, err);
}

/* ---- calls that were refused before a transaction, or had none ---- */

struct note {
    struct write_item item;
    struct app *app;
    struct node_id node;
    struct job_id job;
    const char *event;
    struct err reason;
};

static bool run(struct app *app, struct db *db, struct write_item **items, int count,
                struct err *err) {
    int64_t now_ms = 0;
    if (!db_now(db, &now_ms, err)) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        const struct note *note = (struct note *)items[i];
        struct refusal refusal = {.event = note->event,
                                  .node = note->node,
                                  .job = note->job,
                                  .now_ms = now_ms,
                                  .reason = &note->reason};
        if (!refusal_record(app, db, &refusal, err)) {
            return false;
        }
        items[i]->ok = true;
    }
    return true;
}

static const struct write_kind note_kind = {
    .name = "refusal", .batch_max = REFUSALS_WAITING_MAX, .run = run};

static void done(struct write_item *item) {
    struct note *note = (struct note *)item;
    atomic_fetch_sub(&note->app->refusals_waiting, 1);
    free(note);
}

void dispatch_note_refusal(struct app *app, const struct refused_call *refused) {
    if (atomic_fetch_add(&app->refusals_waiting, 1) >= REFUSALS_WAITING_MAX) {
        atomic_fetch_sub(&app->refusals_waiting, 1);
        return;
    }
    struct note *note = calloc(1, sizeof *note);
    CHECK(note != NULL);
    *note = (struct note){.item = {.kind = &note_kind, .done = done},
                          .app = app,
                          .node = refused->node,
                          .job = refused->job,
                          .event = refused->event,
                          .reason = *refused->reason};
    app_write(app, &note->item);
}
