#ifndef STORE_JOB_STORE_H
#define STORE_JOB_STORE_H

#include "base/arena.h"
#include "domain/job.h"
#include "store/rows.h"

/* Jobs and their snapshots. A job is changed only under its lock (LOCK_JOB), which also covers its
 * place row. */

/* The columns of a job behind its id, with the table's short name in front. */
#define JOB_COLUMNS(t)                                                                             \
#t ".subject_kind, " #t ".subject_id, " #t ".generation, " #t ".queue_id, " #t                 \
       ".priority, " #t ".order_key, " #t ".due_ms, " #t ".state, " #t ".attempts, " #t            \
       ".lease_epoch, " #t ".lease_token, " #t ".node_id, " #t ".fault_node_id, " #t               \
       ".result_digest"
#define JOB_COLUMN_COUNT 14

extern const struct rows_select job_select; /* by id: the id, then JOB_COLUMNS */
/* Column 0 is the id; those of the job begin at `first`. */
struct job job_from_row(struct db_stmt *row, int first);
checked bool job_store_get(struct db *db, struct job_id id, struct job *ret_job, bool *ret_found,
                           struct err *err);
checked bool job_store_insert(struct db *db, const struct job *job, int64_t now_ms,
                              struct err *err);
/* State, attempts, due time and newest lease: what a claim or the end of a lease changes. */
checked bool job_store_update(struct db *db, const struct job *job, struct err *err);
/* A closed job: state, digest and time. Which nodes failed it is forgotten. */
checked bool job_store_close(struct db *db, const struct job *job, int64_t now_ms, struct err *err);

struct job_fault {
    struct job_id job;
    enum fault fault;
    struct str code;
    struct str detail; /* for operators */
};
checked bool job_store_set_fault(struct db *db, const struct job_fault *fault, struct err *err);
checked bool job_store_fault(struct db *db, struct job_id id, struct arena *arena,
                             struct job_fault *ret_fault, struct err *err);

/* The snapshot: all that judging needs, written once. */
struct job_body {
    struct str pool;
    struct str runtime_spec;
    struct str language;
    uint8_t manifest_id[32];
    uint8_t source_sha256[32];
    int64_t source_bytes;
    int64_t time_limit_ms;
    int64_t memory_limit_kib;
    int64_t output_limit_kib;
    int64_t job_total_ms;
    struct str trace_id;
};
#define BODY_COLUMNS(t)                                                                            \
#t ".pool, " #t ".runtime_spec, " #t ".language, " #t ".manifest_id, " #t                      \
       ".source_sha256, " #t ".source_bytes, " #t ".time_limit_ms, " #t ".memory_limit_kib, " #t   \
       ".output_limit_kib, " #t ".job_total_ms, " #t ".trace_id"

extern const struct rows_select job_body_select; /* by job: its id, then BODY_COLUMNS */
/* Texts live in `arena`. */
struct job_body job_body_from_row(struct db_stmt *row, int first, struct arena *arena);
checked bool job_body_insert(struct db *db, struct job_id id, const struct job_body *body,
                             struct err *err);
/* Texts live in `arena`. ERR_MISSING "no_job". */
checked bool job_body_get(struct db *db, struct job_id id, struct arena *arena,
                          struct job_body *ret_body, struct err *err);

#endif
