#ifndef STORE_RECONCILE_STORE_H
#define STORE_RECONCILE_STORE_H

#include "domain/ids.h"
#include "store/db.h"

/* Numbers about the whole database, for operators. Each reads a whole table. */

struct reconcile_counts {
    int64_t submissions;
    int64_t judged;
    int64_t system_errors;
    int64_t waiting; /* open jobs */
    int64_t held;
    int64_t events;
    int64_t leases_over; /* that ended before `before_ms` */
    int64_t events_old;  /* due before it */
};
checked bool reconcile_store_counts(struct db *db, int64_t before_ms,
                                    struct reconcile_counts *ret_counts, struct err *err);

/* Digests of known files above `after`, ascending; NULL: from the first. */
struct sha256_page {
    uint8_t (*rows)[32]; /* room for `max` */
    int max;
    int count;
};
checked bool reconcile_store_files(struct db *db, const uint8_t after[32], struct sha256_page *page,
                                   struct err *err);
checked bool reconcile_store_knows(struct db *db, const uint8_t sha256[32], bool *ret_known,
                                   struct err *err);

#endif
