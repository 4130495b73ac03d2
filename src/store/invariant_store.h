#ifndef STORE_INVARIANT_STORE_H
#define STORE_INVARIANT_STORE_H

#include "store/db.h"

/* What must hold for the whole database between any two transactions (domain/job.h, lease.h). For
 * tests, the simulator and an operator's reconcile: it reads everything, so not in daily work. */

/* ERR_SYSTEM "invariant_broken" naming the first rule that does not hold and an id for which it
 * does not. */
checked bool invariants_check(struct db *db, struct err *err);

#endif
