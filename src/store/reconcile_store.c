#include "store/reconcile_store.h"
#include "base/check.h"

#include <string.h>

static bool count(struct db *db, const char *sql, int64_t argument, int64_t *ret_count,
                  struct err *err) {
    own(db_stmt) stmt = NULL;
    bool found = false;
    if (!db_prepare(db, sql, &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, argument);
    if (!db_find(stmt, &found, err)) {
        return false;
    }
    *ret_count = db_i64(stmt, 0);
    return true;
}

bool reconcile_store_counts(struct db *db, int64_t before_ms, struct reconcile_counts *ret_counts,
                            struct err *err) {
    static const char in_use[] = "SELECT count(*) FROM submission WHERE deleted_ms = ?";
    static const char judged[] =
        "SELECT count(*) FROM submission WHERE deleted_ms = ? AND verdict <> 0";
    static const char system_errors[] =
        "SELECT count(*) FROM submission WHERE deleted_ms = ? AND verdict = 10";
    static const char open[] = "SELECT count(*) FROM job WHERE state IN (1, 2) AND id > ?";
    static const char held[] = "SELECT count(*) FROM job_hold WHERE job_id > ?";
    static const char events[] = "SELECT count(*) FROM settlement_event WHERE job_id > ?";
    static const char leases_over[] = "SELECT count(*) FROM job_lease WHERE lease_until_ms < ?";
    static const char events_old[] = "SELECT count(*) FROM settlement_event WHERE next_ms < ?";
    return count(db, in_use, 0, &ret_counts->submissions, err) &&
           count(db, judged, 0, &ret_counts->judged, err) &&
           count(db, system_errors, 0, &ret_counts->system_errors, err) &&
           count(db, open, 0, &ret_counts->waiting, err) &&
           count(db, held, 0, &ret_counts->held, err) &&
           count(db, events, 0, &ret_counts->events, err) &&
           count(db, leases_over, before_ms, &ret_counts->leases_over, err) &&
           count(db, events_old, before_ms, &ret_counts->events_old, err);
}

bool reconcile_store_files(struct db *db, const uint8_t after[32], struct sha256_page *page,
                           struct err *err) {
    own(db_stmt) stmt = NULL;
    static const uint8_t lowest[32];
    if (!db_prepare(db,
                    after == NULL
                        ? "SELECT sha256 FROM blob_file WHERE sha256 >= ? ORDER BY sha256 LIMIT ?"
                        : "SELECT sha256 FROM blob_file WHERE sha256 > ? ORDER BY sha256 LIMIT ?",
                    &stmt, err)) {
        return false;
    }
    db_bind_sha256(stmt, 1, after == NULL ? lowest : after);
    db_bind_i64(stmt, 2, page->max);
    page->count = 0;
    enum db_step step = DB_DONE;
    while ((step = db_step(stmt, err)) == DB_ROW) {
        CHECK(page->count < page->max);
        (void)db_sha256(stmt, 0, page->rows[page->count++]);
    }
    return step == DB_DONE;
}

bool reconcile_store_knows(struct db *db, const uint8_t sha256[32], bool *ret_known,
                           struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db,
                    "SELECT 1 FROM blob_file WHERE sha256 = ? UNION ALL SELECT 1 FROM manifest "
                    "WHERE id = ? LIMIT 1",
                    &stmt, err)) {
        return false;
    }
    db_bind_sha256(stmt, 1, sha256);
    db_bind_sha256(stmt, 2, sha256);
    return db_find(stmt, ret_known, err);
}
