#ifndef STORE_SELECTION_STORE_H
#define STORE_SELECTION_STORE_H

#include "base/arena.h"
#include "domain/job.h"
#include "domain/verdict.h"
#include "store/submission_store.h"

/* Finding submissions with their current job by what operators know of them. Every search goes by
 * ascending or descending ids in pages; a sparse match in a large table reads much of it, so only
 * administrators may ask. */

struct selection {
    struct problem_id problem; /* 0: any, as for all below */
    struct user_id user;
    struct str language;
    enum verdict verdict; /* of what counts */
    enum fault fault;     /* of the current job */
    enum job_state job_state;
    bool held; /* only jobs that wait for an operator */
    enum submission_origin origin;
    int64_t origin_id;
    int64_t from_ms;    /* handed in at or after it */
    int64_t to_ms;      /* and before it; 0: no end */
    const int64_t *ids; /* submissions, ascending; NULL: any */
    int id_count;
};

struct selection_query {
    const struct selection *selection;
    int64_t after; /* ids above it */
    int64_t until; /* and up to it */
    bool newest_first;
    int limit; /* at most LIST_LIMIT_MAX + 1 */
};

/* A submission and its current job; texts live in the arena. */
struct job_row {
    struct submission_id submission;
    struct user_id user;
    struct str username;
    struct problem_id problem;
    struct str problem_code;
    struct str language;
    enum verdict verdict;
    int64_t score_micro;
    struct job_id effective_job;
    struct job job; /* without lease epoch, token and digest */
    struct str fault_code;
    struct str fault_detail;
    enum fault fault;
    struct str hold_reason;
    struct str node_name; /* that held the newest lease */
    bool deleted;         /* only selection_one finds it */
    int64_t submitted_ms;
    int64_t created_ms; /* of the job */
    int64_t settled_ms; /* 0: open */
};
checked bool selection_page(struct db *db, const struct selection_query *query, struct arena *arena,
                            struct job_row **ret_rows, int *ret_count, struct err *err);
/* Counts no further than `max`. */
checked bool selection_count(struct db *db, const struct selection_query *query, int64_t max,
                             int64_t *ret_count, struct err *err);
/* The current job's row of one submission, also when it is deleted. */
checked bool selection_one(struct db *db, struct submission_id id, struct arena *arena,
                           struct job_row *ret_row, bool *ret_found, struct err *err);
/* The highest submission id; 0: none. */
checked bool selection_newest(struct db *db, int64_t *ret_id, struct err *err);

/* All judgings of a submission, first generation first; at most `max`. */
struct generation_row {
    struct job job; /* as in job_row */
    enum fault fault;
    struct str fault_code;
    struct str fault_detail;
    struct str node_name;
    int64_t created_ms;
    int64_t settled_ms;
};
struct generation_rows {
    struct generation_row *rows; /* room for `max` */
    int max;
    int count;
};
checked bool selection_generations(struct db *db, struct submission_id id, struct arena *arena,
                                   struct generation_rows *generations, struct err *err);

#endif
