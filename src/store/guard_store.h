#ifndef STORE_GUARD_STORE_H
#define STORE_GUARD_STORE_H

#include "domain/outage.h"
#include "store/db.h"

/* What the servers have seen of the database's clock: the highest time (a clock that was set back
 * while everything was stopped is noticed by it; 0 at first), and the newest outage. */
struct guard_row {
    int64_t highest_ms;
    struct outage outage;
};
checked bool guard_store_get(struct db *db, struct guard_row *ret_row, struct err *err);
checked bool guard_store_set(struct db *db, const struct guard_row *row, struct err *err);

#endif
