#ifndef APP_PROGRESS_INTERNAL_H
#define APP_PROGRESS_INTERNAL_H

#include "app/app_internal.h"
#include "app/dispatch.h"
#include "domain/ids.h"
#include "domain/judgement.h"

/* What nodes have said about jobs that run now: never durable, shown to whoever watches. */

struct progress_view {
    enum judge_stage stage;
    int32_t case_index; /* running case from 0, or -1 */
    int32_t cases_total;
    struct case_result *cases; /* judged so far */
    int32_t case_count;
};
/* False when nothing is known of that lease. Everything lives in `arena`. */
bool progress_get(struct app *app, struct job_id job, int64_t lease_epoch, struct arena *arena,
                  struct progress_view *ret_view);
/* What a node says, or another server that heard it. False when it is older than what is known. The
 * caller has checked the lease, or trusts whoever did. */
bool progress_take(struct app *app, const struct progress_item *item,
                   struct submission_id submission);
/* As progress_take, but the report holds all that is known of the lease: other servers' table. */
bool progress_adopt(struct app *app, const struct progress_item *item,
                    struct submission_id submission);

/* What this server's nodes have reported since the last call, whole, and which reports are over.
 * The arrays have room for `max`; what does not fit comes the next time. */
struct progress_news {
    struct progress_item *items;
    struct submission_id *submissions;
    int count;
    struct submission_id *gone;
    int gone_count;
    int max;
};
void progress_take_news(struct app *app, struct arena *arena, struct progress_news *news);
/* Forgets what nobody has talked about for long. */
void progress_sweep(struct app *app);

#endif
