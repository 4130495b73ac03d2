#ifndef APP_PROGRESS_TABLE_INTERNAL_H
#define APP_PROGRESS_TABLE_INTERNAL_H

#include "app/progress_internal.h"

/* Progress between servers that share a database while no Redis carries it: each writes what its
 * nodes have reported, all in one transaction a second, and reads how all watched submissions stand
 * in one statement a second. Neither costs anything while nothing runs or nobody watches. */

/* Servers may share the database, and Redis does not tell them: it is away, or there is none. */
bool progress_table_is_used(const struct app *app);
/* True: there was something to write. */
bool progress_publish(struct app *app);
/* Tells the viewers of what has changed at other servers. */
void progress_look(struct app *app);
/* Rows whose server is gone. */
void progress_table_sweep(struct app *app);

#endif
