/* Statements, samples and files of problems. */
#include "store/problem_part_store.h"

#include "base/check.h"
#include <string.h>

static const char delete_statements[] = "DELETE FROM problem_statement WHERE problem_id = ?";
static const char delete_samples[] = "DELETE FROM problem_sample WHERE problem_id = ?";
static const char delete_files[] = "DELETE FROM problem_file WHERE problem_id = ?";
static const char insert_statement[] =
    "INSERT INTO problem_statement (problem_id, language, format, body, file_name) "
    "VALUES (?, ?, ?, ?, ?)";
static const char insert_sample[] =
    "INSERT INTO problem_sample (problem_id, place, name, input, answer) VALUES (?, ?, ?, ?, ?)";
static const char insert_file[] =
    "INSERT INTO problem_file (problem_id, name, sha256, bytes) VALUES (?, ?, ?, ?)";
static const char list_statements[] =
    "SELECT language, format, body, file_name FROM problem_statement WHERE problem_id = ? "
    "ORDER BY language, format LIMIT ?";
static const char list_samples[] =
    "SELECT name, input, answer FROM problem_sample WHERE problem_id = ? ORDER BY place LIMIT ?";
static const char find_file[] =
    "SELECT sha256, bytes FROM problem_file WHERE problem_id = ? AND name = ?";

static bool delete_all(struct db *db, const char *sql, struct problem_id problem, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, sql, &stmt, err)) {
        return false;
    }
    db_bind_i64(stmt, 1, problem.value);
    return db_run(stmt, NULL, err);
}

static bool insert_statements(struct db *db, struct problem_id problem,
                              const struct problem_parts *parts, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, insert_statement, &stmt, err)) {
        return false;
    }
    for (int i = 0; i < parts->statement_count; i++) {
        const struct statement_row *row = &parts->statements[i];
        db_bind_i64(stmt, 1, problem.value);
        db_bind_text(stmt, 2, row->language);
        db_bind_text(stmt, 3, row->format);
        db_bind_blob(stmt, 4, row->body);
        db_bind_text(stmt, 5, row->file_name);
        if (!db_run(stmt, NULL, err)) {
            return false;
        }
    }
    return true;
}

static bool insert_samples(struct db *db, struct problem_id problem,
                           const struct problem_parts *parts, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, insert_sample, &stmt, err)) {
        return false;
    }
    for (int i = 0; i < parts->sample_count; i++) {
        const struct sample_row *row = &parts->samples[i];
        db_bind_i64(stmt, 1, problem.value);
        db_bind_i64(stmt, 2, i);
        db_bind_text(stmt, 3, row->name);
        db_bind_blob(stmt, 4, row->input);
        db_bind_blob(stmt, 5, row->answer);
        if (!db_run(stmt, NULL, err)) {
            return false;
        }
    }
    return true;
}

static bool insert_files(struct db *db, struct problem_id problem,
                         const struct problem_parts *parts, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, insert_file, &stmt, err)) {
        return false;
    }
    for (int i = 0; i < parts->file_count; i++) {
        const struct problem_file_row *row = &parts->files[i];
        db_bind_i64(stmt, 1, problem.value);
        db_bind_text(stmt, 2, row->name);
        db_bind_blob(stmt, 3, str_of(row->blob.sha256, sizeof(row->blob.sha256)));
        db_bind_i64(stmt, 4, row->blob.bytes);
        if (!db_run(stmt, NULL, err)) {
            return false;
        }
    }
    return true;
}

bool problem_part_store_replace(struct db *db, struct problem_id problem,
                                const struct problem_parts *parts, struct err *err) {
    CHECK(db_has_lock(db, LOCK_CONTEXT, LOCK_EXCLUSIVE, problem.value));
    CHECK(parts->statement_count <= PROBLEM_STATEMENTS_MAX);
    CHECK(parts->sample_count <= PROBLEM_SAMPLES_MAX);
    bool replaced =
        delete_all(db, delete_statements, problem, err) &&
        delete_all(db, delete_samples, problem, err) &&
        delete_all(db, delete_files, problem, err) && insert_statements(db, problem, parts, err) &&
        insert_samples(db, problem, parts, err) && insert_files(db, problem, parts, err);
    return replaced || err_wrap(err, "write parts of problem %lld", (long long)problem.value);
}

bool problem_part_store_statements(struct db *db, struct problem_id problem, struct arena *arena,
                                   struct statement_row **ret_rows, int *ret_count,
                                   struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, list_statements, &stmt, err)) {
        return err_wrap(err, "list statements");
    }
    db_bind_i64(stmt, 1, problem.value);
    db_bind_i64(stmt, 2, PROBLEM_STATEMENTS_MAX);
    struct statement_row *rows = arena_array(arena, PROBLEM_STATEMENTS_MAX, sizeof(*rows));
    int count = 0;
    enum db_step step = DB_DONE;
    while (count < PROBLEM_STATEMENTS_MAX && (step = db_step(stmt, err)) == DB_ROW) {
        rows[count++] = (struct statement_row){
            .language = arena_str(arena, db_text(stmt, 0)),
            .format = arena_str(arena, db_text(stmt, 1)),
            .body = arena_str(arena, db_blob(stmt, 2)),
            .file_name = arena_str(arena, db_text(stmt, 3)),
        };
    }
    if (step == DB_FAILED) {
        return err_wrap(err, "list statements");
    }
    *ret_rows = rows;
    *ret_count = count;
    return true;
}

bool problem_part_store_samples(struct db *db, struct problem_id problem, struct arena *arena,
                                struct sample_row **ret_rows, int *ret_count, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, list_samples, &stmt, err)) {
        return err_wrap(err, "list samples");
    }
    db_bind_i64(stmt, 1, problem.value);
    db_bind_i64(stmt, 2, PROBLEM_SAMPLES_MAX);
    struct sample_row *rows = arena_array(arena, PROBLEM_SAMPLES_MAX, sizeof(*rows));
    int count = 0;
    enum db_step step = DB_DONE;
    while (count < PROBLEM_SAMPLES_MAX && (step = db_step(stmt, err)) == DB_ROW) {
        rows[count++] = (struct sample_row){
            .name = arena_str(arena, db_text(stmt, 0)),
            .input = arena_str(arena, db_blob(stmt, 1)),
            .answer = arena_str(arena, db_blob(stmt, 2)),
        };
    }
    if (step == DB_FAILED) {
        return err_wrap(err, "list samples");
    }
    *ret_rows = rows;
    *ret_count = count;
    return true;
}

bool problem_part_store_file(struct db *db, struct problem_id problem, struct str name,
                             struct blob_ref *ret_blob, struct err *err) {
    own(db_stmt) stmt = NULL;
    if (!db_prepare(db, find_file, &stmt, err)) {
        return err_wrap(err, "find file");
    }
    db_bind_i64(stmt, 1, problem.value);
    db_bind_text(stmt, 2, name);
    switch (db_step(stmt, err)) {
    case DB_ROW: break;
    case DB_DONE: return err_set(err, ERR_MISSING, "no_file", "the problem has no such file");
    case DB_FAILED: return err_wrap(err, "find file");
    }
    struct blob_ref blob = {.bytes = db_i64(stmt, 1)};
    struct str sha256 = db_blob(stmt, 0);
    if (sha256.len != sizeof(blob.sha256)) {
        return err_set(err, ERR_SYSTEM, "database_failed", "a file of problem %lld is broken",
                       (long long)problem.value);
    }
    memcpy(blob.sha256, sha256.ptr, sha256.len);
    *ret_blob = blob;
    return true;
}
