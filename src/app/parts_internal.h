#ifndef APP_PARTS_INTERNAL_H
#define APP_PARTS_INTERNAL_H

#include "app/app_internal.h"

/* The parts that app.c opens, stops and closes; each in the file of its name. `close` is also
 * called when `open` was not, or failed. */

checked bool manifests_part_open(struct app *app, struct err *err);
void manifests_part_close(struct app *app);

checked bool memos_part_open(struct app *app, struct err *err);
void memos_part_close(struct app *app);

checked bool queues_part_open(struct app *app, struct err *err);
void queues_part_close(struct app *app);

checked bool credentials_part_open(struct app *app, struct err *err);
void credentials_part_close(struct app *app);

checked bool watches_part_open(struct app *app, struct err *err);
void watches_part_close(struct app *app);

checked bool progress_part_open(struct app *app, struct err *err);
void progress_part_close(struct app *app);

checked bool claims_part_open(struct app *app, struct err *err);
void claims_part_stop(struct app *app); /* parked claims are answered empty */
void claims_part_close(struct app *app);
bool claims_step(struct app *app); /* answers what has waited long enough; true: there was some */

checked bool events_part_open(struct app *app, struct err *err);
void events_part_close(struct app *app);

checked bool backlog_part_open(struct app *app, struct err *err);
void backlog_part_close(struct app *app);

checked bool maintainer_part_open(struct app *app, struct err *err);
void maintainer_part_close(struct app *app);

checked bool retention_part_open(struct app *app, struct err *err);
void retention_part_close(struct app *app);

checked bool summary_part_open(struct app *app, struct err *err);
void summary_part_close(struct app *app);

checked bool maintenance_part_open(struct app *app, struct err *err);
void maintenance_part_stop(struct app *app);
void maintenance_part_close(struct app *app);
bool maintenance_step(struct app *app); /* runs one task that is due; true: it found work */

#endif
