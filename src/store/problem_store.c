/* Problems. */
#include "store/problem_store.h"

#include "base/buf.h"
#include "base/check.h"
#include "base/limits.h"
#include <assert.h>
#include <string.h>

#define COLUMNS                                                                                    \
    "p.id, p.code, p.titles, p.manifest_id, p.time_limit_ms, p.memory_limit_kib, "                 \
    "p.output_limit_kib, p.code_limit_kib, p.job_total_ms, p.cases_total, p.languages, "           \
    "p.revision, p.created_ms, p.updated_ms"
#define BEST_COLUMN 14

static const char insert_problem[] =
    "INSERT INTO problem (titles, search_text, manifest_id, time_limit_ms, memory_limit_kib, "
    "output_limit_kib, code_limit_kib, job_total_ms, cases_total, languages, updated_ms, id, code, "
    "created_ms, revision) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
static const char update_problem[] =
    "UPDATE problem SET titles = ?, search_text = ?, manifest_id = ?, time_limit_ms = ?, "
    "memory_limit_kib = ?, output_limit_kib = ?, code_limit_kib = ?, job_total_ms = ?, "
    "cases_total = ?, languages = ?, updated_ms = ?, revision = revision + 1 WHERE id = ?";
static const char by_id[] = "SELECT " COLUMNS " FROM problem p WHERE p.id = ?";
static const char by_code[] = "SELECT " COLUMNS " FROM problem p WHERE p.code = ?";
#define LISTED                                                                                     \
    "SELECT " COLUMNS ", u.best_verdict FROM problem p "                                           \
    "LEFT JOIN user_problem u ON u.problem_id = p.id AND u.user_id = ? WHERE p.id > ? "
static const char list_all[] = LISTED "ORDER BY p.id LIMIT ?";
#define FITS "AND p.search_text LIKE ? ESCAPE '!' "
static const char list_found[] = LISTED FITS FITS FITS FITS "ORDER BY p.id LIMIT ?";
static_assert(PROBLEM_QUERY_WORDS_MAX == 4, "one FITS a word");
static const char find_best[] =
    "SELECT best_verdict FROM user_problem WHERE user_id = ? AND problem_id = ?";

/* The first twelve parameters of insert and update are the same. */
static void bind_changeable(struct db_stmt *stmt, const struct problem_row *row) {
    db_bind_text(stmt, 1, row->titles);
    db_bind_text(stmt, 2, row->search_text);
    db_bind_blob(stmt, 3, str_of(row->manifest.bytes, sizeof(row->manifest.bytes)));
    db_bind_i64(stmt, 4, row->time_limit_ms);
    db_bind_i64(stmt, 5, row->memory_limit_kib);
    db_bind_i64(stmt, 6, row->output_limit_kib);
    db_bind_i64(stmt, 7, row->code_limit_kib);
    db_bind_i64(stmt, 8, row->job_total_ms);
    db_bind_i64(stmt, 9, row->cases_total);
    db_bind_text(stmt, 10, row->languages);
    db_bind_i64(stmt, 11, row->updated_ms);
    db_bind_i64(stmt, 12, row->id.value);
}

bool problem_store_insert(struct db *db, const struct problem_row *row, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, insert_problem, &stmt, err)) {
        return err_wrap(err, "insert problem");
    }
    bind_changeable(stmt, row);
    db_bind_text(stmt, 13, row->code);
    db_bind_i64(stmt, 14, row->created_ms);
    db_bind_i64(stmt, 15, row->revision);
    return db_run(stmt, NULL, err) || err_wrap(err, "insert problem");
}

bool problem_store_update(struct db *db, const struct problem_row *row, struct err *err) {
    CHECK(db_has_lock(db, LOCK_CONTEXT, LOCK_EXCLUSIVE, row->id.value));
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, update_problem, &stmt, err)) {
        return err_wrap(err, "update problem");
    }
    bind_changeable(stmt, row);
    return db_run_one(stmt, err) || err_wrap(err, "update problem %lld", (long long)row->id.value);
}

static bool problem_from_row(struct db_stmt *stmt, struct arena *arena, struct problem_row *ret_row,
                             struct err *err) {
    struct problem_row row = {
        .id = {db_i64(stmt, 0)},
        .code = arena_str(arena, db_text(stmt, 1)),
        .titles = arena_str(arena, db_text(stmt, 2)),
        .time_limit_ms = db_i64(stmt, 4),
        .memory_limit_kib = db_i64(stmt, 5),
        .output_limit_kib = db_i64(stmt, 6),
        .code_limit_kib = db_i64(stmt, 7),
        .job_total_ms = db_i64(stmt, 8),
        .cases_total = (int32_t)db_i64(stmt, 9),
        .languages = arena_str(arena, db_text(stmt, 10)),
        .revision = db_i64(stmt, 11),
        .created_ms = db_i64(stmt, 12),
        .updated_ms = db_i64(stmt, 13),
    };
    struct str manifest = db_blob(stmt, 3);
    if (manifest.len != sizeof(row.manifest.bytes)) {
        return err_set(err, ERR_SYSTEM, "database_failed", "problem %lld has a broken manifest id",
                       (long long)row.id.value);
    }
    memcpy(row.manifest.bytes, manifest.ptr, manifest.len);
    *ret_row = row;
    return true;
}

static bool one_problem(struct db_stmt *stmt, struct arena *arena, struct problem_row *ret_row,
                        struct err *err) {
    switch (db_step(stmt, err)) {
    case DB_ROW: return problem_from_row(stmt, arena, ret_row, err);
    case DB_DONE: return err_set(err, ERR_MISSING, "no_problem", "there is no such problem");
    case DB_FAILED: return err_wrap(err, "find problem");
    }
    CHECK(false);
}

const struct rows_select problem_revision_select = {
    .sql = "SELECT p.id, p.revision FROM problem p", .keys = {"p.id"}, .key_count = 1};

bool problem_store_find(struct db *db, struct problem_id id, struct arena *arena,
                        struct problem_row *ret_row, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, by_id, &stmt, err)) {
        return err_wrap(err, "find problem");
    }
    db_bind_i64(stmt, 1, id.value);
    return one_problem(stmt, arena, ret_row, err);
}

bool problem_store_find_code(struct db *db, struct str code, struct arena *arena,
                             struct problem_row *ret_row, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, by_code, &stmt, err)) {
        return err_wrap(err, "find problem");
    }
    db_bind_text(stmt, 1, code);
    return one_problem(stmt, arena, ret_row, err);
}

/* "%text%" where %, _ and ! of the text stand for themselves; an empty text fits all. */
static void bind_pattern(struct db_stmt *stmt, int index, struct str text) {
    own_buf pattern = {0};
    struct buf *into = &pattern;
    buf_init(into, 2 * text.len + 2);
    buf_append_char(into, '%');
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == '%' || c == '_' || c == '!') {
            buf_append_char(into, '!');
        }
        buf_append_char(into, c);
    }
    buf_append_char(into, '%');
    db_bind_text(stmt, index, buf_str(into));
}

static bool bind_query(struct db *db, const struct problem_query *query, struct db_stmt **ret_stmt,
                       struct err *err) {
    own(db_stmt) stmt = NULL;
    bool all = query->word_count == 0;
    CHECK(query->word_count <= PROBLEM_QUERY_WORDS_MAX);
    if (!db_prepare(db, all ? list_all : list_found, &stmt, err)) {
        return false;
    }
    int index = 1;
    db_bind_i64(stmt, index++, query->user.value);
    db_bind_i64(stmt, index++, query->after.value);
    for (int i = 0; !all && i < PROBLEM_QUERY_WORDS_MAX; i++) {
        bind_pattern(stmt, index++, i < query->word_count ? query->words[i] : STR(""));
    }
    db_bind_i64(stmt, index, query->limit);
    *ret_stmt = take(stmt);
    return true;
}

bool problem_store_list(struct db *db, const struct problem_query *query, struct arena *arena,
                        struct problem_listed **ret_rows, int *ret_count, struct err *err) {
    own(db_stmt) stmt = NULL;
    CHECK(query->limit > 0);
    if (!bind_query(db, query, &stmt, err)) {
        return err_wrap(err, "list problems");
    }
    struct problem_listed *rows = arena_array(arena, (size_t)query->limit, sizeof(*rows));
    int count = 0;
    enum db_step step = DB_DONE;
    while (count < query->limit && (step = db_step(stmt, err)) == DB_ROW) {
        if (!problem_from_row(stmt, arena, &rows[count].row, err)) {
            return false;
        }
        rows[count].best = (enum verdict)db_i64(stmt, BEST_COLUMN);
        count++;
    }
    if (step == DB_FAILED) {
        return err_wrap(err, "list problems");
    }
    *ret_rows = rows;
    *ret_count = count;
    return true;
}

bool problem_store_best(struct db *db, struct user_id user, struct problem_id problem,
                        enum verdict *ret_best, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, find_best, &stmt, err)) {
        return err_wrap(err, "find best verdict");
    }
    db_bind_i64(stmt, 1, user.value);
    db_bind_i64(stmt, 2, problem.value);
    enum db_step step = db_step(stmt, err);
    *ret_best = step == DB_ROW ? (enum verdict)db_i64(stmt, 0) : VERDICT_NONE;
    return step != DB_FAILED || err_wrap(err, "find best verdict");
}
