#ifndef STORE_RETENTION_STORE_H
#define STORE_RETENTION_STORE_H

#include "store/db.h"

/* What grows with use and is kept for a time only. Each kind is gone through by its key, page by
 * page; a row is removed by its key alone, after its age was looked at again in the transaction. */

enum retention_kind {
    RETENTION_RUN_JOBS, /* own input, no score: with snapshot and result */
    RETENTION_BODIES,   /* snapshots of closed jobs that a later judging has replaced */
    RETENTION_NODE_EVENTS,
    RETENTION_AUDIT,
    RETENTION_SESSIONS, /* of users, ended */
    RETENTION_KIND_COUNT,
};

const char *retention_kind_name(enum retention_kind kind); /* "run_jobs" */

struct retention_row {
    int64_t key;
    int64_t over_ms; /* since when it is of no use; 0: it still is */
};
/* Keys above `after`, ascending, at most `max`. */
struct retention_page {
    int64_t after;
    struct retention_row *rows;
    int max;
    int count; /* out */
};
checked bool retention_store_page(struct db *db, enum retention_kind kind,
                                  struct retention_page *page, struct err *err);
/* Removes the row unless it is in use again or younger than `before_ms`; *ret_removed tells. */
checked bool retention_store_remove(struct db *db, enum retention_kind kind, int64_t key,
                                    int64_t before_ms, bool *ret_removed, struct err *err);

/* The right to maintain, held by one server at a time until a time of the database's clock.
 * *ret_held is false while another server has it. */
struct maintainer {
    struct str name; /* of what is maintained */
    struct str owner;
    int64_t now_ms;
    int64_t lease_ms;
};
checked bool maintenance_lease_take(struct db *db, const struct maintainer *maintainer,
                                    bool *ret_held, struct err *err);

#endif
