#ifndef STORE_NODE_CHECK_STORE_H
#define STORE_NODE_CHECK_STORE_H

#include "base/arena.h"
#include "domain/node_check.h"
#include "store/db.h"

/* Checks of nodes. A row belongs to its node's lock. */

#define NODE_CHECKS_SHOWN_MAX 20

checked bool node_check_store_insert(struct db *db, const struct node_check *check,
                                     struct err *err);
/* Texts live in `arena`. */
checked bool node_check_store_get(struct db *db, int64_t id, struct arena *arena,
                                  struct node_check *ret_check, bool *ret_found, struct err *err);
/* The newest first, at most NODE_CHECKS_SHOWN_MAX. */
checked bool node_check_store_list(struct db *db, struct node_id node, struct arena *arena,
                                   struct node_check **ret_checks, int *ret_count, struct err *err);
/* State, speed, message, time and detail of a check that is over. */
checked bool node_check_store_finish(struct db *db, const struct node_check *check,
                                     struct err *err);
/* Drops all but the newest `keep`. */
checked bool node_check_store_prune(struct db *db, struct node_id node, int keep, struct err *err);

#endif
