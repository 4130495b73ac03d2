#ifndef STORE_LEASE_STORE_H
#define STORE_LEASE_STORE_H

#include "domain/lease.h"
#include "store/rows.h"

/* Leases. A row belongs to its job's lock. Slots in use are counted here, never stored. */

checked bool lease_store_insert(struct db *db, const struct lease *lease, struct err *err);
extern const struct rows_select lease_select;         /* by job */
extern const struct rows_select lease_of_node_select; /* by node: all it has */
extern const struct rows_select lease_count_select;   /* by host group: its id, how many */
struct lease lease_from_row(struct db_stmt *row);
checked bool lease_store_get(struct db *db, struct job_id job, struct lease *ret_lease,
                             bool *ret_found, struct err *err);
/* CHECKs that it is there. */
checked bool lease_store_delete(struct db *db, struct job_id job, struct err *err);
/* Its holder is told to stop; the row stays, as a used slot, until he says so or it runs out. */
checked bool lease_store_revoke(struct db *db, struct job_id job, struct err *err);
checked bool lease_store_set_until(struct db *db, struct job_id job, int64_t until_ms,
                                   struct err *err);

/* Jobs of leases; the caller locks and looks again. */
struct lease_page {
    struct job_id *jobs; /* room for `max` */
    int max;
    int count;
};
/* Ended at or before now_ms; earliest first. */
checked bool lease_store_expired(struct db *db, int64_t now_ms, struct lease_page *page,
                                 struct err *err);
checked bool lease_store_of_node(struct db *db, struct node_id node, struct lease_page *page,
                                 struct err *err);

/* The database's clock has jumped: all leases move along, so that none gains or loses time. */
checked bool lease_store_shift(struct db *db, int64_t jump_ms, struct err *err);

#endif
