#ifndef APP_REFUSAL_INTERNAL_H
#define APP_REFUSAL_INTERNAL_H

#include "app/app_internal.h"
#include "domain/ids.h"

/* What a node tried and may not: an operator finds it in the node's events. */
struct refusal {
    const char *event; /* "result.refused" */
    struct node_id node;
    struct job_id job;
    int64_t now_ms;
    const struct err *reason;
};
checked bool refusal_record(struct app *app, struct db *db, const struct refusal *refusal,
                            struct err *err);

/* progress.c, event.c: after a settlement. */
void progress_forget(struct app *app, struct job_id job);
void events_start(struct app *app);

#endif
