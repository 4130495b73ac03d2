#include "store/hold_store.h"
#include "base/check.h"
#include "store/place_store.h"

bool job_hold_insert(struct db *db, const struct job_hold *hold, struct err *err) {
    CHECK(db_has_lock(db, LOCK_JOB, LOCK_EXCLUSIVE, hold->job.value));
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db,
                    "INSERT INTO job_hold (job_id, kind, reason, actor_id, at_ms) "
                    "VALUES (?, ?, ?, ?, ?)",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, hold->job.value);
    db_bind_i64(stmt, 2, hold->kind);
    db_bind_text(stmt, 3, str_utf8_prefix(hold->reason, 256));
    db_bind_i64(stmt, 4, hold->actor.value);
    db_bind_i64(stmt, 5, hold->at_ms);
    return db_run_one(stmt, err);
}

bool job_hold_delete(struct db *db, struct job_id job, struct err *err) {
    CHECK(db_has_lock(db, LOCK_JOB, LOCK_EXCLUSIVE, job.value));
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, "DELETE FROM job_hold WHERE job_id = ?", &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, job.value);
    return db_run(stmt, NULL, err);
}

bool job_hold_get(struct db *db, struct job_id job, struct arena *arena, struct job_hold *ret_hold,
                  bool *ret_found, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, "SELECT kind, reason, actor_id, at_ms FROM job_hold WHERE job_id = ?",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, job.value);
    if (!db_find(stmt, ret_found, err)) {
        return false;
    }
    if (*ret_found) {
        *ret_hold = (struct job_hold){
            .job = job,
            .kind = (enum hold_kind)db_i64(stmt, 0),
            .reason = arena_str(arena, db_text(stmt, 1)),
            .actor = {db_i64(stmt, 2)},
            .at_ms = db_i64(stmt, 3),
        };
    }
    return true;
}

/* ---- faults of a manifest ---- */

static bool has_fault(struct db *db, const uint8_t manifest[32], struct submission_id submission,
                      bool *ret_found, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, "SELECT 1 FROM manifest_fault WHERE manifest_id = ? AND submission_id = ?",
                    &stmt, err)) {
        return false;
    }
    db_bind_sha256(stmt, 1, manifest);
    db_bind_i64(stmt, 2, submission.value);
    return db_find(stmt, ret_found, err);
}

bool manifest_fault_add(struct db *db, const uint8_t manifest[32], struct submission_id submission,
                        int64_t now_ms, struct err *err) {
    CHECK(db_has_lock(db, LOCK_SUBMISSION, LOCK_EXCLUSIVE, submission.value));
    own(db_stmt) stmt = NULL;
    bool found = false;
    if (!has_fault(db, manifest, submission, &found, err)) {
        return false;
    }
    if (found) {
        return true;
    }
    if (!db_prepare(db,
                    "INSERT INTO manifest_fault (manifest_id, submission_id, at_ms) "
                    "VALUES (?, ?, ?)",
                    &stmt, err)) {
        return false;
    }
    db_bind_sha256(stmt, 1, manifest);
    db_bind_i64(stmt, 2, submission.value);
    db_bind_i64(stmt, 3, now_ms);
    return db_run_one(stmt, err);
}

bool manifest_fault_count(struct db *db, const uint8_t manifest[32], int64_t max,
                          int64_t *ret_count, struct err *err) {
    own(db_stmt) stmt = NULL;
    bool found = false;
    if (!db_prepare(db,
                    "SELECT count(*) FROM (SELECT 1 FROM manifest_fault WHERE manifest_id = ? "
                    "LIMIT ?) AS failed",
                    &stmt, err)) {
        return false;
    }
    db_bind_sha256(stmt, 1, manifest);
    db_bind_i64(stmt, 2, max);
    if (!db_find(stmt, &found, err)) {
        return false;
    }
    *ret_count = db_i64(stmt, 0);
    return true;
}

static bool run_on(struct db *db, const char *sql, const uint8_t manifest[32], struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, sql, &stmt, err)) {
        return false;
    }
    db_bind_sha256(stmt, 1, manifest);
    return db_run(stmt, NULL, err);
}

bool manifest_fault_forget(struct db *db, const uint8_t manifest[32], struct err *err) {
    return run_on(db, "DELETE FROM manifest_fault WHERE manifest_id = ?", manifest, err);
}

/* ---- manifests whose jobs are held ---- */

#define HOLD                                                                                       \
    "SELECT manifest_id, problem_id, state, cursor_id, code, detail, at_ms FROM manifest_hold "

static struct manifest_hold read_hold(struct db_stmt *stmt, struct arena *arena) {
    struct manifest_hold hold = {
        .problem = {db_i64(stmt, 1)},
        .state = (enum manifest_hold_state)db_i64(stmt, 2),
        .cursor = db_i64(stmt, 3),
        .code = arena_str(arena, db_text(stmt, 4)),
        .detail = arena_str(arena, db_text(stmt, 5)),
        .at_ms = db_i64(stmt, 6),
    };
    (void)db_sha256(stmt, 0, hold.manifest);
    return hold;
}

bool manifest_hold_get(struct db *db, const uint8_t manifest[32], struct arena *arena,
                       struct manifest_hold *ret_hold, bool *ret_found, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, HOLD "WHERE manifest_id = ?", &stmt, err)) {
        return false;
    }
    db_bind_sha256(stmt, 1, manifest);
    if (!db_find(stmt, ret_found, err)) {
        return false;
    }
    if (*ret_found) {
        *ret_hold = read_hold(stmt, arena);
    }
    return true;
}

bool manifest_hold_insert(struct db *db, const struct manifest_hold *hold, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db,
                    "INSERT INTO manifest_hold (manifest_id, problem_id, state, cursor_id, code, "
                    "detail, at_ms) VALUES (?, ?, ?, ?, ?, ?, ?)",
                    &stmt, err)) {
        return false;
    }
    db_bind_sha256(stmt, 1, hold->manifest);
    db_bind_i64(stmt, 2, hold->problem.value);
    db_bind_i64(stmt, 3, hold->state);
    db_bind_i64(stmt, 4, hold->cursor);
    db_bind_text(stmt, 5, str_utf8_prefix(hold->code, 64));
    db_bind_text(stmt, 6, str_utf8_prefix(hold->detail, 1024));
    db_bind_i64(stmt, 7, hold->at_ms);
    return db_run_one(stmt, err);
}

bool manifest_hold_update(struct db *db, const struct manifest_hold *hold, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, "UPDATE manifest_hold SET state = ?, cursor_id = ? WHERE manifest_id = ?",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, hold->state);
    db_bind_i64(stmt, 2, hold->cursor);
    db_bind_sha256(stmt, 3, hold->manifest);
    return db_run(stmt, NULL, err);
}

bool manifest_hold_delete(struct db *db, const uint8_t manifest[32], struct err *err) {
    return run_on(db, "DELETE FROM manifest_hold WHERE manifest_id = ?", manifest, err);
}

bool manifest_hold_list(struct db *db, struct problem_id problem, struct arena *arena,
                        struct manifest_holds *holds, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, HOLD "WHERE (? = 0 OR problem_id = ?) ORDER BY at_ms, manifest_id LIMIT ?",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, problem.value);
    db_bind_i64(stmt, 2, problem.value);
    db_bind_i64(stmt, 3, holds->max);
    holds->count = 0;
    enum db_step step = DB_DONE;
    while ((step = db_step(stmt, err)) == DB_ROW) {
        CHECK(holds->count < holds->max);
        holds->rows[holds->count++] = read_hold(stmt, arena);
    }
    return step == DB_DONE;
}

#define WAITING                                                                                    \
    "SELECT s.id FROM submission s JOIN job j ON j.id = s.current_job_id JOIN job_body b ON "      \
    "b.job_id = j.id LEFT JOIN job_hold h ON h.job_id = j.id WHERE s.problem_id = ? AND "          \
    "s.id > ? AND s.deleted_ms = 0 AND j.state = 1 AND b.manifest_id = ? AND "

bool manifest_hold_jobs(struct db *db, const struct manifest_hold *hold,
                        struct submission_id *ret_submissions, int max, int *ret_count,
                        struct err *err) {
    own(db_stmt) stmt = NULL;
    bool releasing = hold->state == MANIFEST_RELEASING;
    if (!db_prepare(db,
                    releasing ? WAITING "h.kind = 2 ORDER BY s.id LIMIT ?"
                              : WAITING "h.kind IS NULL ORDER BY s.id LIMIT ?",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, hold->problem.value);
    db_bind_i64(stmt, 2, hold->cursor);
    db_bind_sha256(stmt, 3, hold->manifest);
    db_bind_i64(stmt, 4, max);
    int count = 0;
    enum db_step step = DB_DONE;
    while ((step = db_step(stmt, err)) == DB_ROW) {
        CHECK(count < max);
        ret_submissions[count++].value = db_i64(stmt, 0);
    }
    *ret_count = count;
    return step == DB_DONE;
}
