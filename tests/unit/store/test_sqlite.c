/* The contract of db.h on SQLite. */
#include "store/db_fault.h"
#include "store/store_fixture.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void make_table(struct fixture *f) {
    fixture_exec(f, f->db, "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, body BLOB) STRICT");
}

static void insert(struct fixture *f, int64_t id) {
    own(db_stmt) stmt = NULL;
    assert_true(db_prepare(f->db, "INSERT INTO t (id, name) VALUES (?, 'x')", &stmt, &f->err));
    db_bind_i64(stmt, 1, id);
    assert_true(db_run_one(stmt, &f->err));
}

static void values_come_back_as_they_went_in(void **state) {
    struct fixture *f = *state;
    make_table(f);
    own(db_stmt) in = NULL;
    own(db_stmt) out = NULL;
    int64_t changes = 0;

    assert_true(db_prepare(f->db, "INSERT INTO t VALUES (?, ?, ?)", &in, &f->err));
    db_bind_i64(in, 1, INT64_C(9007199254740991));
    db_bind_text(in, 2, STR("\xe4\xbd\xa0\xe5\xa5\xbd"));
    db_bind_blob(in, 3, str_of("\0\1\2", 3));
    assert_true(db_run(in, &changes, &f->err));

    assert_int_equal(changes, 1);
    assert_true(db_prepare(f->db, "SELECT id, name, body, NULL FROM t", &out, &f->err));
    assert_int_equal(db_step(out, &f->err), DB_ROW);
    assert_int_equal(db_i64(out, 0), INT64_C(9007199254740991));
    assert_true(str_eq(db_text(out, 1), STR("\xe4\xbd\xa0\xe5\xa5\xbd")));
    assert_true(str_eq(db_blob(out, 2), str_of("\0\1\2", 3)));
    assert_true(db_is_null(out, 3));
    assert_int_equal(db_i64(out, 3), 0);
    assert_int_equal(db_step(out, &f->err), DB_DONE);
}

static void an_empty_text_is_not_null(void **state) {
    struct fixture *f = *state;
    make_table(f);
    own(db_stmt) in = NULL;
    assert_true(db_prepare(f->db, "INSERT INTO t VALUES (1, ?, ?)", &in, &f->err));
    db_bind_text(in, 1, (struct str){0});
    db_bind_blob(in, 2, (struct str){0});
    assert_true(db_run(in, NULL, &f->err));

    assert_int_equal(fixture_i64(f, f->db, "SELECT count(*) FROM t WHERE name = '' AND body = x''"),
                     1);
}

static void a_duplicate_is_a_conflict(void **state) {
    struct fixture *f = *state;
    make_table(f);
    insert(f, 1);
    own(db_stmt) stmt = NULL;

    assert_true(db_prepare(f->db, "INSERT INTO t (id) VALUES (1)", &stmt, &f->err));
    assert_false(db_run(stmt, NULL, &f->err));

    assert_int_equal(f->err.kind, ERR_CONFLICT);
    assert_string_equal(f->err.code, "duplicate");
}

static void a_rollback_leaves_nothing(void **state) {
    struct fixture *f = *state;
    make_table(f);

    assert_true(db_begin(f->db, &f->err));
    insert(f, 1);
    db_rollback(f->db);
    db_rollback(f->db);

    assert_int_equal(fixture_i64(f, f->db, "SELECT count(*) FROM t"), 0);
}

static void a_savepoint_undoes_its_own_part_only(void **state) {
    struct fixture *f = *state;
    make_table(f);

    assert_true(db_begin(f->db, &f->err));
    assert_true(db_savepoint(f->db, &f->err));
    insert(f, 1);
    assert_true(db_savepoint_keep(f->db, &f->err));
    assert_true(db_savepoint(f->db, &f->err));
    insert(f, 2);
    db_savepoint_undo(f->db);
    insert(f, 3);
    assert_true(db_commit(f->db, &f->err));

    assert_int_equal(fixture_i64(f, f->db, "SELECT sum(id) FROM t"), 4);
}

static void a_reader_sees_one_snapshot_and_cannot_write(void **state) {
    struct fixture *f = *state;
    make_table(f);
    insert(f, 1);
    own(db) reader = fixture_open(f, true);

    assert_true(db_begin(reader, &f->err));
    assert_int_equal(fixture_i64(f, reader, "SELECT count(*) FROM t"), 1);
    insert(f, 2);
    assert_int_equal(fixture_i64(f, reader, "SELECT count(*) FROM t"), 1);
    db_rollback(reader);
    assert_int_equal(fixture_i64(f, reader, "SELECT count(*) FROM t"), 2);

    assert_false(db_script(reader, STR("DELETE FROM t"), &f->err));
}

static void connections_of_one_name_share_a_database_in_memory(void **state) {
    struct fixture *f = *state;
    struct db_options options = {.shared_name = "test-shared", .clock = &f->clock.clock};
    own(db) writer = NULL;
    own(db) reader = NULL;
    assert_true(db_open(&options, &writer, &f->err));
    options.read_only = true;
    assert_true(db_open(&options, &reader, &f->err));

    fixture_exec(f, writer, "CREATE TABLE t (id INTEGER); INSERT INTO t VALUES (5)");

    assert_int_equal(fixture_i64(f, reader, "SELECT id FROM t"), 5);
}

static void the_file_is_its_owners_alone(void **state) {
    struct fixture *f = *state;
    struct stat info;

    assert_int_equal(stat(f->path, &info), 0);

    assert_int_equal(info.st_mode & 0777, 0600);
    assert_int_equal(fixture_i64(f, f->db, "PRAGMA synchronous"), 2);
    assert_int_equal(fixture_i64(f, f->db, "PRAGMA foreign_keys"), 1);
}

static void the_same_statement_may_be_used_twice_at_once(void **state) {
    struct fixture *f = *state;
    make_table(f);
    insert(f, 1);
    insert(f, 2);
    static const char sql[] = "SELECT id FROM t ORDER BY id";
    own(db_stmt) outer = NULL;
    own(db_stmt) inner = NULL;

    assert_true(db_prepare(f->db, sql, &outer, &f->err));
    assert_int_equal(db_step(outer, &f->err), DB_ROW);
    assert_true(db_prepare(f->db, sql, &inner, &f->err));
    assert_int_equal(db_step(inner, &f->err), DB_ROW);
    assert_int_equal(db_step(outer, &f->err), DB_ROW);

    assert_int_equal(db_i64(inner, 0), 1);
    assert_int_equal(db_i64(outer, 0), 2);
}

static void a_released_statement_starts_anew_without_values(void **state) {
    struct fixture *f = *state;
    static const char sql[] = "SELECT ? IS NULL";
    struct db_stmt *stmt = NULL;
    assert_true(db_prepare(f->db, sql, &stmt, &f->err));
    db_bind_i64(stmt, 1, 5);
    assert_int_equal(db_step(stmt, &f->err), DB_ROW);
    db_stmt_release(stmt);

    assert_int_equal(fixture_i64(f, f->db, sql), 1);
}

static void a_path_that_cannot_be_opened_is_named(void **state) {
    struct fixture *f = *state;
    struct db *db = NULL;
    struct db_options options = {.path = "/nonexistent/x.db", .clock = &f->clock.clock};

    assert_false(db_open(&options, &db, &f->err));

    assert_string_equal(f->err.code, "database_unavailable");
    assert_non_null(strstr(f->err.text, "/nonexistent/x.db"));
}

static void now_is_the_injected_clocks(void **state) {
    struct fixture *f = *state;
    int64_t now_ms = 0;
    clock_manual_advance(&f->clock, 17);

    assert_true(db_begin(f->db, &f->err));
    assert_true(db_now(f->db, &now_ms, &f->err));
    db_rollback(f->db);

    assert_int_equal(now_ms, START_MS + 17);
}

/* What a CHECK does can only be seen from outside the process. */
static bool aborts(struct fixture *f, void (*act)(struct fixture *f)) {
    pid_t child = fork();
    if (child == 0) {
        (void)close(STDERR_FILENO);
        act(f);
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static void lock_in_wrong_order(struct fixture *f) {
    if (db_begin(f->db, &f->err) && db_lock(f->db, LOCK_JOB, LOCK_EXCLUSIVE, 1, &f->err)) {
        (void)!db_lock(f->db, LOCK_NODE, LOCK_SHARED, 1, &f->err);
    }
}

static void lock_after_the_clock(struct fixture *f) {
    int64_t now_ms = 0;
    if (db_begin(f->db, &f->err) && db_now(f->db, &now_ms, &f->err)) {
        (void)!db_lock(f->db, LOCK_NODE, LOCK_SHARED, 1, &f->err);
    }
}

static void lock_without_transaction(struct fixture *f) {
    (void)!db_lock(f->db, LOCK_NODE, LOCK_SHARED, 1, &f->err);
}

static void upgrade_a_lock(struct fixture *f) {
    if (db_begin(f->db, &f->err) && db_lock(f->db, LOCK_NODE, LOCK_SHARED, 1, &f->err)) {
        (void)!db_lock(f->db, LOCK_NODE, LOCK_EXCLUSIVE, 1, &f->err);
    }
}

static void a_wrong_lock_aborts(void **state) {
    struct fixture *f = *state;

    assert_true(aborts(f, lock_in_wrong_order));
    assert_true(aborts(f, lock_after_the_clock));
    assert_true(aborts(f, lock_without_transaction));
    assert_true(aborts(f, upgrade_a_lock));
}

static void locks_last_for_the_transaction(void **state) {
    struct fixture *f = *state;

    assert_true(db_begin(f->db, &f->err));
    assert_true(db_lock(f->db, LOCK_JOB, LOCK_EXCLUSIVE, 9, &f->err));
    assert_true(db_has_lock(f->db, LOCK_JOB, LOCK_EXCLUSIVE, 9));
    assert_true(db_commit(f->db, &f->err));

    assert_false(db_has_lock(f->db, LOCK_JOB, LOCK_SHARED, 9));
}

static bool fail_at(void *context, enum db_point point, const char *sql, struct err *err) {
    (void)sql;
    return point != *(enum db_point *)context ||
           err_set(err, ERR_SYSTEM, "planted", "planted fault");
}

static void a_planted_fault_strikes_where_it_should(void **state) {
    struct fixture *f = *state;
    make_table(f);
    enum db_point at = DB_POINT_COMMIT;
    db_set_fault(f->db, fail_at, &at);

    assert_true(db_begin(f->db, &f->err));
    insert(f, 1);
    assert_false(db_commit(f->db, &f->err));
    db_rollback(f->db);
    at = DB_POINT_COMMITTED;
    assert_true(db_begin(f->db, &f->err));
    insert(f, 2);
    assert_false(db_commit(f->db, &f->err));
    db_rollback(f->db);
    db_set_fault(f->db, NULL, NULL);

    assert_int_equal(fixture_i64(f, f->db, "SELECT sum(id) FROM t"), 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup_empty, fixture_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(values_come_back_as_they_went_in),
        TEST(an_empty_text_is_not_null),
        TEST(a_duplicate_is_a_conflict),
        TEST(a_rollback_leaves_nothing),
        TEST(a_savepoint_undoes_its_own_part_only),
        TEST(a_reader_sees_one_snapshot_and_cannot_write),
        TEST(connections_of_one_name_share_a_database_in_memory),
        TEST(the_file_is_its_owners_alone),
        TEST(the_same_statement_may_be_used_twice_at_once),
        TEST(a_released_statement_starts_anew_without_values),
        TEST(a_path_that_cannot_be_opened_is_named),
        TEST(now_is_the_injected_clocks),
        TEST(a_wrong_lock_aborts),
        TEST(locks_last_for_the_transaction),
        TEST(a_planted_fault_strikes_where_it_should),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
