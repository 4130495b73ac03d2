#include "store/job_store.h"
#include "base/check.h"
#include "store/avoid_store.h"
#include "store/rows.h"

#define JOB_SQL "SELECT j.id, " JOB_COLUMNS(j) " FROM job j /*! FORCE INDEX (PRIMARY) */"

const struct rows_select job_select = {.sql = JOB_SQL, .keys = {"j.id"}, .key_count = 1};

struct job job_from_row(struct db_stmt *row, int first) {
    struct job job = {
        .id = {db_i64(row, 0)},
        .subject = (enum job_subject)db_i64(row, first),
        .submission = {db_i64(row, first + 1)},
        .generation = (int32_t)db_i64(row, first + 2),
        .queue = {db_i64(row, first + 3)},
        .priority = (enum job_priority)db_i64(row, first + 4),
        .order_key = db_i64(row, first + 5),
        .due_ms = db_i64(row, first + 6),
        .state = (enum job_state)db_i64(row, first + 7),
        .attempts = (int32_t)db_i64(row, first + 8),
        .lease_epoch = db_i64(row, first + 9),
        .lease_token = (uint64_t)db_i64(row, first + 10),
        .node = {db_i64(row, first + 11)},
        .fault_node = {db_i64(row, first + 12)},
    };
    job.has_digest = db_sha256(row, first + 13, job.digest);
    return job;
}

bool job_store_get(struct db *db, struct job_id id, struct job *ret_job, bool *ret_found,
                   struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, JOB_SQL " WHERE j.id = ?", &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, id.value);
    if (!db_find(stmt, ret_found, err)) {
        return false;
    }
    if (*ret_found) {
        *ret_job = job_from_row(stmt, 1);
    }
    return true;
}

static const struct rows_write job_insert = {
    .kind = ROWS_INSERT,
    .table = "job",
    .columns = "id, subject_kind, subject_id, generation, queue_id, priority, order_key, due_ms, "
               "state, created_ms",
    .column_count = 10,
    .key_count = 1,
    .constant_columns = "attempts, lease_epoch, lease_token, node_id, fault_node_id, fault, "
                        "fault_code, fault_detail, settled_ms",
    .constants = "0, 0, 0, 0, 0, 0, '', '', 0",
};

bool job_store_insert(struct db *db, const struct job *job, int64_t now_ms, struct err *err) {
    const struct rows_value values[] = {
        rows_i64(job->id.value),   rows_i64(job->subject),     rows_i64(job->submission.value),
        rows_i64(job->generation), rows_i64(job->queue.value), rows_i64(job->priority),
        rows_i64(job->order_key),  rows_i64(job->due_ms),      rows_i64(job->state),
        rows_i64(now_ms),
    };
    return db_put(db, &job_insert, values, err);
}

static const struct rows_write job_update = {
    .kind = ROWS_UPDATE,
    .table = "job",
    .columns = "id, state, attempts, due_ms, lease_epoch, lease_token, node_id, fault_node_id",
    .column_count = 8,
    .key_count = 1,
};

bool job_store_update(struct db *db, const struct job *job, struct err *err) {
    CHECK(db_has_lock(db, LOCK_JOB, LOCK_EXCLUSIVE, job->id.value));
    job_check(job);
    const struct rows_value values[] = {
        rows_i64(job->id.value),    rows_i64(job->state),
        rows_i64(job->attempts),    rows_i64(job->due_ms),
        rows_i64(job->lease_epoch), rows_i64((int64_t)job->lease_token),
        rows_i64(job->node.value),  rows_i64(job->fault_node.value),
    };
    return db_put(db, &job_update, values, err);
}

static const struct rows_write job_close = {
    .kind = ROWS_UPDATE,
    .table = "job",
    .columns = "id, state, due_ms, result_digest, settled_ms",
    .column_count = 5,
    .key_count = 1,
};

bool job_store_close(struct db *db, const struct job *job, int64_t now_ms, struct err *err) {
    CHECK(db_has_lock(db, LOCK_JOB, LOCK_EXCLUSIVE, job->id.value));
    CHECK(!job_is_open(job));
    job_check(job);
    const struct rows_value values[] = {
        rows_i64(job->id.value),
        rows_i64(job->state),
        rows_i64(0),
        job->has_digest ? rows_sha256(job->digest) : rows_null(),
        rows_i64(now_ms),
    };
    return db_put(db, &job_close, values, err) &&
           (job->fault_node.value == 0 || avoid_store_forget(db, job->id, err));
}

static const struct rows_write job_set_fault = {
    .kind = ROWS_UPDATE,
    .table = "job",
    .columns = "id, fault, fault_code, fault_detail",
    .column_count = 4,
    .key_count = 1,
};

bool job_store_set_fault(struct db *db, const struct job_fault *fault, struct err *err) {
    CHECK(db_has_lock(db, LOCK_JOB, LOCK_EXCLUSIVE, fault->job.value));
    const struct rows_value values[] = {
        rows_i64(fault->job.value),
        rows_i64(fault->fault),
        rows_text(str_utf8_prefix(fault->code, 64)),
        rows_text(str_utf8_prefix(fault->detail, 1024)),
    };
    return db_put(db, &job_set_fault, values, err);
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

static const struct rows_write body_insert = {
    .kind = ROWS_INSERT,
    .table = "job_body",
    .columns = "job_id, pool, runtime_spec, language, manifest_id, source_sha256, source_bytes, "
               "time_limit_ms, memory_limit_kib, output_limit_kib, job_total_ms, trace_id",
    .column_count = 12,
    .key_count = 1,
};

bool job_body_insert(struct db *db, struct job_id id, const struct job_body *body,
                     struct err *err) {
    const struct rows_value values[] = {
        rows_i64(id.value),
        rows_text(body->pool),
        rows_text(body->runtime_spec),
        rows_text(body->language),
        rows_sha256(body->manifest_id),
        rows_sha256(body->source_sha256),
        rows_i64(body->source_bytes),
        rows_i64(body->time_limit_ms),
        rows_i64(body->memory_limit_kib),
        rows_i64(body->output_limit_kib),
        rows_i64(body->job_total_ms),
        rows_text(body->trace_id),
    };
    return db_put(db, &body_insert, values, err);
}

#define BODY_SQL "SELECT b.job_id, " BODY_COLUMNS(b) " FROM job_body b /*! FORCE INDEX (PRIMARY) */"

const struct rows_select job_body_select = {.sql = BODY_SQL, .keys = {"b.job_id"}, .key_count = 1};

struct job_body job_body_from_row(struct db_stmt *row, int first, struct arena *arena) {
    struct job_body body = {
        .pool = arena_str(arena, db_text(row, first)),
        .runtime_spec = arena_str(arena, db_text(row, first + 1)),
        .language = arena_str(arena, db_text(row, first + 2)),
        .source_bytes = db_i64(row, first + 5),
        .time_limit_ms = db_i64(row, first + 6),
        .memory_limit_kib = db_i64(row, first + 7),
        .output_limit_kib = db_i64(row, first + 8),
        .job_total_ms = db_i64(row, first + 9),
        .trace_id = arena_str(arena, db_text(row, first + 10)),
    };
    (void)db_sha256(row, first + 3, body.manifest_id);
    (void)db_sha256(row, first + 4, body.source_sha256);
    return body;
}

bool job_body_get(struct db *db, struct job_id id, struct arena *arena, struct job_body *ret_body,
                  struct err *err) {
    own(db_stmt) stmt = NULL;
    bool found = false;
    if (!db_prepare(db, BODY_SQL " WHERE b.job_id = ?", &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, id.value);
    if (!db_find(stmt, &found, err)) {
        return false;
    }
    if (!found) {
        return err_set(err, ERR_MISSING, "no_job", "no job %lld", (long long)id.value);
    }
    *ret_body = job_body_from_row(stmt, 1, arena);
    return true;
}
