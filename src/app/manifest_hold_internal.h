#ifndef APP_MANIFEST_HOLD_INTERNAL_H
#define APP_MANIFEST_HOLD_INTERNAL_H

#include "app/held_internal.h"
#include "app/lease_end_internal.h"
#include "domain/actor.h"

/* A problem whose own checker or data is broken (DESIGN section 4, class PROBLEM). After faults of
 * MANIFEST_FAULTS_MAX submissions the jobs of its manifest are held, so that nobody else gets a
 * system error for it and no node is kept busy; its owner finds it on the page of jobs. A new
 * version of the package, or an operator, lets them go. */

#define MANIFEST_FAULTS_MAX 3

/* A judging of the held job has ended by a fault of the problem, for good. Counts it. *ret_hold:
 * the manifest is known to be broken already, so the job is to be held, not failed. */
checked bool manifest_fault_note(struct app *app, struct db *db, const struct held_job *held,
                                 const struct ending *ending, bool *ret_hold, struct err *err);

/* Maintenance: holds what waits for a broken manifest, and lets go what waits for a mended one. */
bool manifest_hold_pass(struct app *app);

/* In the transaction that gives a problem another manifest: jobs of broken ones may go. */
checked bool manifest_hold_mended(struct db *db, struct problem_id problem, struct arena *arena,
                                  struct err *err);

#endif
