#include "store/lease_store.h"
#include "base/check.h"

bool lease_store_insert(struct db *db, const struct lease *lease, struct err *err) {
    CHECK(db_has_lock(db, LOCK_JOB, LOCK_EXCLUSIVE, lease->job.value));
    CHECK(lease->until_ms <= lease->stop_at_ms);
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db,
                    "INSERT INTO job_lease (job_id, node_id, host_group_id, session_epoch, "
                    "lease_epoch, lease_token, claim_key, lease_until_ms, stop_at_ms, claimed_ms, "
                    "revoked) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, lease->job.value);
    db_bind_i64(stmt, 2, lease->node.value);
    db_bind_i64(stmt, 3, lease->host_group.value);
    db_bind_i64(stmt, 4, lease->session_epoch);
    db_bind_i64(stmt, 5, lease->epoch);
    db_bind_i64(stmt, 6, (int64_t)lease->token);
    db_bind_i64(stmt, 7, (int64_t)lease->claim_key);
    db_bind_i64(stmt, 8, lease->until_ms);
    db_bind_i64(stmt, 9, lease->stop_at_ms);
    db_bind_i64(stmt, 10, lease->claimed_ms);
    return db_run_one(stmt, err);
}

bool lease_store_get(struct db *db, struct job_id job, struct lease *ret_lease, bool *ret_found,
                     struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db,
                    "SELECT node_id, host_group_id, session_epoch, lease_epoch, lease_token, "
                    "claim_key, lease_until_ms, stop_at_ms, claimed_ms, revoked FROM job_lease "
                    "WHERE job_id = ?",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, job.value);
    if (!db_find(stmt, ret_found, err)) {
        return false;
    }
    if (!*ret_found) {
        return true;
    }
    *ret_lease = (struct lease){
        .job = job,
        .node = {db_i64(stmt, 0)},
        .host_group = {db_i64(stmt, 1)},
        .session_epoch = db_i64(stmt, 2),
        .epoch = db_i64(stmt, 3),
        .token = (uint64_t)db_i64(stmt, 4),
        .claim_key = (uint64_t)db_i64(stmt, 5),
        .until_ms = db_i64(stmt, 6),
        .stop_at_ms = db_i64(stmt, 7),
        .claimed_ms = db_i64(stmt, 8),
        .revoked = db_i64(stmt, 9) != 0,
    };
    return true;
}

bool lease_store_delete(struct db *db, struct job_id job, struct err *err) {
    CHECK(db_has_lock(db, LOCK_JOB, LOCK_EXCLUSIVE, job.value));
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, "DELETE FROM job_lease WHERE job_id = ?", &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, job.value);
    return db_run_one(stmt, err);
}

bool lease_store_revoke(struct db *db, struct job_id job, struct err *err) {
    CHECK(db_has_lock(db, LOCK_JOB, LOCK_EXCLUSIVE, job.value));
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, "UPDATE job_lease SET revoked = 1 WHERE job_id = ?", &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, job.value);
    return db_run_one(stmt, err);
}

bool lease_store_set_until(struct db *db, struct job_id job, int64_t until_ms, struct err *err) {
    CHECK(db_has_lock(db, LOCK_JOB, LOCK_EXCLUSIVE, job.value));
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, "UPDATE job_lease SET lease_until_ms = ? WHERE job_id = ?", &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, until_ms);
    db_bind_i64(stmt, 2, job.value);
    return db_run_one(stmt, err);
}

static bool count(struct db *db, const char *sql, int64_t id, int32_t *ret_count, struct err *err) {
    own(db_stmt) stmt = NULL;
    bool found = false;
    if (!db_prepare(db, sql, &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, id);
    if (!db_find(stmt, &found, err)) {
        return false;
    }
    *ret_count = (int32_t)db_i64(stmt, 0);
    return true;
}

bool lease_store_count_node(struct db *db, struct node_id node, int32_t *ret_count,
                            struct err *err) {
    return count(db, "SELECT count(*) FROM job_lease WHERE node_id = ?", node.value, ret_count,
                 err);
}

bool lease_store_count_group(struct db *db, struct host_group_id group, int32_t *ret_count,
                             struct err *err) {
    return count(db, "SELECT count(*) FROM job_lease WHERE host_group_id = ?", group.value,
                 ret_count, err);
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

bool lease_store_of_claim(struct db *db, const struct node *node, uint64_t claim_key,
                          struct lease_page *page, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db,
                    "SELECT job_id FROM job_lease WHERE node_id = ? AND session_epoch = ? AND "
                    "claim_key = ? ORDER BY job_id LIMIT ?",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, node->id.value);
    db_bind_i64(stmt, 2, node->session_epoch);
    db_bind_i64(stmt, 3, (int64_t)claim_key);
    db_bind_i64(stmt, 4, page->max);
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
