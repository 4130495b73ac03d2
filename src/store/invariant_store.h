#ifndef STORE_INVARIANT_STORE_H
#define STORE_INVARIANT_STORE_H

#include "store/db.h"

/* What must hold for the whole database between any two transactions (domain/job.h, lease.h). For
 * tests, the simulator and an operator's reconcile: it reads everything, so not in daily work. */

/* ERR_SYSTEM "invariant_broken" naming the first rule that does not hold and an id for which it
 * does not. */
checked bool invariants_check(struct db *db, struct err *err);

#define INVARIANTS_MAX 48
#define BROKEN_IDS_MAX 200
#define BROKEN_COUNTED_MAX 100000

struct broken_rule {
    const char *code; /* "I03", "R1": stays the same for ever */
    const char *name;
    int64_t count;                 /* at most BROKEN_COUNTED_MAX */
    int64_t ids[BROKEN_IDS_MAX];   /* the first ones: jobs, submissions, nodes or problems */
    int64_t users[BROKEN_IDS_MAX]; /* beside a problem's: whose; else 0 */
    int id_count;
};
/* All rules that do not hold. False only when the database fails. */
checked bool invariants_find(struct db *db, struct broken_rule ret_broken[INVARIANTS_MAX],
                             int *ret_count, struct err *err);

#endif
