#include "store/place_store.h"
#include "base/check.h"
#include "store/job_store.h"
#include "store/rows.h"

#define READY_KEY "queue_id, priority, order_key, job_id"

static const struct rows_write ready_insert = {.kind = ROWS_INSERT,
                                               .table = "job_ready",
                                               .columns = READY_KEY,
                                               .column_count = 4,
                                               .key_count = 4};
static const struct rows_write ready_delete = {.kind = ROWS_DELETE,
                                               .table = "job_ready",
                                               .columns = READY_KEY,
                                               .column_count = 4,
                                               .key_count = 4,
                                               .may_miss = true};

static bool put_ready(struct db *db, const struct rows_write *write, const struct job *job,
                      struct err *err) {
    const struct rows_value values[] = {rows_i64(job->queue.value), rows_i64(job->priority),
                                        rows_i64(job->order_key), rows_i64(job->id.value)};
    return db_put(db, write, values, err);
}

bool place_insert_ready(struct db *db, const struct job *job, struct err *err) {
    CHECK(job->state == JOB_QUEUED && job->due_ms == 0);
    return put_ready(db, &ready_insert, job, err);
}

bool place_delete_ready(struct db *db, const struct job *job, struct err *err) {
    CHECK(db_has_lock(db, LOCK_JOB, LOCK_EXCLUSIVE, job->id.value));
    return put_ready(db, &ready_delete, job, err);
}

/* Where claims own their queue, they lock a job before its row: who has the job has the row. */
#define FIND_READY                                                                                 \
    "SELECT job_id FROM job_ready WHERE queue_id = ? AND priority = ? AND order_key = ? AND "      \
    "job_id = ?"

bool place_drop_ready(struct db *db, const struct job *job, bool *ret_dropped, struct err *err) {
    own(db_stmt) stmt = NULL;
    const char *sql =
        db_claims_owned(db) ? FIND_READY : FIND_READY " /*! FOR UPDATE SKIP LOCKED */";
    if (!db_prepare(db, sql, &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, job->queue.value);
    db_bind_i64(stmt, 2, job->priority);
    db_bind_i64(stmt, 3, job->order_key);
    db_bind_i64(stmt, 4, job->id.value);
    if (!db_find(stmt, ret_dropped, err)) {
        return false;
    }
    db_reset(stmt);
    return !*ret_dropped || place_delete_ready(db, job, err);
}

static const struct rows_write delayed_insert = {.kind = ROWS_INSERT,
                                                 .table = "job_delayed",
                                                 .columns = "due_ms, job_id, reason",
                                                 .column_count = 3,
                                                 .key_count = 2};
static const struct rows_write delayed_delete = {.kind = ROWS_DELETE,
                                                 .table = "job_delayed",
                                                 .columns = "due_ms, job_id",
                                                 .column_count = 2,
                                                 .key_count = 2,
                                                 .may_miss = true};

static bool drop_all(struct db *db, const char *sql, struct job_id job, bool *ret_some,
                     struct err *err) {
    own(db_stmt) stmt = NULL;
    int64_t changes = 0;
    if (!db_prepare(db, sql, &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, job.value);
    if (!db_run(stmt, &changes, err)) {
        return false;
    }
    *ret_some = changes > 0;
    return true;
}

bool place_drop_all(struct db *db, struct job_id job, bool *ret_ready, bool *ret_delayed,
                    struct err *err) {
    CHECK(db_has_lock(db, LOCK_JOB, LOCK_EXCLUSIVE, job.value));
    return drop_all(db, "DELETE FROM job_ready WHERE job_id = ?", job, ret_ready, err) &&
           drop_all(db, "DELETE FROM job_delayed WHERE job_id = ?", job, ret_delayed, err);
}

bool place_insert_delayed(struct db *db, const struct job *job, enum delay_reason reason,
                          struct err *err) {
    CHECK(job->state == JOB_QUEUED && job->due_ms > 0);
    const struct rows_value values[] = {rows_i64(job->due_ms), rows_i64(job->id.value),
                                        rows_i64(reason)};
    return db_put(db, &delayed_insert, values, err);
}

bool place_delete_delayed(struct db *db, int64_t due_ms, struct job_id job, struct err *err) {
    CHECK(db_has_lock(db, LOCK_JOB, LOCK_EXCLUSIVE, job.value));
    const struct rows_value values[] = {rows_i64(due_ms), rows_i64(job.value)};
    return db_put(db, &delayed_delete, values, err);
}

#define READY_SQL                                                                                  \
    "SELECT r.job_id, " JOB_COLUMNS(j) ", " BODY_COLUMNS(                                          \
        b) " FROM job_ready r LEFT JOIN job j ON "                                                 \
           "j.id = r.job_id LEFT JOIN job_body b ON b.job_id = r.job_id WHERE r.queue_id = ? AND " \
           "r.priority = ? ORDER BY r.queue_id, r.priority, r.order_key, r.job_id LIMIT ?"

static const struct rows_select skipping = {.sql = READY_SQL " /*! FOR UPDATE SKIP LOCKED */"};
static const struct rows_select plain = {.sql = READY_SQL};

const struct rows_select *ready_select(const struct db *db) {
    return db_claims_owned(db) ? &plain : &skipping;
}

static void append_step(struct db_stmt *stmt, enum dialect dialect, struct buf *out) {
    if (dialect == DIALECT_SQLITE) {
        buf_append(out, db_text(stmt, 3));
    } else { /* table, type, key, rows, Extra */
        buf_printf(out, STR_FMT ": " STR_FMT " by " STR_FMT ", " STR_FMT, STR_ARG(db_text(stmt, 2)),
                   STR_ARG(db_text(stmt, 3)), STR_ARG(db_text(stmt, 5)), STR_ARG(db_text(stmt, 9)));
    }
    buf_append_char(out, '\n');
}

bool place_explain_claim(struct db *db, struct queue_id queue, struct buf *out, struct err *err) {
    own(db_stmt) stmt = NULL;
    enum dialect dialect = db_dialect(db);
    const char *sql = dialect == DIALECT_SQLITE ? "EXPLAIN QUERY PLAN " READY_SQL
                      : db_claims_owned(db)     ? "EXPLAIN " READY_SQL
                                                : "EXPLAIN " READY_SQL " FOR UPDATE SKIP LOCKED";
    if (!db_prepare(db, sql, &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, queue.value);
    db_bind_i64(stmt, 2, PRIORITY_PRACTICE);
    db_bind_i64(stmt, 3, 64);
    enum db_step step = DB_DONE;
    while ((step = db_step(stmt, err)) == DB_ROW) {
        append_step(stmt, dialect, out);
    }
    return step == DB_DONE && buf_ok(out, "the plan", err);
}

bool place_due(struct db *db, int64_t now_ms, struct due_job *ret_jobs, int max, int *ret_count,
               struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db,
                    "SELECT due_ms, job_id FROM job_delayed WHERE due_ms <= ? "
                    "ORDER BY due_ms, job_id LIMIT ?",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, now_ms < DELAYED_HELD_MS ? now_ms : DELAYED_HELD_MS - 1);
    db_bind_i64(stmt, 2, max);
    int count = 0;
    enum db_step step = DB_DONE;
    while ((step = db_step(stmt, err)) == DB_ROW) {
        CHECK(count < max);
        ret_jobs[count++] = (struct due_job){.due_ms = db_i64(stmt, 0), .job = {db_i64(stmt, 1)}};
    }
    *ret_count = count;
    return step == DB_DONE;
}

static bool run_shift(struct db *db, const char *sql, int64_t jump_ms, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, sql, &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, jump_ms);
    db_bind_i64(stmt, 2, DELAYED_HELD_MS);
    return db_run(stmt, NULL, err);
}

bool place_shift(struct db *db, int64_t jump_ms, struct err *err) {
    return run_shift(db,
                     "UPDATE job SET due_ms = due_ms + ? WHERE id IN (SELECT job_id FROM "
                     "job_delayed WHERE due_ms <> ?)",
                     jump_ms, err) &&
           run_shift(db, "UPDATE job_delayed SET due_ms = due_ms + ? WHERE due_ms <> ?", jump_ms,
                     err);
}

static bool read_count(struct db_stmt *stmt, int64_t *ret_count, struct err *err) {
    bool found = false;
    if (!db_find(stmt, &found, err)) {
        return false;
    }
    *ret_count = db_i64(stmt, 0);
    return true;
}

bool place_scan(struct db *db, struct queue_id queue, struct job_id *ret_jobs, int max,
                int *ret_count, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db,
                    "SELECT job_id FROM job_ready WHERE queue_id = ? "
                    "ORDER BY queue_id, priority, order_key, job_id LIMIT ?",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, queue.value);
    db_bind_i64(stmt, 2, max);
    int count = 0;
    enum db_step step = DB_DONE;
    while ((step = db_step(stmt, err)) == DB_ROW) {
        CHECK(count < max);
        ret_jobs[count++].value = db_i64(stmt, 0);
    }
    *ret_count = count;
    return step == DB_DONE;
}

bool place_lane_depth(struct db *db, const struct lane_query *query, int64_t *ret_depth,
                      struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db,
                    "SELECT count(*) FROM (SELECT 1 FROM job_ready WHERE queue_id = ? AND "
                    "priority = ? LIMIT ?) AS waiting",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, query->queue.value);
    db_bind_i64(stmt, 2, query->priority);
    db_bind_i64(stmt, 3, query->max);
    return read_count(stmt, ret_depth, err);
}

bool place_oldest(struct db *db, struct queue_id queue, int64_t max, int64_t *ret_created_ms,
                  struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db,
                    "SELECT coalesce(min(j.created_ms), 0) FROM (SELECT job_id FROM job_ready "
                    "WHERE queue_id = ? ORDER BY queue_id, priority, order_key, job_id LIMIT ?) "
                    "AS next JOIN job j ON j.id = next.job_id",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, queue.value);
    db_bind_i64(stmt, 2, max);
    return read_count(stmt, ret_created_ms, err);
}

bool place_depth(struct db *db, struct queue_id queue, int64_t max, int64_t *ret_depth,
                 struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db,
                    "SELECT count(*) FROM (SELECT 1 FROM job_ready WHERE queue_id = ? LIMIT ?) "
                    "AS waiting",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, queue.value);
    db_bind_i64(stmt, 2, max);
    return read_count(stmt, ret_depth, err);
}

bool place_ready_queues(struct db *db, struct queue_id *ret_queues, int max, int *ret_count,
                        struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db,
                    "SELECT id FROM queue WHERE EXISTS (SELECT 1 FROM job_ready WHERE "
                    "job_ready.queue_id = queue.id) ORDER BY id LIMIT ?",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, max);
    int count = 0;
    for (;;) {
        switch (db_step(stmt, err)) {
        case DB_ROW: ret_queues[count++] = (struct queue_id){db_i64(stmt, 0)}; break;
        case DB_DONE: *ret_count = count; return true;
        case DB_FAILED: return err_wrap(err, "find queues with ready jobs");
        }
    }
}
