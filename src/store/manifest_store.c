/* Manifests and the versions of problems. */
#include "store/manifest_store.h"

#include "base/check.h"

static const char find_manifest[] = "SELECT bytes FROM manifest WHERE id = ?";
static const char insert_manifest[] =
    "INSERT INTO manifest (id, bytes, created_ms) VALUES (?, ?, ?)";
static const char last_version[] = "SELECT version FROM problem_manifest WHERE problem_id = ? "
                                   "ORDER BY version DESC LIMIT 1";
static const char insert_version[] =
    "INSERT INTO problem_manifest (problem_id, version, manifest_id, created_ms) "
    "VALUES (?, ?, ?, ?)";

static struct str digest_str(const struct digest *digest) {
    return str_of(digest->bytes, sizeof(digest->bytes));
}

static bool is_known(struct db *db, const struct digest *manifest, bool *ret_known,
                     struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, find_manifest, &stmt, err)) {
        return false;
    }
    db_bind_blob(stmt, 1, digest_str(manifest));
    enum db_step step = db_step(stmt, err);
    *ret_known = step == DB_ROW;
    return step != DB_FAILED;
}

bool manifest_store_add(struct db *db, const struct digest *manifest, int64_t bytes, int64_t now_ms,
                        struct err *err) {
    bool known = false;
    own(db_stmt) stmt = NULL;
    if (!is_known(db, manifest, &known, err)) {
        return err_wrap(err, "insert manifest");
    }
    if (known) {
        return true;
    }
    if (!db_prepare(db, insert_manifest, &stmt, err)) {
        return err_wrap(err, "insert manifest");
    }
    db_bind_blob(stmt, 1, digest_str(manifest));
    db_bind_i64(stmt, 2, bytes);
    db_bind_i64(stmt, 3, now_ms);
    /* Another server may have been quicker. */
    return db_run(stmt, NULL, err) || err->kind == ERR_CONFLICT || err_wrap(err, "insert manifest");
}

static bool find_last(struct db *db, struct problem_id problem, int64_t *ret_version,
                      struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, last_version, &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, problem.value);
    enum db_step step = db_step(stmt, err);
    *ret_version = step == DB_ROW ? db_i64(stmt, 0) : 0;
    return step != DB_FAILED;
}

bool manifest_store_add_version(struct db *db, struct problem_id problem,
                                const struct digest *manifest, int64_t now_ms, int64_t *ret_version,
                                struct err *err) {
    CHECK(db_has_lock(db, LOCK_CONTEXT, LOCK_EXCLUSIVE, problem.value));
    int64_t last = 0;
    own(db_stmt) stmt = NULL;
    if (!find_last(db, problem, &last, err) || !db_prepare(db, insert_version, &stmt, err)) {
        return err_wrap(err, "insert version");
    }
    db_bind_i64(stmt, 1, problem.value);
    db_bind_i64(stmt, 2, last + 1);
    db_bind_blob(stmt, 3, digest_str(manifest));
    db_bind_i64(stmt, 4, now_ms);
    if (!db_run(stmt, NULL, err)) {
        return err_wrap(err, "insert version");
    }
    *ret_version = last + 1;
    return true;
}
