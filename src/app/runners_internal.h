#ifndef APP_RUNNERS_INTERNAL_H
#define APP_RUNNERS_INTERNAL_H

#include "app/app_internal.h"

/* The threads that run the writer's batches. A file has one writer at a time, and so has an app
 * that is stepped. On MySQL a second one has a connection of its own, as if it were another server:
 * while one waits for the log, the other's statements run. More would only make batches smaller.
 * What they share in memory has a mutex, ids among it: lists are in the order of ids, and a
 * server's own must be in the order of time. News are each one's own. */

#define RUNNERS_MORE 1 /* beside app->db */

struct runner {
    struct db *db;
    struct news *news;
};

/* Opens the writer, with more runners when `options` is of a MySQL database and there are threads,
 * and starts it. */
checked bool runners_open(struct app *app, const struct db_options *options, struct err *err);
void runners_stop(struct app *app); /* finishes what is queued, gives ids back */
void runners_free(struct app *app); /* accepts what was never opened */

/* Inside write_kind.run. */
int64_t runner_take_id(struct app *app, enum id_sequence sequence);
/* Inside write_kind.run and committed: of the thread that asks. */
struct news *runner_news(struct app *app);
struct db *runner_db(struct app *app);

#endif
