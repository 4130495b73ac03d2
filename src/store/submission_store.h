#ifndef STORE_SUBMISSION_STORE_H
#define STORE_SUBMISSION_STORE_H

#include "base/arena.h"
#include "domain/ids.h"
#include "domain/job.h"
#include "domain/verdict.h"
#include "store/rows.h"

/* What users handed in, and which judging of it counts. */

enum submission_kind { SUBMISSION_ALGO = 1, SUBMISSION_SQL };

struct submission_insert {
    struct submission_id id;
    enum submission_kind kind;
    struct user_id user;
    struct problem_id problem;
    uint8_t manifest_id[32];
    struct str language;
    enum submission_origin origin;
    int64_t origin_id;
    struct job_id job; /* its first one */
    int32_t cases_total;
    struct str request_key; /* empty: none */
    uint8_t request_digest[32];
    struct str trace_id;
    int64_t now_ms;
};
/* ERR_CONFLICT "duplicate" when the user has used the request key. */
checked bool submission_store_insert(struct db *db, const struct submission_insert *insert,
                                     struct err *err);
extern const struct rows_select request_select; /* by user and key: both, submission, digest */
/* Whether the user has used the key; for a look beside the transaction. */
checked bool submission_store_has_request(struct db *db, struct user_id user, struct str key,
                                          bool *ret_used, struct err *err);

/* For decisions: under the submission's lock. */
struct submission_facts {
    struct submission_id id;
    struct user_id user;
    struct problem_id problem;
    struct job_id current_job;
    struct job_id effective_job;
    int64_t effective_rev;
    int32_t generation;
    enum verdict verdict; /* of the effective job, as all below */
    int64_t score_micro;
    int32_t cases_passed;
    int32_t cases_total;
    int64_t cpu_ms;
    int64_t memory_kib;
    int64_t judged_ms;
    int64_t deleted_ms; /* 0: there */
};
extern const struct rows_select submission_facts_select; /* by id */
struct submission_facts submission_facts_from_row(struct db_stmt *row);
checked bool submission_store_get(struct db *db, struct submission_id id,
                                  struct submission_facts *ret_state, bool *ret_found,
                                  struct err *err);

/* A judging becomes the effective one. */
struct submission_outcome {
    struct submission_id id;
    struct job_id effective_job;
    int64_t effective_rev;
    enum verdict verdict;
    int64_t score_micro;
    int32_t cases_passed;
    int32_t cases_total;
    int64_t cpu_ms;
    int64_t memory_kib;
    int64_t now_ms;
};
checked bool submission_store_judged(struct db *db, const struct submission_outcome *outcome,
                                     struct err *err);
/* A further generation: from now on only its job may settle. */
checked bool submission_store_set_current(struct db *db, struct submission_id id, struct job_id job,
                                          int32_t generation, struct err *err);
/* Nobody sees it any more; its rows stay as the record of what was judged. */
checked bool submission_store_set_deleted(struct db *db, struct submission_id id, int64_t now_ms,
                                          struct err *err);

/* For people; texts live in the arena. */
struct submission_row {
    struct submission_id id;
    struct problem_id problem;
    struct str problem_code;
    struct str problem_titles; /* app/titles.h */
    struct user_id user;
    struct str username;
    struct str language;
    int32_t generation;
    struct job_id current_job;
    struct job_id effective_job;
    enum verdict verdict;
    int64_t score_micro;
    int32_t cases_passed;
    int32_t cases_total;
    int64_t cpu_ms;
    int64_t memory_kib;
    struct str trace_id;
    int64_t created_ms;
    int64_t judged_ms;
};
checked bool submission_store_row(struct db *db, struct submission_id id, struct arena *arena,
                                  struct submission_row *ret_row, bool *ret_found, struct err *err);
struct submission_query {
    struct user_id user;       /* 0: all */
    struct problem_id problem; /* 0: any */
    int64_t before;            /* ids below it; 0: the newest */
    int limit;
};
/* Newest first. */
checked bool submission_store_list(struct db *db, const struct submission_query *query,
                                   struct arena *arena, struct submission_row **ret_rows,
                                   int *ret_count, struct err *err);

/* What a further judging is made of; texts live in the arena. */
struct submission_snapshot {
    struct problem_id problem;
    struct user_id user;
    struct str language;
    struct str trace_id;
    uint8_t manifest_id[32];      /* it was handed in with */
    uint8_t problem_manifest[32]; /* the problem's current one */
    uint8_t source_sha256[32];
    int64_t source_bytes;
};
checked bool submission_store_snapshot(struct db *db, struct submission_id id, struct arena *arena,
                                       struct submission_snapshot *ret_snapshot, bool *ret_found,
                                       struct err *err);

/* What a user has reached in a problem follows from his submissions: an accepted one counts most,
 * then the score, then the earliest. The first reads all of them; the second, for submissions
 * whose verdict has changed, looks at no other unless the best one has changed. Whoever calls
 * either locks BEST_RESULTS_LOCK of LOCK_DERIVED before the transaction reads anything. */
#define BEST_RESULTS_LOCK 1
checked bool user_problem_recompute(struct db *db, struct user_id user, struct problem_id problem,
                                    struct err *err);
#define USER_PROBLEMS_MAX 200
checked bool user_problems_update(struct db *db, const struct submission_id *ids, int count,
                                  struct err *err);

#endif
