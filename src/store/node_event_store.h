#ifndef STORE_NODE_EVENT_STORE_H
#define STORE_NODE_EVENT_STORE_H

#include "domain/ids.h"
#include "store/db.h"

/* What nodes did and tried, beside what people did (audit_store.h). */

struct node_event_row {
    int64_t id;
    struct node_id node;
    int64_t at_ms;
    const char *event; /* noun.verb: "result.refused" */
    struct job_id job; /* 0: none */
    struct str detail; /* cut to 1024 bytes */
};
checked bool node_event_insert(struct db *db, const struct node_event_row *row, struct err *err);

#endif
