#ifndef STORE_REJUDGING_STORE_H
#define STORE_REJUDGING_STORE_H

#include "domain/rejudging.h"
#include "store/selection_store.h"

/* Rejudgings and their items. A rejudging's row belongs to its own lock (LOCK_REJUDGING), an item
 * to that of its submission. */

struct rejudging_row {
    struct rejudging_id id;
    enum rejudging_state state;
    uint32_t options; /* enum rejudging_option */
    struct str reason;
    struct user_id actor; /* 0: the system */
    struct str username;  /* his; only read */
    int64_t cursor;
    int64_t until; /* the newest submission when it was made */
    struct selection selection;
    int64_t created_ms;
    int64_t finished_ms; /* 0: the first step is not over */
    int64_t revision;
};
checked bool rejudging_insert(struct db *db, const struct rejudging_row *row, struct arena *arena,
                              struct err *err);
checked bool rejudging_find(struct db *db, struct rejudging_id id, struct arena *arena,
                            struct rejudging_row *ret_row, bool *ret_found, struct err *err);
/* State, cursor and time of finishing; the revision grows. */
checked bool rejudging_update(struct db *db, const struct rejudging_row *row, struct err *err);
/* Newest first, ids below `before` (0: all). */
struct rejudging_rows {
    struct rejudging_row *rows; /* room for `max` */
    int max;
    int count;
};
checked bool rejudging_list_rows(struct db *db, int64_t before, struct arena *arena,
                                 struct rejudging_rows *page, struct err *err);
/* Those that have something to do, or wait for their jobs; oldest first. */
checked bool rejudging_active(struct db *db, struct rejudging_id *ret_ids, int max, int *ret_count,
                              struct err *err);

struct item_outcome {
    enum verdict verdict;
    int64_t score_micro;
    int32_t cases_passed;
    int32_t cases_total;
    int64_t cpu_ms;
    int64_t memory_kib;
    int64_t judged_ms;
};
struct item_row {
    struct rejudging_id rejudging;
    struct submission_id submission;
    enum item_state state;
    enum item_reason reason;
    struct job_id job;
    struct job_id old_job;
    struct item_outcome before;
    struct item_outcome after;
};
checked bool item_insert(struct db *db, const struct item_row *item, struct err *err);
/* State, reason, job and what came out. */
checked bool item_update(struct db *db, const struct item_row *item, struct err *err);
checked bool item_get(struct db *db, struct rejudging_id rejudging, struct submission_id submission,
                      struct item_row *ret_item, bool *ret_found, struct err *err);
/* The item whose new judging this job is. */
checked bool item_of_job(struct db *db, struct job_id job, struct item_row *ret_item,
                         bool *ret_found, struct err *err);
/* The item of another rejudging that is not over, being judged or waiting to be applied. */
checked bool item_pending(struct db *db, struct submission_id submission,
                          struct rejudging_id not_of, struct item_row *ret_item, bool *ret_found,
                          struct err *err);
/* Items in one of the states above `after`, ascending. */
struct item_rows {
    uint32_t states; /* bits: 1 << state */
    int64_t after;
    struct item_row *rows; /* room for `max` */
    int max;
    int count;
};
checked bool item_page(struct db *db, struct rejudging_id rejudging, struct item_rows *page,
                       struct err *err);

struct rejudging_counts {
    int64_t by_state[ITEM_STATE_COUNT];
    int64_t gains; /* of those that are judged, applied or not */
    int64_t losses;
    int64_t others;
    int64_t same;
};
checked bool rejudging_count(struct db *db, struct rejudging_id id,
                             struct rejudging_counts *ret_counts, struct err *err);

/* For people: an item with names, filtered by change (CHANGE_NONE: any) or state (ITEM_NONE: any).
 */
struct item_query {
    struct rejudging_id rejudging;
    enum item_change change;
    enum item_state state;
    int64_t after;
    int limit;
};
struct item_named {
    struct item_row item;
    struct str username;
    struct str problem_code;
    struct problem_id problem;
    struct str language;
};
checked bool item_list(struct db *db, const struct item_query *query, struct arena *arena,
                       struct item_named *ret_items, int *ret_count, struct err *err);

#endif
