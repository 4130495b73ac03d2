#ifndef APP_RETENTION_INTERNAL_H
#define APP_RETENTION_INTERNAL_H

#include "app/app_internal.h"

/* What grows with use goes when its time is over: closed runs of own input after an hour, replaced
 * snapshots, events of nodes, the audit log and ended sessions after the settings keep_*. By one
 * server at a time (maintenance_lease), in transactions of at most 100 rows, each found by its key.
 */

/* One pass: a few pages of each kind, from where the last pass stopped. True when it removed some.
 */
bool retention_pass(struct app *app);

#endif
