#ifndef APP_PROGRESS_SHARE_INTERNAL_H
#define APP_PROGRESS_SHARE_INTERNAL_H

#include "app/progress_internal.h"
#include "base/buf.h"

/* Progress on its way to whoever watches: here by a hint, at other servers by the report itself,
 * since it is in no database that they could read. */

/* A report that this server took from a node. */
void progress_share(struct app *app, const struct progress_item *item,
                    struct submission_id submission);
/* The report as text. Errors: ERR_TOO_LARGE when it does not fit. */
checked bool progress_share_text(const struct progress_item *item, struct submission_id submission,
                                 struct buf *out, struct err *err);
/* A whole report from another server; true: it was new. */
bool progress_share_adopt(struct app *app, struct str text);
/* Takes what other servers share. */
void progress_share_listen(struct app *app);

#endif
