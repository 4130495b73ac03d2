#include "store/progress_store.h"

static const struct rows_write progress_delete = {
    .kind = ROWS_DELETE,
    .table = "job_progress",
    .columns = "submission_id",
    .column_count = 1,
    .key_count = 1,
    .may_miss = true,
};
static const struct rows_write progress_insert = {
    .kind = ROWS_INSERT,
    .table = "job_progress",
    .columns = "submission_id, job_id, lease_epoch, sequence, at_ms, body",
    .column_count = 6,
    .key_count = 1,
};

const struct rows_select progress_watch_select = {
    .sql = "SELECT s.id, s.effective_rev, s.current_job_id, j.state, j.lease_epoch, j.due_ms, "
           "p.lease_epoch, p.sequence, p.body FROM submission s LEFT JOIN job j ON j.id = "
           "s.current_job_id LEFT JOIN job_progress p ON p.submission_id = s.id AND p.job_id = "
           "s.current_job_id",
    .keys = {"s.id"},
    .key_count = 1};

bool progress_store_delete(struct db *db, struct submission_id submission, struct err *err) {
    const struct rows_value values[] = {rows_i64(submission.value)};
    return db_put(db, &progress_delete, values, err);
}

bool progress_store_put(struct db *db, const struct progress_row *row, struct err *err) {
    const struct rows_value values[] = {
        rows_i64(row->submission.value), rows_i64(row->job.value), rows_i64(row->lease_epoch),
        rows_i64(row->sequence),         rows_i64(row->at_ms),     rows_blob(row->body)};
    return progress_store_delete(db, row->submission, err) &&
           db_put(db, &progress_insert, values, err);
}

static bool list_old(struct db *db, int64_t before_ms, int max, int64_t *ret_ids, int *ret_count,
                     struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, "SELECT submission_id FROM job_progress WHERE at_ms < ? LIMIT ?", &stmt,
                    err)) {
        return false;
    }
    db_bind_i64(stmt, 1, before_ms);
    db_bind_i64(stmt, 2, max);
    enum db_step step = DB_DONE;
    while (*ret_count < max && (step = db_step(stmt, err)) == DB_ROW) {
        ret_ids[(*ret_count)++] = db_i64(stmt, 0);
    }
    return step != DB_FAILED;
}

bool progress_store_sweep(struct db *db, int64_t before_ms, int max, struct err *err) {
    int64_t ids[256];
    int count = 0;
    if (!list_old(db, before_ms, max < 256 ? max : 256, ids, &count, err)) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        if (!progress_store_delete(db, (struct submission_id){ids[i]}, err)) {
            return false;
        }
    }
    return true;
}
