#include "store/lease_store.h"
#include "base/check.h"
#include "store/rows.h"

static const struct rows_write lease_insert = {
    .kind = ROWS_INSERT,
    .table = "job_lease",
    .columns = "job_id, node_id, host_group_id, session_epoch, lease_epoch, lease_token, "
               "claim_key, lease_until_ms, stop_at_ms, claimed_ms, revoked",
    .column_count = 11,
    .key_count = 1,
};

bool lease_store_insert(struct db *db, const struct lease *lease, struct err *err) {
    CHECK(db_has_lock(db, LOCK_JOB, LOCK_EXCLUSIVE, lease->job.value));
    CHECK(lease->until_ms <= lease->stop_at_ms);
    const struct rows_value values[] = {
        rows_i64(lease->job.value),
        rows_i64(lease->node.value),
        rows_i64(lease->host_group.value),
        rows_i64(lease->session_epoch),
        rows_i64(lease->epoch),
        rows_i64((int64_t)lease->token),
        rows_i64((int64_t)lease->claim_key),
        rows_i64(lease->until_ms),
        rows_i64(lease->stop_at_ms),
        rows_i64(lease->claimed_ms),
        rows_i64(0),
    };
    return db_put(db, &lease_insert, values, err);
}

#define LEASE_SQL                                                                                  \
    "SELECT l.job_id, l.node_id, l.host_group_id, l.session_epoch, l.lease_epoch, l.lease_token, " \
    "l.claim_key, l.lease_until_ms, l.stop_at_ms, l.claimed_ms, l.revoked FROM job_lease l "

const struct rows_select lease_select = {
    .sql = LEASE_SQL "/*! FORCE INDEX (PRIMARY) */", .keys = {"l.job_id"}, .key_count = 1};
const struct rows_select lease_of_node_select = {
    .sql = LEASE_SQL, .keys = {"l.node_id"}, .key_count = 1};
const struct rows_select lease_count_select = {
    .sql = "SELECT l.host_group_id, count(*) FROM job_lease l",
    .keys = {"l.host_group_id"},
    .key_count = 1,
    .tail = " GROUP BY l.host_group_id"};

struct lease lease_from_row(struct db_stmt *row) {
    return (struct lease){
        .job = {db_i64(row, 0)},
        .node = {db_i64(row, 1)},
        .host_group = {db_i64(row, 2)},
        .session_epoch = db_i64(row, 3),
        .epoch = db_i64(row, 4),
        .token = (uint64_t)db_i64(row, 5),
        .claim_key = (uint64_t)db_i64(row, 6),
        .until_ms = db_i64(row, 7),
        .stop_at_ms = db_i64(row, 8),
        .claimed_ms = db_i64(row, 9),
        .revoked = db_i64(row, 10) != 0,
    };
}

bool lease_store_get(struct db *db, struct job_id job, struct lease *ret_lease, bool *ret_found,
                     struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, LEASE_SQL "WHERE l.job_id = ?", &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, job.value);
    if (!db_find(stmt, ret_found, err)) {
        return false;
    }
    if (*ret_found) {
        *ret_lease = lease_from_row(stmt);
    }
    return true;
}

static const struct rows_write lease_delete = {
    .kind = ROWS_DELETE,
    .table = "job_lease",
    .columns = "job_id",
    .column_count = 1,
    .key_count = 1,
};

bool lease_store_delete(struct db *db, struct job_id job, struct err *err) {
    CHECK(db_has_lock(db, LOCK_JOB, LOCK_EXCLUSIVE, job.value));
    const struct rows_value values[] = {rows_i64(job.value)};
    return db_put(db, &lease_delete, values, err);
}

static const struct rows_write lease_revoke = {
    .kind = ROWS_UPDATE,
    .table = "job_lease",
    .columns = "job_id, revoked",
    .column_count = 2,
    .key_count = 1,
};

bool lease_store_revoke(struct db *db, struct job_id job, struct err *err) {
    CHECK(db_has_lock(db, LOCK_JOB, LOCK_EXCLUSIVE, job.value));
    const struct rows_value values[] = {rows_i64(job.value), rows_i64(1)};
    return db_put(db, &lease_revoke, values, err);
}

static const struct rows_write lease_set_until = {
    .kind = ROWS_UPDATE,
    .table = "job_lease",
    .columns = "job_id, lease_until_ms",
    .column_count = 2,
    .key_count = 1,
};

bool lease_store_set_until(struct db *db, struct job_id job, int64_t until_ms, struct err *err) {
    CHECK(db_has_lock(db, LOCK_JOB, LOCK_EXCLUSIVE, job.value));
    const struct rows_value values[] = {rows_i64(job.value), rows_i64(until_ms)};
    return db_put(db, &lease_set_until, values, err);
}

static bool read_page(struct db_stmt *stmt, struct lease_page *page, struct err *err) {
    page->count = 0;
    enum db_step step = DB_DONE;
    while ((step = db_step(stmt, err)) == DB_ROW) {
        CHECK(page->count < page->max);
        page->jobs[page->count++].value = db_i64(stmt, 0);
    }
    return step == DB_DONE;
}

bool lease_store_expired(struct db *db, int64_t now_ms, struct lease_page *page, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db,
                    "SELECT job_id FROM job_lease WHERE lease_until_ms <= ? "
                    "ORDER BY lease_until_ms LIMIT ?",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, now_ms);
    db_bind_i64(stmt, 2, page->max);
    return read_page(stmt, page, err);
}

bool lease_store_of_node(struct db *db, struct node_id node, struct lease_page *page,
                         struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, "SELECT job_id FROM job_lease WHERE node_id = ? ORDER BY job_id LIMIT ?",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, node.value);
    db_bind_i64(stmt, 2, page->max);
    return read_page(stmt, page, err);
}

bool lease_store_shift(struct db *db, int64_t jump_ms, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db,
                    "UPDATE job_lease SET lease_until_ms = lease_until_ms + ?, "
                    "stop_at_ms = stop_at_ms + ?, claimed_ms = claimed_ms + ?",
                    &stmt, err)) {
        return false;
    }
    for (int i = 1; i <= 3; i++) {
        db_bind_i64(stmt, i, jump_ms);
    }
    return db_run(stmt, NULL, err);
}
