#include "app/refusal_internal.h"
#include "store/node_event_store.h"

#include <stdio.h>

bool refusal_record(struct app *app, struct db *db, const struct refusal *refusal,
                    struct err *err) {
    char detail[320];
    (void)snprintf(detail, sizeof detail, "%s: %s",
                   refusal->reason->code != NULL ? refusal->reason->code : "",
                   refusal->reason->text);
    struct node_event_row row = {
        .id = id_take(&app->ids, ID_NODE_EVENT),
        .node = refusal->node,
        .at_ms = refusal->now_ms,
        .event = refusal->event,
        .job = refusal->job,
        .detail = str_from(detail),
    };
    return node_event_insert(db, &row, err);
}
