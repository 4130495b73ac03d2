/* One statement for each way into the table, so that each has its index; the rest filters. */
#include "store/selection_store.h"
#include "base/check.h"
#include "base/limits.h"
#include "store/place_store.h"

#define JOB                                                                                        \
    "j.id, j.generation, j.queue_id, j.priority, j.order_key, j.due_ms, j.state, j.attempts, "     \
    "j.node_id, j.fault, j.fault_code, j.fault_detail, j.created_ms, j.settled_ms, "               \
    "COALESCE(n.name, '') "
#define ROW                                                                                        \
    "SELECT s.id, s.user_id, u.username, s.problem_id, p.code, s.language, s.verdict, "            \
    "s.score_micro, s.effective_job_id, s.created_ms, COALESCE(h.reason, ''), "                    \
    "s.deleted_ms, " JOB FROM                                                                      \
    "JOIN problem p ON p.id = s.problem_id JOIN `user` u ON u.id = s.user_id "                     \
    "LEFT JOIN job_hold h ON h.job_id = j.id LEFT JOIN node n ON n.id = j.node_id "
#define FROM "FROM submission s JOIN job j ON j.id = s.current_job_id "
#define COUNT "SELECT count(*) FROM (SELECT 1 " FROM
#define JOB_COLUMN 12 /* of JOB in ROW */

#define FILTER                                                                                     \
    "s.deleted_ms = 0 AND s.id > ? AND s.id <= ? AND (? = 0 OR s.problem_id = ?) AND "             \
    "(? = 0 OR s.user_id = ?) AND (? = '' OR s.language = ?) AND (? = 0 OR s.verdict = ?) AND "    \
    "(? = 0 OR j.fault = ?) AND (? = 0 OR j.state = ?) AND (? = 0 OR j.due_ms = ?) AND "           \
    "(? = 0 OR s.origin_kind = ?) AND (? = 0 OR s.origin_id = ?) AND s.created_ms >= ? AND "       \
    "(? = 0 OR s.created_ms < ?) "
#define UP "ORDER BY s.id LIMIT ?"
#define DOWN "ORDER BY s.id DESC LIMIT ?"
#define BY_PROBLEM "WHERE s.problem_id = ? AND "
#define BY_USER "WHERE s.user_id = ? AND "

enum way { WAY_ALL, WAY_PROBLEM, WAY_USER, WAY_COUNT };

static enum way way_of(const struct selection *selection) {
    if (selection->user.value != 0) {
        return WAY_USER;
    }
    return selection->problem.value != 0 ? WAY_PROBLEM : WAY_ALL;
}

static const char *const page_sql[WAY_COUNT][2] = {
    [WAY_ALL] = {ROW "WHERE " FILTER UP, ROW "WHERE " FILTER DOWN},
    [WAY_PROBLEM] = {ROW BY_PROBLEM FILTER UP, ROW BY_PROBLEM FILTER DOWN},
    [WAY_USER] = {ROW BY_USER FILTER UP, ROW BY_USER FILTER DOWN},
};
static const char *const count_sql[WAY_COUNT] = {
    [WAY_ALL] = COUNT "WHERE " FILTER "LIMIT ?) AS found",
    [WAY_PROBLEM] = COUNT BY_PROBLEM FILTER "LIMIT ?) AS found",
    [WAY_USER] = COUNT BY_USER FILTER "LIMIT ?) AS found",
};

struct binder {
    struct db_stmt *stmt;
    int index;
};

static void put(struct binder *binder, int64_t value) {
    db_bind_i64(binder->stmt, ++binder->index, value);
}

static void put_twice(struct binder *binder, int64_t value) {
    put(binder, value);
    put(binder, value);
}

static void bind(struct db_stmt *stmt, const struct selection_query *query, int64_t limit) {
    const struct selection *s = query->selection;
    struct binder binder = {.stmt = stmt};
    if (way_of(s) != WAY_ALL) {
        put(&binder, s->user.value != 0 ? s->user.value : s->problem.value);
    }
    put(&binder, query->after);
    put(&binder, query->until);
    put_twice(&binder, s->problem.value);
    put_twice(&binder, s->user.value);
    db_bind_text(stmt, ++binder.index, s->language);
    db_bind_text(stmt, ++binder.index, s->language);
    put_twice(&binder, s->verdict);
    put_twice(&binder, s->fault);
    put_twice(&binder, s->job_state);
    put(&binder, s->held ? 1 : 0);
    put(&binder, DELAYED_HELD_MS);
    put_twice(&binder, s->origin);
    put_twice(&binder, s->origin_id);
    put(&binder, s->from_ms);
    put_twice(&binder, s->to_ms);
    put(&binder, limit);
}

static void read_job(struct db_stmt *stmt, int at, struct submission_id submission,
                     struct arena *arena, struct generation_row *row) {
    *row = (struct generation_row){
        .job =
            {
                .id = {db_i64(stmt, at)},
                .subject = SUBJECT_ALGO,
                .submission = submission,
                .generation = (int32_t)db_i64(stmt, at + 1),
                .queue = {db_i64(stmt, at + 2)},
                .priority = (enum job_priority)db_i64(stmt, at + 3),
                .order_key = db_i64(stmt, at + 4),
                .due_ms = db_i64(stmt, at + 5),
                .state = (enum job_state)db_i64(stmt, at + 6),
                .attempts = (int32_t)db_i64(stmt, at + 7),
                .node = {db_i64(stmt, at + 8)},
            },
        .fault = (enum fault)db_i64(stmt, at + 9),
        .fault_code = arena_str(arena, db_text(stmt, at + 10)),
        .fault_detail = arena_str(arena, db_text(stmt, at + 11)),
        .created_ms = db_i64(stmt, at + 12),
        .settled_ms = db_i64(stmt, at + 13),
        .node_name = arena_str(arena, db_text(stmt, at + 14)),
    };
}

static void read_row(struct db_stmt *stmt, struct arena *arena, struct job_row *row) {
    struct generation_row job;
    struct submission_id submission = {db_i64(stmt, 0)};
    read_job(stmt, JOB_COLUMN, submission, arena, &job);
    *row = (struct job_row){
        .submission = submission,
        .user = {db_i64(stmt, 1)},
        .username = arena_str(arena, db_text(stmt, 2)),
        .problem = {db_i64(stmt, 3)},
        .problem_code = arena_str(arena, db_text(stmt, 4)),
        .language = arena_str(arena, db_text(stmt, 5)),
        .verdict = (enum verdict)db_i64(stmt, 6),
        .score_micro = db_i64(stmt, 7),
        .effective_job = {db_i64(stmt, 8)},
        .submitted_ms = db_i64(stmt, 9),
        .hold_reason = arena_str(arena, db_text(stmt, 10)),
        .deleted = db_i64(stmt, 11) != 0,
        .job = job.job,
        .fault = job.fault,
        .fault_code = job.fault_code,
        .fault_detail = job.fault_detail,
        .node_name = job.node_name,
        .created_ms = job.created_ms,
        .settled_ms = job.settled_ms,
    };
}

static bool read_page(struct db *db, const struct selection_query *query, struct arena *arena,
                      struct job_row *rows, int *count, struct err *err) {
    own(db_stmt) stmt = NULL;
    const char *sql = page_sql[way_of(query->selection)][query->newest_first];
    if (!db_prepare(db, sql, &stmt, err)) {
        return false;
    }
    bind(stmt, query, query->limit - *count);
    enum db_step step = DB_DONE;
    while ((step = db_step(stmt, err)) == DB_ROW) {
        CHECK(*count < query->limit);
        read_row(stmt, arena, &rows[(*count)++]);
    }
    return step == DB_DONE;
}

/* Each named submission by its id. */
static bool read_named(struct db *db, const struct selection_query *query, struct arena *arena,
                       struct job_row *rows, int *count, struct err *err) {
    const struct selection *s = query->selection;
    for (int i = 0; i < s->id_count && *count < query->limit; i++) {
        int64_t id = s->ids[query->newest_first ? s->id_count - 1 - i : i];
        struct selection_query one = *query;
        one.after = id - 1;
        one.until = id;
        bool inside = id > query->after && id <= query->until;
        if (inside && !read_page(db, &one, arena, rows, count, err)) {
            return false;
        }
    }
    return true;
}

bool selection_page(struct db *db, const struct selection_query *query, struct arena *arena,
                    struct job_row **ret_rows, int *ret_count, struct err *err) {
    CHECK(query->limit > 0 && query->limit <= LIST_LIMIT_MAX + 1);
    struct job_row *rows = arena_array(arena, (size_t)query->limit, sizeof rows[0]);
    int count = 0;
    if (!(query->selection->ids != NULL ? read_named(db, query, arena, rows, &count, err)
                                        : read_page(db, query, arena, rows, &count, err))) {
        return false;
    }
    *ret_rows = rows;
    *ret_count = count;
    return true;
}

static bool count_in(struct db *db, const struct selection_query *query, int64_t max,
                     int64_t *ret_count, struct err *err) {
    own(db_stmt) stmt = NULL;
    bool found = false;
    if (!db_prepare(db, count_sql[way_of(query->selection)], &stmt, err)) {
        return false;
    }
    bind(stmt, query, max);
    if (!db_find(stmt, &found, err)) {
        return false;
    }
    *ret_count += db_i64(stmt, 0);
    return true;
}

bool selection_count(struct db *db, const struct selection_query *query, int64_t max,
                     int64_t *ret_count, struct err *err) {
    const struct selection *s = query->selection;
    *ret_count = 0;
    if (s->ids == NULL) {
        return count_in(db, query, max, ret_count, err);
    }
    for (int i = 0; i < s->id_count && *ret_count < max; i++) {
        struct selection_query one = *query;
        one.after = s->ids[i] - 1;
        one.until = s->ids[i];
        bool inside = s->ids[i] > query->after && s->ids[i] <= query->until;
        if (inside && !count_in(db, &one, 1, ret_count, err)) {
            return false;
        }
    }
    return true;
}

bool selection_one(struct db *db, struct submission_id id, struct arena *arena,
                   struct job_row *ret_row, bool *ret_found, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, ROW "WHERE s.id = ?", &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, id.value);
    if (!db_find(stmt, ret_found, err)) {
        return false;
    }
    if (*ret_found) {
        read_row(stmt, arena, ret_row);
    }
    return true;
}

bool selection_newest(struct db *db, int64_t *ret_id, struct err *err) {
    own(db_stmt) stmt = NULL;
    bool found = false;
    if (!db_prepare(db, "SELECT COALESCE(MAX(id), 0) FROM submission", &stmt, err) ||
        !db_find(stmt, &found, err)) {
        return false;
    }
    *ret_id = found ? db_i64(stmt, 0) : 0;
    return true;
}

bool selection_generations(struct db *db, struct submission_id id, struct arena *arena,
                           struct generation_rows *generations, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db,
                    "SELECT " JOB "FROM job j LEFT JOIN node n ON n.id = j.node_id WHERE "
                    "j.subject_kind IN (1, 2) AND j.subject_id = ? ORDER BY j.generation LIMIT ?",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, id.value);
    db_bind_i64(stmt, 2, generations->max);
    generations->count = 0;
    enum db_step step = DB_DONE;
    while ((step = db_step(stmt, err)) == DB_ROW) {
        CHECK(generations->count < generations->max);
        read_job(stmt, 0, id, arena, &generations->rows[generations->count++]);
    }
    return step == DB_DONE;
}
