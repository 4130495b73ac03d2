#include "store/job_store.h"
#include "base/check.h"

bool job_store_get(struct db *db, struct job_id id, struct job *ret_job, bool *ret_found,
                   struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db,
                    "SELECT subject_kind, subject_id, generation, queue_id, priority, order_key, "
                    "due_ms, state, attempts, lease_epoch, lease_token, node_id, fault_node_id, "
                    "result_digest FROM job WHERE id = ?",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, id.value);
    if (!db_find(stmt, ret_found, err)) {
        return false;
    }
    if (!*ret_found) {
        return true;
    }
    *ret_job = (struct job){
        .id = id,
        .subject = (enum job_subject)db_i64(stmt, 0),
        .submission = {db_i64(stmt, 1)},
        .generation = (int32_t)db_i64(stmt, 2),
        .queue = {db_i64(stmt, 3)},
        .priority = (enum job_priority)db_i64(stmt, 4),
        .order_key = db_i64(stmt, 5),
        .due_ms = db_i64(stmt, 6),
        .state = (enum job_state)db_i64(stmt, 7),
        .attempts = (int32_t)db_i64(stmt, 8),
        .lease_epoch = db_i64(stmt, 9),
        .lease_token = (uint64_t)db_i64(stmt, 10),
        .node = {db_i64(stmt, 11)},
        .fault_node = {db_i64(stmt, 12)},
    };
    ret_job->has_digest = db_sha256(stmt, 13, ret_job->digest);
    return true;
}

bool job_store_insert(struct db *db, const struct job *job, int64_t now_ms, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db,
                    "INSERT INTO job (id, subject_kind, subject_id, generation, queue_id, "
                    "priority, order_key, due_ms, state, attempts, lease_epoch, lease_token, "
                    "node_id, fault_node_id, fault, fault_code, fault_detail, created_ms, "
                    "settled_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0, 0, 0, 0, '', '', ?, "
                    "0)",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, job->id.value);
    db_bind_i64(stmt, 2, job->subject);
    db_bind_i64(stmt, 3, job->submission.value);
    db_bind_i64(stmt, 4, job->generation);
    db_bind_i64(stmt, 5, job->queue.value);
    db_bind_i64(stmt, 6, job->priority);
    db_bind_i64(stmt, 7, job->order_key);
    db_bind_i64(stmt, 8, job->due_ms);
    db_bind_i64(stmt, 9, job->state);
    db_bind_i64(stmt, 10, now_ms);
    return db_run_one(stmt, err);
}

bool job_store_update(struct db *db, const struct job *job, struct err *err) {
    CHECK(db_has_lock(db, LOCK_JOB, LOCK_EXCLUSIVE, job->id.value));
    job_check(job);
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db,
                    "UPDATE job SET state = ?, attempts = ?, due_ms = ?, lease_epoch = ?, "
                    "lease_token = ?, node_id = ?, fault_node_id = ? WHERE id = ?",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, job->state);
    db_bind_i64(stmt, 2, job->attempts);
    db_bind_i64(stmt, 3, job->due_ms);
    db_bind_i64(stmt, 4, job->lease_epoch);
    db_bind_i64(stmt, 5, (int64_t)job->lease_token);
    db_bind_i64(stmt, 6, job->node.value);
    db_bind_i64(stmt, 7, job->fault_node.value);
    db_bind_i64(stmt, 8, job->id.value);
    return db_run_one(stmt, err);
}

bool job_store_close(struct db *db, const struct job *job, int64_t now_ms, struct err *err) {
    CHECK(db_has_lock(db, LOCK_JOB, LOCK_EXCLUSIVE, job->id.value));
    CHECK(!job_is_open(job));
    job_check(job);
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db,
                    "UPDATE job SET state = ?, due_ms = 0, result_digest = ?, settled_ms = ? "
                    "WHERE id = ?",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, job->state);
    if (job->has_digest) {
        db_bind_sha256(stmt, 2, job->digest);
    } else {
        db_bind_null(stmt, 2);
    }
    db_bind_i64(stmt, 3, now_ms);
    db_bind_i64(stmt, 4, job->id.value);
    return db_run_one(stmt, err);
}

bool job_store_set_fault(struct db *db, const struct job_fault *fault, struct err *err) {
    CHECK(db_has_lock(db, LOCK_JOB, LOCK_EXCLUSIVE, fault->job.value));
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, "UPDATE job SET fault = ?, fault_code = ?, fault_detail = ? WHERE id = ?",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, fault->fault);
    db_bind_text(stmt, 2, str_utf8_prefix(fault->code, 64));
    db_bind_text(stmt, 3, str_utf8_prefix(fault->detail, 1024));
    db_bind_i64(stmt, 4, fault->job.value);
    return db_run_one(stmt, err);
}

bool job_store_fault(struct db *db, struct job_id id, struct arena *arena,
                     struct job_fault *ret_fault, struct err *err) {
    own(db_stmt) stmt = NULL;
    bool found = false;
    if (!db_prepare(db, "SELECT fault, fault_code, fault_detail FROM job WHERE id = ?", &stmt,
                    err)) {
        return false;
    }
    db_bind_i64(stmt, 1, id.value);
    if (!db_find(stmt, &found, err)) {
        return false;
    }
    if (!found) {
        return err_set(err, ERR_MISSING, "no_job", "no job %lld", (long long)id.value);
    }
    *ret_fault = (struct job_fault){
        .job = id,
        .fault = (enum fault)db_i64(stmt, 0),
        .code = arena_str(arena, db_text(stmt, 1)),
        .detail = arena_str(arena, db_text(stmt, 2)),
    };
    return true;
}

bool job_body_insert(struct db *db, struct job_id id, const struct job_body *body,
                     struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db,
                    "INSERT INTO job_body (job_id, pool, runtime_spec, language, manifest_id, "
                    "source_sha256, source_bytes, time_limit_ms, memory_limit_kib, "
                    "output_limit_kib, job_total_ms, trace_id) "
                    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, id.value);
    db_bind_text(stmt, 2, body->pool);
    db_bind_text(stmt, 3, body->runtime_spec);
    db_bind_text(stmt, 4, body->language);
    db_bind_sha256(stmt, 5, body->manifest_id);
    db_bind_sha256(stmt, 6, body->source_sha256);
    db_bind_i64(stmt, 7, body->source_bytes);
    db_bind_i64(stmt, 8, body->time_limit_ms);
    db_bind_i64(stmt, 9, body->memory_limit_kib);
    db_bind_i64(stmt, 10, body->output_limit_kib);
    db_bind_i64(stmt, 11, body->job_total_ms);
    db_bind_text(stmt, 12, body->trace_id);
    return db_run_one(stmt, err);
}

bool job_body_get(struct db *db, struct job_id id, struct arena *arena, struct job_body *ret_body,
                  struct err *err) {
    own(db_stmt) stmt = NULL;
    bool found = false;
    if (!db_prepare(db,
                    "SELECT pool, runtime_spec, language, manifest_id, source_sha256, "
                    "source_bytes, time_limit_ms, memory_limit_kib, output_limit_kib, "
                    "job_total_ms, trace_id FROM job_body WHERE job_id = ?",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, id.value);
    if (!db_find(stmt, &found, err)) {
        return false;
    }
    if (!found) {
        return err_set(err, ERR_MISSING, "no_job", "no job %lld", (long long)id.value);
    }
    *ret_body = (struct job_body){
        .pool = arena_str(arena, db_text(stmt, 0)),
        .runtime_spec = arena_str(arena, db_text(stmt, 1)),
        .language = arena_str(arena, db_text(stmt, 2)),
        .source_bytes = db_i64(stmt, 5),
        .time_limit_ms = db_i64(stmt, 6),
        .memory_limit_kib = db_i64(stmt, 7),
        .output_limit_kib = db_i64(stmt, 8),
        .job_total_ms = db_i64(stmt, 9),
        .trace_id = arena_str(arena, db_text(stmt, 10)),
    };
    (void)db_sha256(stmt, 3, ret_body->manifest_id);
    (void)db_sha256(stmt, 4, ret_body->source_sha256);
    return true;
}
