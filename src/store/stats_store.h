#ifndef STORE_STATS_STORE_H
#define STORE_STATS_STORE_H

#include "domain/verdict.h"
#include "store/db.h"

/* Counts over all submissions: reads the whole table, so callers keep the answer a while.
 */
checked bool stats_store_verdicts(struct db *db, int64_t ret_counts[VERDICT_COUNT],
                                  struct err *err);

#endif
