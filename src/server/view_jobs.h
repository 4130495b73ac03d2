#ifndef SERVER_VIEW_JOBS_H
#define SERVER_VIEW_JOBS_H

#include "app/job.h"
#include "app/reconcile.h"
#include "app/rejudge.h"
#include "data/json_write.h"

/* What operators see, as the JSON of docs/api/schemas/jobs.yaml. Each writes one value. */

void view_job(struct jw *json, const struct job_view *view);
void view_job_detail(struct jw *json, const struct job_detail *detail);
/* The member `skipped`, inside an open object. */
void view_skipped(struct jw *json, const struct job_skip *skipped, int count);
void view_rejudging(struct jw *json, const struct rejudging_view *view);
void view_item(struct jw *json, const struct item_named *named);
void view_reconcile(struct jw *json, const struct reconcile_report *report);
/* The member `reason`: why it waits, or null. */
void view_reason(struct jw *json, const struct waiting_reason *reason);

#endif
