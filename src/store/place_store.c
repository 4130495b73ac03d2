#include "store/place_store.h"
#include "base/check.h"

static void bind_key(struct db_stmt *stmt, const struct job *job) {
    db_bind_i64(stmt, 1, job->queue.value);
    db_bind_i64(stmt, 2, job->priority);
    db_bind_i64(stmt, 3, job->order_key);
    db_bind_i64(stmt, 4, job->id.value);
}

bool place_insert_ready(struct db *db, const struct job *job, struct err *err) {
    CHECK(job->state == JOB_QUEUED && job->due_ms == 0);
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db,
                    "INSERT INTO job_ready (queue_id, priority, order_key, job_id) "
                    "VALUES (?, ?, ?, ?)",
                    &stmt, err)) {
        return false;
    }
    bind_key(stmt, job);
    return db_run_one(stmt, err);
}

static bool run_delete(struct db_stmt *stmt, bool *ret_there, struct err *err) {
    int64_t changes = 0;
    if (!db_run(stmt, &changes, err)) {
        return false;
    }
    CHECK(changes <= 1);
    *ret_there = changes == 1;
    return true;
}

bool place_delete_ready(struct db *db, const struct job *job, bool *ret_there, struct err *err) {
    CHECK(db_has_lock(db, LOCK_JOB, LOCK_EXCLUSIVE, job->id.value));
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db,
                    "DELETE FROM job_ready WHERE queue_id = ? AND priority = ? AND order_key = ? "
                    "AND job_id = ?",
                    &stmt, err)) {
        return false;
    }
    bind_key(stmt, job);
    return run_delete(stmt, ret_there, err);
}

bool place_drop_ready(struct db *db, const struct job *job, bool *ret_dropped, struct err *err) {
    own(db_stmt) stmt = NULL;
    bool free = false;
    if (!db_prepare(db,
                    "SELECT job_id FROM job_ready WHERE queue_id = ? AND priority = ? AND "
                    "order_key = ? AND job_id = ? /*! FOR UPDATE SKIP LOCKED */",
                    &stmt, err)) {
        return false;
    }
    bind_key(stmt, job);
    if (!db_find(stmt, &free, err)) {
        return false;
    }
    db_reset(stmt);
    *ret_dropped = false;
    return !free || place_delete_ready(db, job, ret_dropped, err);
}

bool place_insert_delayed(struct db *db, const struct job *job, enum delay_reason reason,
                          struct err *err) {
    CHECK(job->state == JOB_QUEUED && job->due_ms > 0);
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, "INSERT INTO job_delayed (due_ms, job_id, reason) VALUES (?, ?, ?)", &stmt,
                    err)) {
        return false;
    }
    db_bind_i64(stmt, 1, job->due_ms);
    db_bind_i64(stmt, 2, job->id.value);
    db_bind_i64(stmt, 3, reason);
    return db_run_one(stmt, err);
}

bool place_delete_delayed(struct db *db, int64_t due_ms, struct job_id job, bool *ret_there,
                          struct err *err) {
    CHECK(db_has_lock(db, LOCK_JOB, LOCK_EXCLUSIVE, job.value));
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, "DELETE FROM job_delayed WHERE due_ms = ? AND job_id = ?", &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, due_ms);
    db_bind_i64(stmt, 2, job.value);
    return run_delete(stmt, ret_there, err);
}

bool place_next_ready(struct db *db, const struct ready_query *query, struct job_id *ret_jobs,
                      int *ret_count, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db,
                    "SELECT job_id FROM job_ready WHERE queue_id = ? AND priority = ? "
                    "ORDER BY queue_id, priority, order_key, job_id LIMIT ? "
                    "/*! FOR UPDATE SKIP LOCKED */",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, query->queue.value);
    db_bind_i64(stmt, 2, query->priority);
    db_bind_i64(stmt, 3, query->max);
    int count = 0;
    enum db_step step = DB_DONE;
    while ((step = db_step(stmt, err)) == DB_ROW) {
        CHECK(count < query->max);
        ret_jobs[count++].value = db_i64(stmt, 0);
    }
    *ret_count = count;
    return step == DB_DONE;
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

static bool count_better(struct db *db, const struct job *job, int64_t max, int64_t *ret_count,
                         struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db,
                    "SELECT count(*) FROM (SELECT 1 FROM job_ready WHERE queue_id = ? AND "
                    "priority < ? LIMIT ?) AS better",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, job->queue.value);
    db_bind_i64(stmt, 2, job->priority);
    db_bind_i64(stmt, 3, max);
    return read_count(stmt, ret_count, err);
}

static bool count_earlier(struct db *db, const struct job *job, int64_t max, int64_t *ret_count,
                          struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db,
                    "SELECT count(*) FROM (SELECT 1 FROM job_ready WHERE queue_id = ? AND "
                    "priority = ? AND (order_key < ? OR (order_key = ? AND job_id < ?)) "
                    "ORDER BY order_key, job_id LIMIT ?) AS earlier",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, job->queue.value);
    db_bind_i64(stmt, 2, job->priority);
    db_bind_i64(stmt, 3, job->order_key);
    db_bind_i64(stmt, 4, job->order_key);
    db_bind_i64(stmt, 5, job->id.value);
    db_bind_i64(stmt, 6, max);
    return read_count(stmt, ret_count, err);
}

bool place_before(struct db *db, const struct job *job, int64_t max, int64_t *ret_before,
                  struct err *err) {
    int64_t better = 0;
    int64_t earlier = 0;
    if (!count_better(db, job, max, &better, err) ||
        (better < max && !count_earlier(db, job, max - better, &earlier, err))) {
        return false;
    }
    *ret_before = better + earlier;
    return true;
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
