/* Prepared statements on MySQL: big values, values of a lost connection, rows that stay while
 * others run. */
#include "store/store_fixture.h"

#define BIG_BYTES (5 * MIB)

static void big_and_small_values_of_one_statement_come_back(void **state) {
    struct fixture *f = *state;
    own_buf big = {0};
    own(db_stmt) in = NULL;
    own(db_stmt) out = NULL;
    fixture_exec(f, f->db, "CREATE TABLE t (id @i64 PRIMARY KEY, body @blob) @table");
    buf_init(&big, BIG_BYTES);
    memset(buf_reserve(&big, BIG_BYTES), 'x', BIG_BYTES);
    buf_grew(&big, BIG_BYTES);
    const struct str bodies[] = {STR("a"), buf_str(&big), STR(""), STR("bc")};
    assert_true(db_prepare(f->db, "INSERT INTO t VALUES (?, ?)", &in, &f->err));
    for (int i = 0; i < 4; i++) {
        db_bind_i64(in, 1, i);
        db_bind_blob(in, 2, bodies[i]);
        assert_true(db_run_one(in, &f->err));
    }

    assert_true(db_prepare(f->db, "SELECT body, id FROM t ORDER BY id", &out, &f->err));

    for (int i = 0; i < 4; i++) {
        assert_int_equal(db_step(out, &f->err), DB_ROW);
        assert_int_equal(db_i64(out, 1), i);
        assert_true(str_eq(db_blob(out, 0), bodies[i]));
        assert_true(str_eq(db_blob(out, 0), bodies[i]));
    }
    assert_int_equal(db_step(out, &f->err), DB_DONE);
}

static void the_largest_and_smallest_numbers_come_back(void **state) {
    struct fixture *f = *state;
    own(db_stmt) in = NULL;
    fixture_exec(f, f->db, "CREATE TABLE t (id @i64 PRIMARY KEY, n @i32) @table");
    assert_true(db_prepare(f->db, "INSERT INTO t VALUES (?, ?)", &in, &f->err));
    db_bind_i64(in, 1, INT64_MIN);
    db_bind_i64(in, 2, INT32_MIN);
    assert_true(db_run_one(in, &f->err));
    db_bind_i64(in, 1, INT64_MAX);
    db_bind_i64(in, 2, INT32_MAX);
    assert_true(db_run_one(in, &f->err));

    assert_int_equal(fixture_i64(f, f->db, "SELECT min(id) FROM t"), INT64_MIN);
    assert_int_equal(fixture_i64(f, f->db, "SELECT max(id) FROM t"), INT64_MAX);
    assert_int_equal(fixture_i64(f, f->db, "SELECT min(n) FROM t"), INT32_MIN);
    assert_int_equal(fixture_i64(f, f->db, "SELECT sum(n) FROM t"), -1);
}

static void a_text_that_does_not_fit_is_refused_not_cut(void **state) {
    struct fixture *f = *state;
    own(db_stmt) in = NULL;
    fixture_exec(f, f->db, "CREATE TABLE t (name @text(3)) @table");
    assert_true(db_prepare(f->db, "INSERT INTO t VALUES (?)", &in, &f->err));
    db_bind_text(in, 1, STR("\xe4\xbd\xa0\xe5\xa5\xbd\xe5\x90\x97")); /* three characters */
    assert_true(db_run_one(in, &f->err));
    db_bind_text(in, 1, STR("four"));

    assert_false(db_run(in, NULL, &f->err));

    assert_string_equal(f->err.code, "database_failed");
}

static void a_prepared_statement_outlives_its_connection(void **state) {
    struct fixture *f = *state;
    static const char sql[] = "SELECT id + 1 FROM t WHERE id = ?";
    char kill[64];
    own(db_stmt) held = NULL;
    fixture_exec(f, f->db, "CREATE TABLE t (id @i64 PRIMARY KEY) @table");
    fixture_exec(f, f->db, "INSERT INTO t VALUES (40)");
    assert_true(db_prepare(f->db, sql, &held, &f->err));
    db_stmt_release(take(held));
    (void)snprintf(kill, sizeof kill, "KILL CONNECTION %lld",
                   (long long)fixture_i64(f, f->db, "SELECT CONNECTION_ID()"));
    fixture_exec(f, test_db_admin, kill);

    assert_true(db_begin(f->db, &f->err));
    assert_true(db_prepare(f->db, sql, &held, &f->err));
    db_bind_i64(held, 1, 40);
    assert_int_equal(db_step(held, &f->err), DB_ROW);

    assert_int_equal(db_i64(held, 0), 41);
    db_rollback(f->db);
}

static void a_changed_row_counts_also_when_it_stays_the_same(void **state) {
    struct fixture *f = *state;
    own(db_stmt) stmt = NULL;
    int64_t changes = 0;
    fixture_exec(f, f->db, "CREATE TABLE t (id @i64 PRIMARY KEY, n @i64) @table");
    fixture_exec(f, f->db, "INSERT INTO t VALUES (1, 5)");

    assert_true(db_prepare(f->db, "UPDATE t SET n = 5 WHERE id = 1", &stmt, &f->err));
    assert_true(db_run(stmt, &changes, &f->err));

    assert_int_equal(changes, 1);
}

int main(void) {
#define WITH_DB(test) cmocka_unit_test_setup_teardown(test, fixture_setup_empty, fixture_teardown)
    const struct CMUnitTest tests[] = {
        WITH_DB(big_and_small_values_of_one_statement_come_back),
        WITH_DB(the_largest_and_smallest_numbers_come_back),
        WITH_DB(a_text_that_does_not_fit_is_refused_not_cut),
        WITH_DB(a_prepared_statement_outlives_its_connection),
        WITH_DB(a_changed_row_counts_also_when_it_stays_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
