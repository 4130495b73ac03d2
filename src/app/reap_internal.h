#ifndef APP_REAP_INTERNAL_H
#define APP_REAP_INTERNAL_H

#include "app/app_internal.h"
#include "domain/outage.h"

/* What time does to jobs: a lease that ran out ends, a delayed job that is due becomes ready. Any
 * server may do either; each candidate is looked at again under its lock. Both return true when
 * they changed something; a failure is tried again by the next pass. */
bool reap_pass(struct app *app);
bool promote_pass(struct app *app);

/* When the database's clock has jumped against this machine's monotonic one, leases and delays move
 * along before anything is reaped. */
struct clock_watch {
    int64_t db_ms; /* of the last pass; 0: none yet */
    int64_t mono_ms;
};
/* What this server takes for an outage. */
struct outage_rule clock_guard_rule(const struct app *app);
checked bool clock_guard_pass(struct app *app, struct clock_watch *watch, struct err *err);

#endif
