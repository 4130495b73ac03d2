#include "store/submission_store.h"
#include "base/check.h"
#include "base/limits.h"
#include "store/rows.h"

#define ROW                                                                                        \
    "s.id, s.problem_id, p.code, p.titles, s.user_id, u.username, s.language, s.generation, "      \
    "s.current_job_id, s.effective_job_id, s.verdict, s.score_micro, s.cases_passed, "             \
    "s.cases_total, s.cpu_ms, s.memory_kib, s.trace_id, s.created_ms, s.judged_ms "                \
    "FROM submission s JOIN problem p ON p.id = s.problem_id JOIN `user` u ON u.id = s.user_id "

static const struct rows_write submission_insert = {
    .kind = ROWS_INSERT,
    .table = "submission",
    .columns = "id, kind, user_id, problem_id, manifest_id, language, origin_kind, origin_id, "
               "current_job_id, cases_total, request_key, request_digest, trace_id, created_ms",
    .column_count = 14,
    .key_count = 1,
    .constant_columns = "generation, effective_job_id, effective_rev, verdict, score_micro, "
                        "cases_passed, cpu_ms, memory_kib, judged_ms",
    .constants = "1, 0, 0, 0, 0, 0, 0, 0, 0",
};

bool submission_store_insert(struct db *db, const struct submission_insert *insert,
                             struct err *err) {
    bool keyed = insert->request_key.len > 0;
    const struct rows_value values[] = {
        rows_i64(insert->id.value),
        rows_i64(insert->kind),
        rows_i64(insert->user.value),
        rows_i64(insert->problem.value),
        rows_sha256(insert->manifest_id),
        rows_text(insert->language),
        rows_i64(insert->origin),
        rows_i64(insert->origin_id),
        rows_i64(insert->job.value),
        rows_i64(insert->cases_total),
        keyed ? rows_text(insert->request_key) : rows_null(),
        keyed ? rows_sha256(insert->request_digest) : rows_null(),
        rows_text(insert->trace_id),
        rows_i64(insert->now_ms),
    };
    return db_put(db, &submission_insert, values, err);
}

const struct rows_select request_select = {
    .sql = "SELECT s.user_id, s.request_key, s.id, s.request_digest FROM submission s",
    .keys = {"s.user_id", "s.request_key"},
    .key_count = 2};

#define FACTS_SQL                                                                                  \
    "SELECT s.id, s.user_id, s.problem_id, s.current_job_id, s.effective_job_id, "                 \
    "s.effective_rev, s.generation, s.verdict, s.score_micro, s.cases_passed, s.cases_total, "     \
    "s.cpu_ms, s.memory_kib, s.judged_ms, s.deleted_ms FROM submission s "                         \
    "/*! FORCE INDEX (PRIMARY) */"

const struct rows_select submission_facts_select = {
    .sql = FACTS_SQL, .keys = {"s.id"}, .key_count = 1};

struct submission_facts submission_facts_from_row(struct db_stmt *row) {
    return (struct submission_facts){
        .id = {db_i64(row, 0)},
        .user = {db_i64(row, 1)},
        .problem = {db_i64(row, 2)},
        .current_job = {db_i64(row, 3)},
        .effective_job = {db_i64(row, 4)},
        .effective_rev = db_i64(row, 5),
        .generation = (int32_t)db_i64(row, 6),
        .verdict = (enum verdict)db_i64(row, 7),
        .score_micro = db_i64(row, 8),
        .cases_passed = (int32_t)db_i64(row, 9),
        .cases_total = (int32_t)db_i64(row, 10),
        .cpu_ms = db_i64(row, 11),
        .memory_kib = db_i64(row, 12),
        .judged_ms = db_i64(row, 13),
        .deleted_ms = db_i64(row, 14),
    };
}

bool submission_store_has_request(struct db *db, struct user_id user, struct str key,
                                  bool *ret_used, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, "SELECT 1 FROM submission WHERE user_id = ? AND request_key = ?", &stmt,
                    err)) {
        return false;
    }
    db_bind_i64(stmt, 1, user.value);
    db_bind_text(stmt, 2, key);
    return db_find(stmt, ret_used, err);
}

bool submission_store_get(struct db *db, struct submission_id id,
                          struct submission_facts *ret_state, bool *ret_found, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, FACTS_SQL " WHERE s.id = ?", &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, id.value);
    if (!db_find(stmt, ret_found, err)) {
        return false;
    }
    if (*ret_found) {
        *ret_state = submission_facts_from_row(stmt);
    }
    return true;
}

bool submission_store_set_current(struct db *db, struct submission_id id, struct job_id job,
                                  int32_t generation, struct err *err) {
    CHECK(db_has_lock(db, LOCK_SUBMISSION, LOCK_EXCLUSIVE, id.value));
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, "UPDATE submission SET current_job_id = ?, generation = ? WHERE id = ?",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, job.value);
    db_bind_i64(stmt, 2, generation);
    db_bind_i64(stmt, 3, id.value);
    return db_run_one(stmt, err);
}

bool submission_store_set_deleted(struct db *db, struct submission_id id, int64_t now_ms,
                                  struct err *err) {
    CHECK(db_has_lock(db, LOCK_SUBMISSION, LOCK_EXCLUSIVE, id.value));
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, "UPDATE submission SET deleted_ms = ? WHERE id = ?", &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, now_ms);
    db_bind_i64(stmt, 2, id.value);
    return db_run_one(stmt, err);
}
static const struct rows_write submission_judged = {
    .kind = ROWS_UPDATE,
    .table = "submission",
    .columns = "id, effective_job_id, effective_rev, verdict, score_micro, cases_passed, "
               "cases_total, cpu_ms, memory_kib, judged_ms",
    .column_count = 10,
    .key_count = 1,
};

bool submission_store_judged(struct db *db, const struct submission_outcome *outcome,
                             struct err *err) {
    CHECK(db_has_lock(db, LOCK_SUBMISSION, LOCK_EXCLUSIVE, outcome->id.value));
    const struct rows_value values[] = {
        rows_i64(outcome->id.value),      rows_i64(outcome->effective_job.value),
        rows_i64(outcome->effective_rev), rows_i64(outcome->verdict),
        rows_i64(outcome->score_micro),   rows_i64(outcome->cases_passed),
        rows_i64(outcome->cases_total),   rows_i64(outcome->cpu_ms),
        rows_i64(outcome->memory_kib),    rows_i64(outcome->now_ms),
    };
    return db_put(db, &submission_judged, values, err);
}

bool submission_store_snapshot(struct db *db, struct submission_id id, struct arena *arena,
                               struct submission_snapshot *ret_snapshot, bool *ret_found,
                               struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db,
                    "SELECT s.problem_id, s.user_id, s.language, s.trace_id, s.manifest_id, "
                    "p.manifest_id, o.sha256, o.bytes FROM submission s JOIN problem p ON p.id = "
                    "s.problem_id JOIN submission_source o ON o.submission_id = s.id "
                    "WHERE s.id = ?",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, id.value);
    if (!db_find(stmt, ret_found, err)) {
        return false;
    }
    if (*ret_found) {
        *ret_snapshot = (struct submission_snapshot){
            .problem = {db_i64(stmt, 0)},
            .user = {db_i64(stmt, 1)},
            .language = arena_str(arena, db_text(stmt, 2)),
            .trace_id = arena_str(arena, db_text(stmt, 3)),
            .source_bytes = db_i64(stmt, 7),
        };
        (void)db_sha256(stmt, 4, ret_snapshot->manifest_id);
        (void)db_sha256(stmt, 5, ret_snapshot->problem_manifest);
        (void)db_sha256(stmt, 6, ret_snapshot->source_sha256);
    }
    return true;
}

static struct submission_row read_row(struct db_stmt *stmt, struct arena *arena) {
    return (struct submission_row){
        .id = {db_i64(stmt, 0)},
        .problem = {db_i64(stmt, 1)},
        .problem_code = arena_str(arena, db_text(stmt, 2)),
        .problem_titles = arena_str(arena, db_text(stmt, 3)),
        .user = {db_i64(stmt, 4)},
        .username = arena_str(arena, db_text(stmt, 5)),
        .language = arena_str(arena, db_text(stmt, 6)),
        .generation = (int32_t)db_i64(stmt, 7),
        .current_job = {db_i64(stmt, 8)},
        .effective_job = {db_i64(stmt, 9)},
        .verdict = (enum verdict)db_i64(stmt, 10),
        .score_micro = db_i64(stmt, 11),
        .cases_passed = (int32_t)db_i64(stmt, 12),
        .cases_total = (int32_t)db_i64(stmt, 13),
        .cpu_ms = db_i64(stmt, 14),
        .memory_kib = db_i64(stmt, 15),
        .trace_id = arena_str(arena, db_text(stmt, 16)),
        .created_ms = db_i64(stmt, 17),
        .judged_ms = db_i64(stmt, 18),
    };
}

bool submission_store_row(struct db *db, struct submission_id id, struct arena *arena,
                          struct submission_row *ret_row, bool *ret_found, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, "SELECT " ROW "WHERE s.id = ? AND s.deleted_ms = 0", &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, id.value);
    if (!db_find(stmt, ret_found, err)) {
        return false;
    }
    if (*ret_found) {
        *ret_row = read_row(stmt, arena);
    }
    return true;
}

/* One statement for each way of asking, so that each has its index. */
static const char *list_sql(const struct submission_query *query) {
    static const char *const sql[2][2] = {
        {"SELECT " ROW "WHERE s.deleted_ms = 0 AND s.id < ? ORDER BY s.id DESC LIMIT ?",
         "SELECT " ROW "WHERE s.deleted_ms = 0 AND s.problem_id = ? AND s.id < ? "
         "ORDER BY s.id DESC LIMIT ?"},
        {"SELECT " ROW "WHERE s.deleted_ms = 0 AND s.user_id = ? AND s.id < ? "
         "ORDER BY s.id DESC LIMIT ?",
         "SELECT " ROW "WHERE s.deleted_ms = 0 AND s.user_id = ? AND s.problem_id = ? AND s.id < ? "
         "ORDER BY s.id DESC LIMIT ?"},
    };
    return sql[query->user.value != 0][query->problem.value != 0];
}

bool submission_store_list(struct db *db, const struct submission_query *query, struct arena *arena,
                           struct submission_row **ret_rows, int *ret_count, struct err *err) {
    CHECK(query->limit > 0 && query->limit <= LIST_LIMIT_MAX + 1);
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, list_sql(query), &stmt, err)) {
        return false;
    }
    int index = 1;
    if (query->user.value != 0) {
        db_bind_i64(stmt, index++, query->user.value);
    }
    if (query->problem.value != 0) {
        db_bind_i64(stmt, index++, query->problem.value);
    }
    db_bind_i64(stmt, index++, query->before > 0 ? query->before : INT64_MAX);
    db_bind_i64(stmt, index, query->limit);
    struct submission_row *rows = arena_array(arena, (size_t)query->limit, sizeof rows[0]);
    int count = 0;
    enum db_step step = DB_DONE;
    while ((step = db_step(stmt, err)) == DB_ROW) {
        CHECK(count < query->limit);
        rows[count++] = read_row(stmt, arena);
    }
    *ret_rows = rows;
    *ret_count = count;
    return step == DB_DONE;
}

/* ---- user_problem ---- */

struct user_problem {
    struct user_id user;
    struct problem_id problem;
};

struct reached {
    int64_t submission; /* 0: none */
    int64_t verdict;
    int64_t score_micro;
};

static bool is_better(const struct reached *a, const struct reached *b) {
    bool a_accepted = a->verdict == VERDICT_ACCEPTED;
    bool b_accepted = b->verdict == VERDICT_ACCEPTED;
    if (a_accepted != b_accepted) {
        return a_accepted;
    }
    return a->score_micro != b->score_micro ? a->score_micro > b->score_micro
                                            : a->submission < b->submission;
}

static bool read_best(struct db *db, struct user_id user, struct problem_id problem,
                      struct reached *best, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db,
                    "SELECT id, verdict, score_micro FROM submission WHERE user_id = ? AND "
                    "problem_id = ? AND verdict <> 0 AND verdict <> ?",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, user.value);
    db_bind_i64(stmt, 2, problem.value);
    db_bind_i64(stmt, 3, VERDICT_CANCELLED); /* withdrawn: as if it had never been handed in */
    enum db_step step = DB_DONE;
    while ((step = db_step(stmt, err)) == DB_ROW) {
        struct reached row = {.submission = db_i64(stmt, 0),
                              .verdict = db_i64(stmt, 1),
                              .score_micro = db_i64(stmt, 2)};
        *best = best->submission == 0 || is_better(&row, best) ? row : *best;
    }
    return step == DB_DONE;
}

#define BEST_COLUMNS "user_id, problem_id, best_verdict, best_score_micro, best_submission_id"
static const struct rows_write best_insert = {.kind = ROWS_INSERT,
                                              .table = "user_problem",
                                              .columns = BEST_COLUMNS,
                                              .column_count = 5,
                                              .key_count = 2};
static const struct rows_write best_update = {.kind = ROWS_UPDATE,
                                              .table = "user_problem",
                                              .columns = BEST_COLUMNS,
                                              .column_count = 5,
                                              .key_count = 2};

static bool put_best(struct db *db, const struct user_problem *key, const struct reached *best,
                     bool is_there, struct err *err) {
    const struct rows_value values[] = {rows_i64(key->user.value), rows_i64(key->problem.value),
                                        rows_i64(best->verdict), rows_i64(best->score_micro),
                                        rows_i64(best->submission)};
    return db_put(db, is_there ? &best_update : &best_insert, values, err);
}

static bool has_row(struct db *db, const struct user_problem *key, bool *ret_there,
                    struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, "SELECT 1 FROM user_problem WHERE user_id = ? AND problem_id = ?", &stmt,
                    err)) {
        return false;
    }
    db_bind_i64(stmt, 1, key->user.value);
    db_bind_i64(stmt, 2, key->problem.value);
    return db_find(stmt, ret_there, err);
}

static bool write_best(struct db *db, const struct user_problem *key, const struct reached *best,
                       struct err *err) {
    bool there = false;
    return has_row(db, key, &there, err) && put_best(db, key, best, there, err);
}

static bool delete_best(struct db *db, struct user_id user, struct problem_id problem,
                        struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, "DELETE FROM user_problem WHERE user_id = ? AND problem_id = ?", &stmt,
                    err)) {
        return false;
    }
    db_bind_i64(stmt, 1, user.value);
    db_bind_i64(stmt, 2, problem.value);
    return db_run(stmt, NULL, err);
}

bool user_problem_recompute(struct db *db, struct user_id user, struct problem_id problem,
                            struct err *err) {
    struct reached best = {0};
    if (!read_best(db, user, problem, &best, err)) {
        return false;
    }
    const struct user_problem key = {user, problem};
    return best.submission != 0 ? write_best(db, &key, &best, err)
                                : delete_best(db, user, problem, err);
}

/* A submission that changed, and what its user has reached in its problem. Of several of one user
 * and problem all but the first point to it: what they reach is compared there. */
struct changed {
    struct user_problem key;
    struct reached now;
    struct reached best;   /* as stored, then with what the changed ones have reached */
    struct changed *first; /* of the same key; itself */
    bool is_there;         /* the row */
    bool is_new;           /* `best` is not what is stored */
    bool recompute;        /* what was the best is it no longer */
};

struct changes {
    struct changed rows[USER_PROBLEMS_MAX];
    int count;
};

static const struct rows_select changed_select = {
    .sql = "SELECT s.id, s.user_id, s.problem_id, s.verdict, s.score_micro, "
           "COALESCE(u.best_submission_id, 0), COALESCE(u.best_verdict, 0), "
           "COALESCE(u.best_score_micro, 0) FROM submission s LEFT JOIN user_problem u "
           "ON u.user_id = s.user_id AND u.problem_id = s.problem_id",
    .keys = {"s.id"},
    .key_count = 1};

static struct changed *first_of(struct changes *changes, const struct user_problem *key) {
    for (int i = 0; i < changes->count; i++) {
        struct changed *changed = &changes->rows[i];
        if (changed->key.user.value == key->user.value &&
            changed->key.problem.value == key->problem.value) {
            return changed;
        }
    }
    return NULL;
}

static void take_changed(void *context, struct db_stmt *row) {
    struct changes *changes = context;
    struct changed changed = {
        .key = {.user = {db_i64(row, 1)}, .problem = {db_i64(row, 2)}},
        .now = {.submission = db_i64(row, 0),
                .verdict = db_i64(row, 3),
                .score_micro = db_i64(row, 4)},
        .best = {.submission = db_i64(row, 5),
                 .verdict = db_i64(row, 6),
                 .score_micro = db_i64(row, 7)},
        .is_there = db_i64(row, 5) != 0,
    };
    CHECK(changes->count < USER_PROBLEMS_MAX);
    changed.first = first_of(changes, &changed.key);
    struct changed *place = &changes->rows[changes->count++];
    *place = changed;
    place->first = changed.first != NULL ? changed.first : place;
}

static bool reached_the_same(const struct reached *a, const struct reached *b) {
    return a->verdict == b->verdict && a->score_micro == b->score_micro;
}

/* Cancelled is withdrawn: as if it had never been handed in. */
static void weigh(struct changed *changed) {
    const struct reached *now = &changed->now;
    struct changed *first = changed->first;
    bool is_best = first->best.submission == now->submission;
    if (now->verdict == VERDICT_NONE) {
        return;
    }
    if (is_best) {
        first->recompute = first->recompute || now->verdict == VERDICT_CANCELLED ||
                           !reached_the_same(now, &first->best);
    } else if (now->verdict != VERDICT_CANCELLED &&
               (first->best.submission == 0 || is_better(now, &first->best))) {
        first->best = *now;
        first->is_new = true;
    }
}

static bool store(struct db *db, const struct changed *changed, struct err *err) {
    if (changed->first != changed) {
        return true;
    }
    if (changed->recompute) {
        return user_problem_recompute(db, changed->key.user, changed->key.problem, err);
    }
    return !changed->is_new || put_best(db, &changed->key, &changed->best, changed->is_there, err);
}

bool user_problems_update(struct db *db, const struct submission_id *ids, int count,
                          struct err *err) {
    struct rows_value keys[USER_PROBLEMS_MAX];
    struct changes changes = {.count = 0};
    CHECK(count <= USER_PROBLEMS_MAX);
    int distinct = 0;
    for (int i = 0; i < count; i++) {
        bool again = false;
        for (int k = 0; k < distinct; k++) {
            again = again || keys[k].i64 == ids[i].value;
        }
        if (!again) {
            keys[distinct++] = rows_i64(ids[i].value);
        }
    }
    const struct rows_read read = {.select = &changed_select,
                                   .values = keys,
                                   .count = distinct,
                                   .row = take_changed,
                                   .context = &changes};
    if (!db_read(db, &read, 1, NULL, err)) {
        return false;
    }
    for (int i = 0; i < changes.count; i++) {
        weigh(&changes.rows[i]);
    }
    for (int i = 0; i < changes.count; i++) {
        if (!store(db, &changes.rows[i], err)) {
            return false;
        }
    }
    return true;
}
