#include "store/avoid_store.h"
#include "base/check.h"

static const struct rows_write avoid_delete = {
    .kind = ROWS_DELETE,
    .table = "job_avoid",
    .columns = "job_id, node_id",
    .column_count = 2,
    .key_count = 2,
    .may_miss = true,
};
static const struct rows_write avoid_insert = {
    .kind = ROWS_INSERT,
    .table = "job_avoid",
    .columns = "job_id, node_id, at_ms",
    .column_count = 3,
    .key_count = 2,
};
const struct rows_select avoid_select = {
    .sql = "SELECT job_id, node_id, at_ms FROM job_avoid", .keys = {"job_id"}, .key_count = 1};

bool avoid_store_note(struct db *db, struct job_id job, struct node_id node, int64_t now_ms,
                      struct err *err) {
    CHECK(db_has_lock(db, LOCK_JOB, LOCK_EXCLUSIVE, job.value));
    const struct rows_value values[] = {rows_i64(job.value), rows_i64(node.value),
                                        rows_i64(now_ms)};
    return db_put(db, &avoid_delete, values, err) && db_put(db, &avoid_insert, values, err);
}

bool avoid_store_forget(struct db *db, struct job_id job, struct err *err) {
    CHECK(db_has_lock(db, LOCK_JOB, LOCK_EXCLUSIVE, job.value));
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, "DELETE FROM job_avoid WHERE job_id = ?", &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, job.value);
    return db_run(stmt, NULL, err);
}
