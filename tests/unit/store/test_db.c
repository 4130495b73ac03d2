/* The contract of db.h: the same on every driver. */
#include "job_fixture.h"
#include "store/db_fault.h"

static void make_table(struct fixture *f) {
    fixture_exec(f, f->db,
                 "CREATE TABLE t (id @i64 PRIMARY KEY, name @text(100), body @blob) @table");
}

static void make_two_rows(struct fixture *f) {
    make_table(f);
    fixture_exec(f, f->db, "INSERT INTO t VALUES (1, NULL, NULL), (2, NULL, NULL)");
}

static void insert(struct fixture *f, int64_t id) {
    own(db_stmt) stmt = NULL;
    assert_true(db_prepare(f->db, "INSERT INTO t (id, name) VALUES (?, 'x')", &stmt, &f->err));
    db_bind_i64(stmt, 1, id);
    assert_true(db_run_one(stmt, &f->err));
}

static void only_what_was_busy_may_be_tried_again(void **state) {
    (void)state;
    for (int kind = ERR_NONE; kind < ERR_KIND_COUNT; kind++) {
        struct err err = {.kind = (enum err_kind)kind, .code = "database_busy"};

        assert_int_equal(db_may_retry(&err), kind == ERR_BUSY);
        err.code = "database_unavailable";
        assert_false(db_may_retry(&err));
        assert_int_equal(db_is_unavailable(&err), kind == ERR_BUSY);
    }
}

static void update_none(struct fixture *f) {
    own(db_stmt) stmt = NULL;
    if (db_prepare(f->db, "UPDATE t SET body = x'' WHERE id = 9", &stmt, &f->err)) {
        (void)!db_run_one(stmt, &f->err);
    }
}

static void update_both(struct fixture *f) {
    own(db_stmt) stmt = NULL;
    if (db_prepare(f->db, "UPDATE t SET body = x''", &stmt, &f->err)) {
        (void)!db_run_one(stmt, &f->err);
    }
}

static void a_change_of_one_row_aborts_when_it_was_another_number(void **state) {
    struct fixture *f = *state;
    make_two_rows(f);
    own(db_stmt) stmt = NULL;

    assert_true(db_prepare(f->db, "UPDATE t SET body = x'' WHERE id = 2", &stmt, &f->err));
    assert_true(db_run_one(stmt, &f->err));

    assert_true(fixture_aborts(f, update_none));
    assert_true(fixture_aborts(f, update_both));
}

static void a_refused_change_of_one_row_is_an_error_not_an_abort(void **state) {
    struct fixture *f = *state;
    make_two_rows(f);
    own(db_stmt) stmt = NULL;

    assert_true(db_prepare(f->db, "INSERT INTO t (id) VALUES (1)", &stmt, &f->err));
    assert_false(db_run_one(stmt, &f->err));

    fixture_was_duplicate(f);
}

static void find_tells_whether_there_is_a_row_and_stays_on_it(void **state) {
    struct fixture *f = *state;
    make_two_rows(f);
    own(db_stmt) stmt = NULL;
    bool found = false;

    assert_true(db_prepare(f->db, "SELECT id * 100 FROM t WHERE id = ?", &stmt, &f->err));
    db_bind_i64(stmt, 1, 2);
    assert_true(db_find(stmt, &found, &f->err));
    assert_true(found);
    assert_int_equal(db_i64(stmt, 0), 200);
    db_reset(stmt);
    db_bind_i64(stmt, 1, 3);
    assert_true(db_find(stmt, &found, &f->err));

    assert_false(found);
}

static void a_digest_comes_back_and_what_is_none_reads_as_zeros(void **state) {
    struct fixture *f = *state;
    static const uint8_t zeros[32];
    uint8_t digest[32];
    uint8_t back[32];
    memset(digest, 0xa5, sizeof digest);
    digest[31] = 0;
    make_two_rows(f);
    own(db_stmt) in = NULL;
    own(db_stmt) out = NULL;

    assert_true(db_prepare(f->db, "UPDATE t SET body = ? WHERE id = 1", &in, &f->err));
    db_bind_sha256(in, 1, digest);
    assert_true(db_run_one(in, &f->err));
    assert_true(
        db_prepare(f->db, "SELECT body, NULL, x'0102', x'00" ZEROS_HEX "' FROM t", &out, &f->err));
    assert_int_equal(db_step(out, &f->err), DB_ROW);

    assert_true(db_sha256(out, 0, back));
    assert_memory_equal(back, digest, sizeof digest);
    for (int column = 1; column <= 3; column++) {
        memset(back, 1, sizeof back);
        assert_false(db_sha256(out, column, back));
        assert_memory_equal(back, zeros, sizeof zeros);
    }
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

static void now_is_the_injected_clocks(void **state) {
    struct fixture *f = *state;
    int64_t now_ms = 0;
    clock_manual_advance(&f->clock, 17);

    assert_true(db_begin(f->db, &f->err));
    assert_true(db_now(f->db, &now_ms, &f->err));
    db_rollback(f->db);

    assert_int_equal(now_ms, START_MS + 17);
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

    assert_true(fixture_aborts(f, lock_in_wrong_order));
    assert_true(fixture_aborts(f, lock_after_the_clock));
    assert_true(fixture_aborts(f, lock_without_transaction));
    assert_true(fixture_aborts(f, upgrade_a_lock));
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

int main(void) {
#define WITH_DB(test) cmocka_unit_test_setup_teardown(test, fixture_setup_empty, fixture_teardown)
#define WITH_SCHEMA(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_was_busy_may_be_tried_again),
        WITH_DB(a_change_of_one_row_aborts_when_it_was_another_number),
        WITH_DB(a_refused_change_of_one_row_is_an_error_not_an_abort),
        WITH_DB(find_tells_whether_there_is_a_row_and_stays_on_it),
        WITH_DB(a_digest_comes_back_and_what_is_none_reads_as_zeros),
        WITH_DB(values_come_back_as_they_went_in),
        WITH_DB(an_empty_text_is_not_null),
        WITH_DB(a_duplicate_is_a_conflict),
        WITH_DB(a_rollback_leaves_nothing),
        WITH_DB(a_savepoint_undoes_its_own_part_only),
        WITH_DB(a_reader_sees_one_snapshot_and_cannot_write),
        WITH_DB(the_same_statement_may_be_used_twice_at_once),
        WITH_DB(a_released_statement_starts_anew_without_values),
        WITH_SCHEMA(now_is_the_injected_clocks),
        WITH_SCHEMA(a_wrong_lock_aborts),
        WITH_SCHEMA(locks_last_for_the_transaction),
        WITH_DB(a_planted_fault_strikes_where_it_should),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
