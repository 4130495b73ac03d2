#ifndef APP_WAITING_INTERNAL_H
#define APP_WAITING_INTERNAL_H

#include "app/app_internal.h"
#include "app/submission.h"
#include "domain/job.h"

/* Why a job that is not settled waits (domain/waiting.h decides, this gathers the facts). */

struct waiting_query {
    const struct job *job;
    struct str pool;
    bool with_place; /* counts what is before it */
    int64_t now_ms;
};
checked bool waiting_reason_of(struct app *app, struct db *db, const struct waiting_query *query,
                               struct arena *arena, struct waiting_reason *ret_reason,
                               struct err *err);

/* What went wrong with a job, in words for its user. */
struct str fault_text(enum fault fault, struct str code);

#endif
