#ifndef STORE_HOLD_STORE_H
#define STORE_HOLD_STORE_H

#include "base/arena.h"
#include "domain/ids.h"
#include "store/db.h"

/* Why jobs are held, and which manifests have failed so often that theirs are. */

enum hold_kind { HOLD_BY_OPERATOR = 1, HOLD_BY_PROBLEM };

struct job_hold {
    struct job_id job;
    enum hold_kind kind;
    struct str reason;
    struct user_id actor; /* 0: the system */
    int64_t at_ms;
};
/* Under the job's lock, beside its delayed row. */
checked bool job_hold_insert(struct db *db, const struct job_hold *hold, struct err *err);
checked bool job_hold_delete(struct db *db, struct job_id job, struct err *err);
checked bool job_hold_get(struct db *db, struct job_id job, struct arena *arena,
                          struct job_hold *ret_hold, bool *ret_found, struct err *err);

/* One row a submission, however often it fails. */
checked bool manifest_fault_add(struct db *db, const uint8_t manifest[32],
                                struct submission_id submission, int64_t now_ms, struct err *err);
/* Counts no further than `max`. */
checked bool manifest_fault_count(struct db *db, const uint8_t manifest[32], int64_t max,
                                  int64_t *ret_count, struct err *err);
checked bool manifest_fault_forget(struct db *db, const uint8_t manifest[32], struct err *err);

enum manifest_hold_state { MANIFEST_HOLDING = 1, MANIFEST_HELD, MANIFEST_RELEASING };
struct manifest_hold {
    uint8_t manifest[32];
    struct problem_id problem;
    enum manifest_hold_state state;
    int64_t cursor;
    struct str code;
    struct str detail;
    int64_t at_ms;
};
checked bool manifest_hold_get(struct db *db, const uint8_t manifest[32], struct arena *arena,
                               struct manifest_hold *ret_hold, bool *ret_found, struct err *err);
checked bool manifest_hold_insert(struct db *db, const struct manifest_hold *hold, struct err *err);
/* State and cursor. */
checked bool manifest_hold_update(struct db *db, const struct manifest_hold *hold, struct err *err);
checked bool manifest_hold_delete(struct db *db, const uint8_t manifest[32], struct err *err);
/* Those of a problem (0: all). */
struct manifest_holds {
    struct manifest_hold *rows; /* room for `max` */
    int max;
    int count;
};
checked bool manifest_hold_list(struct db *db, struct problem_id problem, struct arena *arena,
                                struct manifest_holds *holds, struct err *err);
/* Queued current jobs of the hold's manifest, of submissions above its cursor, ascending: ready or
 * backing off while it is set, held by the problem while it is released. */
checked bool manifest_hold_jobs(struct db *db, const struct manifest_hold *hold,
                                struct submission_id *ret_submissions, int max, int *ret_count,
                                struct err *err);

#endif
