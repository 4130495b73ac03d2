#ifndef APP_PROGRESS_SHARE_INTERNAL_H
#define APP_PROGRESS_SHARE_INTERNAL_H

#include "app/progress_internal.h"

/* Progress on its way to whoever watches: here by a hint, at other servers by the report itself,
 * since it is in no database that they could read. */

/* A report that this server took from a node. */
void progress_share(struct app *app, const struct progress_item *item,
                    struct submission_id submission);
/* Takes what other servers share. */
void progress_share_listen(struct app *app);

#endif
