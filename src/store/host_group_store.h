#ifndef STORE_HOST_GROUP_STORE_H
#define STORE_HOST_GROUP_STORE_H

#include "base/arena.h"
#include "domain/ids.h"
#include "store/rows.h"

/* Nodes that share one physical machine, and its slot budget. */

extern const struct rows_select host_group_select; /* by id: the id, its slots */
checked bool host_group_store_insert(struct db *db, struct host_group_id id, struct str name,
                                     int32_t slots, struct err *err);
checked bool host_group_store_find(struct db *db, struct str name, struct host_group_id *ret_id,
                                   bool *ret_found, struct err *err);
struct host_group_row {
    struct host_group_id id;
    struct str name;
    int32_t slots;
    int32_t busy;  /* leases of its nodes */
    int32_t nodes; /* that are not disabled */
    int64_t revision;
};
#define HOST_GROUPS_MAX 1000
/* By name, at most HOST_GROUPS_MAX. Texts live in `arena`. */
checked bool host_group_store_list(struct db *db, struct arena *arena,
                                   struct host_group_row **ret_rows, int *ret_count,
                                   struct err *err);
checked bool host_group_store_row(struct db *db, struct host_group_id id, struct arena *arena,
                                  struct host_group_row *ret_row, bool *ret_found, struct err *err);
/* Under the group's exclusive lock. */
checked bool host_group_store_set_slots(struct db *db, struct host_group_id id, int32_t slots,
                                        struct err *err);

#endif
