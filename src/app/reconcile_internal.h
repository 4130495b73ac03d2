#ifndef APP_RECONCILE_INTERNAL_H
#define APP_RECONCILE_INTERNAL_H

#include "app/app_internal.h"
#include "domain/actor.h"
#include "store/invariant_store.h"

/* Mending what a rule found, where no choice has to be made: each under the locks, after looking
 * again. Audited. */

const char *reconcile_object(const char *rule); /* what the rule's ids are: "job" */
bool reconcile_can_repair(const char *rule);
/* Adds to *repaired. Fine for rules that have no repair. */
checked bool reconcile_repair(struct app *app, const struct actor *actor,
                              const struct broken_rule *broken, int64_t *repaired, struct err *err);

#endif
