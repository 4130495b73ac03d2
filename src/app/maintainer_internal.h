#ifndef APP_MAINTAINER_INTERNAL_H
#define APP_MAINTAINER_INTERNAL_H

#include "app/app_internal.h"

/* Work that one server at a time does for all (maintenance_lease). The name of this server is made
 * when the app opens. */

/* Which of the servers this is, for rows that name one. */
struct str maintainer_text(const struct app *app);

/* In a write transaction: takes or prolongs the right to maintain `what`; *ret_held false: another
 * server has it. Reads the clock. */
checked bool maintainer_take(struct app *app, struct db *db, struct str what, bool *ret_held,
                             struct err *err);

#endif
