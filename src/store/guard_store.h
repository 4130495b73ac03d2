#ifndef STORE_GUARD_STORE_H
#define STORE_GUARD_STORE_H

#include "store/db.h"

/* The highest database time that any server has seen: a clock that was set back while everything
 * was stopped is noticed by it. 0 at first. */
checked bool guard_store_highest(struct db *db, int64_t *ret_highest_ms, struct err *err);
checked bool guard_store_set(struct db *db, int64_t highest_ms, struct err *err);

#endif
