/* What is kept for a time only. One row a kind: how its keys are gone through, and what is removed
 * with a key, the row that decides last. */
#include "store/retention_store.h"
#include "base/check.h"

#define REMOVES_MAX 4

/* clang-format off */
static const struct kind {
    const char *name;
    const char *page;              /* key, since when it is over; above ?, at most ? */
    const char *is_over;           /* since when, for one key; no row: never */
    const char *remove[REMOVES_MAX];
} kinds[RETENTION_KIND_COUNT] = {
    [RETENTION_RUN_JOBS] = {
        "run_jobs",
        "SELECT id, settled_ms FROM job WHERE subject_kind = 4 AND id > ? ORDER BY id LIMIT ?",
        "SELECT settled_ms FROM job WHERE subject_kind = 4 AND id = ?",
        {"DELETE FROM job_result WHERE job_id = ?", "DELETE FROM job_body WHERE job_id = ?",
         "DELETE FROM job WHERE id = ?"}},
    [RETENTION_BODIES] = {
        "bodies",
        "SELECT b.job_id, CASE WHEN s.current_job_id <> j.id AND s.effective_job_id <> j.id "
        "THEN j.settled_ms ELSE 0 END FROM job_body b JOIN job j ON j.id = b.job_id "
        "JOIN submission s ON s.id = j.subject_id AND j.subject_kind IN (1, 2) "
        "WHERE b.job_id > ? ORDER BY b.job_id LIMIT ?",
        "SELECT j.settled_ms FROM job j JOIN submission s ON s.id = j.subject_id AND "
        "j.subject_kind IN (1, 2) WHERE j.id = ? AND s.current_job_id <> j.id AND "
        "s.effective_job_id <> j.id",
        {"DELETE FROM job_body WHERE job_id = ?"}},
    [RETENTION_NODE_EVENTS] = {
        "node_events",
        "SELECT id, at_ms FROM node_event WHERE id > ? ORDER BY id LIMIT ?",
        "SELECT at_ms FROM node_event WHERE id = ?",
        {"DELETE FROM node_event WHERE id = ?"}},
    [RETENTION_AUDIT] = {
        "audit",
        "SELECT id, at_ms FROM audit_log WHERE id > ? ORDER BY id LIMIT ?",
        "SELECT at_ms FROM audit_log WHERE id = ?",
        {"DELETE FROM audit_log WHERE id = ?"}},
    [RETENTION_SESSIONS] = {
        "sessions",
        "SELECT id, CASE WHEN revoked_ms > 0 THEN revoked_ms ELSE expires_ms END FROM user_session "
        "WHERE id > ? ORDER BY id LIMIT ?",
        "SELECT CASE WHEN revoked_ms > 0 THEN revoked_ms ELSE expires_ms END FROM user_session "
        "WHERE id = ?",
        {"DELETE FROM user_session WHERE id = ?"}},
};
/* clang-format on */

static const struct kind *kind_of(enum retention_kind kind) {
    CHECK((int)kind >= 0 && kind < RETENTION_KIND_COUNT);
    return &kinds[kind];
}

const char *retention_kind_name(enum retention_kind kind) {
    return kind_of(kind)->name;
}

bool retention_store_page(struct db *db, enum retention_kind kind, struct retention_page *page,
                          struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, kind_of(kind)->page, &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, page->after);
    db_bind_i64(stmt, 2, page->max);
    page->count = 0;
    enum db_step step = DB_DONE;
    while ((step = db_step(stmt, err)) == DB_ROW) {
        CHECK(page->count < page->max);
        page->rows[page->count++] = (struct retention_row){db_i64(stmt, 0), db_i64(stmt, 1)};
    }
    return step == DB_DONE;
}

static bool is_over(struct db *db, const struct kind *kind, int64_t key, int64_t before_ms,
                    bool *ret_over, struct err *err) {
    own(db_stmt) stmt = NULL;
    bool found = false;
    if (!db_prepare(db, kind->is_over, &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, key);
    if (!db_find(stmt, &found, err)) {
        return false;
    }
    int64_t over_ms = found ? db_i64(stmt, 0) : 0;
    *ret_over = over_ms > 0 && over_ms < before_ms;
    return true;
}

static bool remove_by(struct db *db, const char *sql, int64_t key, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, sql, &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, key);
    return db_run(stmt, NULL, err);
}

bool retention_store_remove(struct db *db, enum retention_kind kind, int64_t key, int64_t before_ms,
                            bool *ret_removed, struct err *err) {
    const struct kind *row = kind_of(kind);
    if (!is_over(db, row, key, before_ms, ret_removed, err)) {
        return false;
    }
    for (int i = 0; *ret_removed && i < REMOVES_MAX && row->remove[i] != NULL; i++) {
        if (!remove_by(db, row->remove[i], key, err)) {
            return false;
        }
    }
    return true;
}

/* ---- who maintains ---- */

static bool insert_lease(struct db *db, const struct maintainer *maintainer, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db,
                    "INSERT INTO maintenance_lease (name, owner, term, until_ms) "
                    "VALUES (?, ?, 1, ?)",
                    &stmt, err)) {
        return false;
    }
    db_bind_text(stmt, 1, maintainer->name);
    db_bind_text(stmt, 2, maintainer->owner);
    db_bind_i64(stmt, 3, maintainer->now_ms + maintainer->lease_ms);
    return db_run_one(stmt, err);
}

bool maintenance_lease_take(struct db *db, const struct maintainer *maintainer, bool *ret_held,
                            struct err *err) {
    own(db_stmt) find = NULL;
    own(db_stmt) update = NULL;
    bool found = false;
    int64_t changes = 0;
    if (!db_prepare(db, "SELECT until_ms FROM maintenance_lease WHERE name = ?", &find, err)) {
        return false;
    }
    db_bind_text(find, 1, maintainer->name);
    if (!db_find(find, &found, err)) {
        return false;
    }
    if (!found) {
        *ret_held = true;
        return insert_lease(db, maintainer, err);
    }
    if (!db_prepare(db,
                    "UPDATE maintenance_lease SET term = CASE WHEN owner = ? THEN term ELSE "
                    "term + 1 END, owner = ?, until_ms = ? "
                    "WHERE name = ? AND (owner = ? OR until_ms <= ?)",
                    &update, err)) {
        return false;
    }
    db_bind_text(update, 1, maintainer->owner);
    db_bind_text(update, 2, maintainer->owner);
    db_bind_i64(update, 3, maintainer->now_ms + maintainer->lease_ms);
    db_bind_text(update, 4, maintainer->name);
    db_bind_text(update, 5, maintainer->owner);
    db_bind_i64(update, 6, maintainer->now_ms);
    if (!db_run(update, &changes, err)) {
        return false;
    }
    *ret_held = changes == 1;
    return true;
}
