#include "store/rejudging_store.h"
#include "base/check.h"
#include "base/limits.h"

#include <stdio.h>

#define ROW                                                                                        \
    "SELECT r.id, r.state, r.options, r.reason, r.actor_id, r.cursor_id, r.until_id, "             \
    "r.problem_id, r.user_id, r.language, r.verdict, r.fault, r.job_state, r.origin_kind, "        \
    "r.origin_id, r.from_ms, r.to_ms, r.ids, r.created_ms, r.finished_ms, r.revision, "            \
    "COALESCE(u.username, '') FROM rejudging r LEFT JOIN `user` u ON u.id = r.actor_id "

/* ---- rejudgings ---- */

static struct str write_ids(const struct selection *selection, struct arena *arena) {
    size_t room = (size_t)selection->id_count * 21 + 1;
    char *text = arena_array(arena, room, 1);
    size_t len = 0;
    for (int i = 0; i < selection->id_count; i++) {
        len += (size_t)snprintf(text + len, room - len, "%s%lld", i > 0 ? " " : "",
                                (long long)selection->ids[i]);
    }
    return str_of(text, len);
}

static bool read_ids(struct str text, struct arena *arena, struct selection *selection,
                     struct err *err) {
    struct str word = {0};
    if (text.len == 0) {
        return true;
    }
    int64_t *ids = arena_array(arena, text.len / 2 + 1, sizeof ids[0]);
    while (str_next_word(&text, &word)) {
        if (!str_to_i64(word, 1, ID_MAX, &ids[selection->id_count++], err)) {
            return false;
        }
    }
    selection->ids = ids;
    return true;
}

bool rejudging_insert(struct db *db, const struct rejudging_row *row, struct arena *arena,
                      struct err *err) {
    own(db_stmt) stmt = NULL;
    const struct selection *s = &row->selection;
    if (!db_prepare(db,
                    "INSERT INTO rejudging (id, state, options, reason, actor_id, cursor_id, "
                    "until_id, problem_id, user_id, language, verdict, fault, job_state, "
                    "origin_kind, origin_id, from_ms, to_ms, ids, created_ms, finished_ms, "
                    "revision) VALUES (?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
                    "0, 1)",
                    &stmt, err)) {
        return false;
    }
    const int64_t values[] = {row->id.value,
                              row->state,
                              row->options,
                              0,
                              row->actor.value,
                              row->until,
                              s->problem.value,
                              s->user.value,
                              0,
                              s->verdict,
                              s->fault,
                              s->job_state,
                              s->origin,
                              s->origin_id,
                              s->from_ms,
                              s->to_ms,
                              0,
                              row->created_ms};
    for (int i = 0; i < (int)(sizeof values / sizeof values[0]); i++) {
        db_bind_i64(stmt, i + 1, values[i]);
    }
    db_bind_text(stmt, 4, str_utf8_prefix(row->reason, 256));
    db_bind_text(stmt, 9, s->language);
    db_bind_text(stmt, 17, write_ids(s, arena));
    return db_run_one(stmt, err);
}

static bool read_row(struct db_stmt *stmt, struct arena *arena, struct rejudging_row *row,
                     struct err *err) {
    *row = (struct rejudging_row){
        .id = {db_i64(stmt, 0)},
        .state = (enum rejudging_state)db_i64(stmt, 1),
        .options = (uint32_t)db_i64(stmt, 2),
        .reason = arena_str(arena, db_text(stmt, 3)),
        .actor = {db_i64(stmt, 4)},
        .cursor = db_i64(stmt, 5),
        .until = db_i64(stmt, 6),
        .selection =
            {
                .problem = {db_i64(stmt, 7)},
                .user = {db_i64(stmt, 8)},
                .language = arena_str(arena, db_text(stmt, 9)),
                .verdict = (enum verdict)db_i64(stmt, 10),
                .fault = (enum fault)db_i64(stmt, 11),
                .job_state = (enum job_state)db_i64(stmt, 12),
                .origin = (enum submission_origin)db_i64(stmt, 13),
                .origin_id = db_i64(stmt, 14),
                .from_ms = db_i64(stmt, 15),
                .to_ms = db_i64(stmt, 16),
            },
        .created_ms = db_i64(stmt, 18),
        .finished_ms = db_i64(stmt, 19),
        .revision = db_i64(stmt, 20),
        .username = arena_str(arena, db_text(stmt, 21)),
    };
    return read_ids(db_text(stmt, 17), arena, &row->selection, err);
}

bool rejudging_find(struct db *db, struct rejudging_id id, struct arena *arena,
                    struct rejudging_row *ret_row, bool *ret_found, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, ROW "WHERE r.id = ?", &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, id.value);
    return db_find(stmt, ret_found, err) && (!*ret_found || read_row(stmt, arena, ret_row, err));
}

bool rejudging_update(struct db *db, const struct rejudging_row *row, struct err *err) {
    CHECK(db_has_lock(db, LOCK_REJUDGING, LOCK_EXCLUSIVE, row->id.value));
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db,
                    "UPDATE rejudging SET state = ?, cursor_id = ?, finished_ms = ?, "
                    "revision = revision + 1 WHERE id = ?",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, row->state);
    db_bind_i64(stmt, 2, row->cursor);
    db_bind_i64(stmt, 3, row->finished_ms);
    db_bind_i64(stmt, 4, row->id.value);
    return db_run_one(stmt, err);
}

bool rejudging_list_rows(struct db *db, int64_t before, struct arena *arena,
                         struct rejudging_rows *page, struct err *err) {
    CHECK(page->max > 0 && page->max <= LIST_LIMIT_MAX + 1);
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, ROW "WHERE r.id < ? ORDER BY r.id DESC LIMIT ?", &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, before > 0 ? before : INT64_MAX);
    db_bind_i64(stmt, 2, page->max);
    page->count = 0;
    enum db_step step = DB_DONE;
    while ((step = db_step(stmt, err)) == DB_ROW) {
        CHECK(page->count < page->max);
        if (!read_row(stmt, arena, &page->rows[page->count++], err)) {
            return false;
        }
    }
    return step == DB_DONE;
}

bool rejudging_active(struct db *db, struct rejudging_id *ret_ids, int max, int *ret_count,
                      struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db,
                    "SELECT id FROM rejudging WHERE state IN (1, 2, 4, 6, 8) ORDER BY id LIMIT ?",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, max);
    int count = 0;
    enum db_step step = DB_DONE;
    while ((step = db_step(stmt, err)) == DB_ROW) {
        CHECK(count < max);
        ret_ids[count++].value = db_i64(stmt, 0);
    }
    *ret_count = count;
    return step == DB_DONE;
}

/* ---- items ---- */

#define ITEM                                                                                       \
    "i.rejudging_id, i.submission_id, i.state, i.reason, i.job_id, i.old_job_id, i.old_verdict, "  \
    "i.old_score_micro, i.old_cases_passed, i.old_cases_total, i.old_cpu_ms, i.old_memory_kib, "   \
    "i.old_judged_ms, i.new_verdict, i.new_score_micro, i.new_cases_passed, i.new_cases_total, "   \
    "i.new_cpu_ms, i.new_memory_kib, i.new_judged_ms "
#define ITEM_COLUMNS 20

static int bind_outcome(struct db_stmt *stmt, int index, const struct item_outcome *outcome) {
    db_bind_i64(stmt, index++, outcome->verdict);
    db_bind_i64(stmt, index++, outcome->score_micro);
    db_bind_i64(stmt, index++, outcome->cases_passed);
    db_bind_i64(stmt, index++, outcome->cases_total);
    db_bind_i64(stmt, index++, outcome->cpu_ms);
    db_bind_i64(stmt, index++, outcome->memory_kib);
    db_bind_i64(stmt, index++, outcome->judged_ms);
    return index;
}

static struct item_outcome read_outcome(struct db_stmt *stmt, int at) {
    return (struct item_outcome){
        .verdict = (enum verdict)db_i64(stmt, at),
        .score_micro = db_i64(stmt, at + 1),
        .cases_passed = (int32_t)db_i64(stmt, at + 2),
        .cases_total = (int32_t)db_i64(stmt, at + 3),
        .cpu_ms = db_i64(stmt, at + 4),
        .memory_kib = db_i64(stmt, at + 5),
        .judged_ms = db_i64(stmt, at + 6),
    };
}

static struct item_row read_item(struct db_stmt *stmt) {
    return (struct item_row){
        .rejudging = {db_i64(stmt, 0)},
        .submission = {db_i64(stmt, 1)},
        .state = (enum item_state)db_i64(stmt, 2),
        .reason = (enum item_reason)db_i64(stmt, 3),
        .job = {db_i64(stmt, 4)},
        .old_job = {db_i64(stmt, 5)},
        .before = read_outcome(stmt, 6),
        .after = read_outcome(stmt, 13),
    };
}

bool item_insert(struct db *db, const struct item_row *item, struct err *err) {
    CHECK(db_has_lock(db, LOCK_SUBMISSION, LOCK_EXCLUSIVE, item->submission.value));
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db,
                    "INSERT INTO rejudging_item (rejudging_id, submission_id, state, reason, "
                    "job_id, old_job_id, old_verdict, old_score_micro, old_cases_passed, "
                    "old_cases_total, old_cpu_ms, old_memory_kib, old_judged_ms, new_verdict, "
                    "new_score_micro, new_cases_passed, new_cases_total, new_cpu_ms, "
                    "new_memory_kib, new_judged_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
                    "?, ?, ?, ?, ?, ?, ?, ?)",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, item->rejudging.value);
    db_bind_i64(stmt, 2, item->submission.value);
    db_bind_i64(stmt, 3, item->state);
    db_bind_i64(stmt, 4, item->reason);
    db_bind_i64(stmt, 5, item->job.value);
    db_bind_i64(stmt, 6, item->old_job.value);
    (void)bind_outcome(stmt, bind_outcome(stmt, 7, &item->before), &item->after);
    return db_run_one(stmt, err);
}

bool item_update(struct db *db, const struct item_row *item, struct err *err) {
    CHECK(db_has_lock(db, LOCK_SUBMISSION, LOCK_EXCLUSIVE, item->submission.value));
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db,
                    "UPDATE rejudging_item SET state = ?, reason = ?, job_id = ?, new_verdict = ?, "
                    "new_score_micro = ?, new_cases_passed = ?, new_cases_total = ?, "
                    "new_cpu_ms = ?, new_memory_kib = ?, new_judged_ms = ? "
                    "WHERE rejudging_id = ? AND submission_id = ?",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, item->state);
    db_bind_i64(stmt, 2, item->reason);
    db_bind_i64(stmt, 3, item->job.value);
    int index = bind_outcome(stmt, 4, &item->after);
    db_bind_i64(stmt, index, item->rejudging.value);
    db_bind_i64(stmt, index + 1, item->submission.value);
    return db_run_one(stmt, err);
}

static bool find_item(struct db *db, const char *sql, const int64_t values[2],
                      struct item_row *ret_item, bool *ret_found, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, sql, &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, values[0]);
    db_bind_i64(stmt, 2, values[1]);
    if (!db_find(stmt, ret_found, err)) {
        return false;
    }
    if (*ret_found) {
        *ret_item = read_item(stmt);
    }
    return true;
}

bool item_get(struct db *db, struct rejudging_id rejudging, struct submission_id submission,
              struct item_row *ret_item, bool *ret_found, struct err *err) {
    const int64_t values[2] = {rejudging.value, submission.value};
    return find_item(db,
                     "SELECT " ITEM "FROM rejudging_item i WHERE i.rejudging_id = ? AND "
                     "i.submission_id = ?",
                     values, ret_item, ret_found, err);
}

bool item_of_job(struct db *db, struct job_id job, struct item_row *ret_item, bool *ret_found,
                 struct err *err) {
    const int64_t values[2] = {job.value, 1};
    return find_item(db, "SELECT " ITEM "FROM rejudging_item i WHERE i.job_id = ? LIMIT ?", values,
                     ret_item, ret_found, err);
}

bool item_pending(struct db *db, struct submission_id submission, struct rejudging_id not_of,
                  struct item_row *ret_item, bool *ret_found, struct err *err) {
    const int64_t values[2] = {submission.value, not_of.value};
    return find_item(db,
                     "SELECT " ITEM "FROM rejudging_item i JOIN rejudging r ON r.id = "
                     "i.rejudging_id WHERE i.submission_id = ? AND i.rejudging_id <> ? AND "
                     "i.state IN (1, 2) AND r.state IN (1, 2, 3, 4) LIMIT 1",
                     values, ret_item, ret_found, err);
}

bool item_page(struct db *db, struct rejudging_id rejudging, struct item_rows *page,
               struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db,
                    "SELECT " ITEM "FROM rejudging_item i WHERE i.rejudging_id = ? AND "
                    "i.submission_id > ? AND (? & (1 << i.state)) <> 0 "
                    "ORDER BY i.submission_id LIMIT ?",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, rejudging.value);
    db_bind_i64(stmt, 2, page->after);
    db_bind_i64(stmt, 3, page->states);
    db_bind_i64(stmt, 4, page->max);
    page->count = 0;
    enum db_step step = DB_DONE;
    while ((step = db_step(stmt, err)) == DB_ROW) {
        CHECK(page->count < page->max);
        page->rows[page->count++] = read_item(stmt);
    }
    return step == DB_DONE;
}

/* item_change_of of domain/rejudging.c in SQL: 1 same, 2 gain, 3 loss, 4 other; 0 not judged. */
#define CHANGE                                                                                     \
    "CASE WHEN i.new_verdict = 0 THEN 0 "                                                          \
    "WHEN (i.new_verdict = 1) > (i.old_verdict = 1) THEN 2 "                                       \
    "WHEN (i.new_verdict = 1) < (i.old_verdict = 1) THEN 3 "                                       \
    "WHEN i.new_score_micro > i.old_score_micro THEN 2 "                                           \
    "WHEN i.new_score_micro < i.old_score_micro THEN 3 "                                           \
    "WHEN i.new_verdict = i.old_verdict THEN 1 ELSE 4 END"
/* Whose results are worth comparing: judged, applied, undone. */
#define COMPARED "i.state IN (2, 3, 4)"

static void add_counts(struct rejudging_counts *counts, struct db_stmt *stmt) {
    int64_t state = db_i64(stmt, 0);
    int64_t count = db_i64(stmt, 2);
    CHECK(state > ITEM_NONE && state < ITEM_STATE_COUNT);
    counts->by_state[state] += count;
    switch ((enum item_change)db_i64(stmt, 1)) {
    case CHANGE_SAME: counts->same += count; break;
    case CHANGE_GAIN: counts->gains += count; break;
    case CHANGE_LOSS: counts->losses += count; break;
    case CHANGE_OTHER: counts->others += count; break;
    case CHANGE_NONE:
    case CHANGE_COUNT: break;
    }
}

bool rejudging_count(struct db *db, struct rejudging_id id, struct rejudging_counts *ret_counts,
                     struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(
            db,
            "SELECT state, change_kind, count(*) FROM (SELECT i.state AS state, CASE WHEN " COMPARED
            " THEN " CHANGE " ELSE 0 END AS change_kind FROM rejudging_item i "
            "WHERE i.rejudging_id = ?) AS items GROUP BY state, change_kind",
            &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, id.value);
    *ret_counts = (struct rejudging_counts){0};
    enum db_step step = DB_DONE;
    while ((step = db_step(stmt, err)) == DB_ROW) {
        add_counts(ret_counts, stmt);
    }
    return step == DB_DONE;
}

bool item_list(struct db *db, const struct item_query *query, struct arena *arena,
               struct item_named *ret_items, int *ret_count, struct err *err) {
    CHECK(query->limit > 0 && query->limit <= LIST_LIMIT_MAX + 1);
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db,
                    "SELECT " ITEM ", u.username, p.code, s.problem_id, s.language FROM "
                    "rejudging_item i JOIN submission s ON s.id = i.submission_id JOIN `user` u "
                    "ON u.id = s.user_id JOIN problem p ON p.id = s.problem_id WHERE "
                    "i.rejudging_id = ? AND i.submission_id > ? AND (? = 0 OR i.state = ?) AND "
                    "(? = 0 OR (" COMPARED " AND " CHANGE " = ?)) ORDER BY i.submission_id LIMIT ?",
                    &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, query->rejudging.value);
    db_bind_i64(stmt, 2, query->after);
    db_bind_i64(stmt, 3, query->state);
    db_bind_i64(stmt, 4, query->state);
    db_bind_i64(stmt, 5, query->change);
    db_bind_i64(stmt, 6, query->change);
    db_bind_i64(stmt, 7, query->limit);
    int count = 0;
    enum db_step step = DB_DONE;
    while ((step = db_step(stmt, err)) == DB_ROW) {
        CHECK(count < query->limit);
        ret_items[count++] = (struct item_named){
            .item = read_item(stmt),
            .username = arena_str(arena, db_text(stmt, ITEM_COLUMNS)),
            .problem_code = arena_str(arena, db_text(stmt, ITEM_COLUMNS + 1)),
            .problem = {db_i64(stmt, ITEM_COLUMNS + 2)},
            .language = arena_str(arena, db_text(stmt, ITEM_COLUMNS + 3)),
        };
    }
    *ret_count = count;
    return step == DB_DONE;
}
