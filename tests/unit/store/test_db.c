/* What is the same on every driver. */
#include "job_fixture.h"

static void make_table(struct fixture *f) {
    fixture_exec(f, f->db, "CREATE TABLE t (id INTEGER PRIMARY KEY, body BLOB) STRICT");
    fixture_exec(f, f->db, "INSERT INTO t VALUES (1, NULL), (2, NULL)");
}

static void only_what_was_busy_may_be_tried_again(void **state) {
    (void)state;
    for (int kind = ERR_NONE; kind < ERR_KIND_COUNT; kind++) {
        struct err err = {.kind = (enum err_kind)kind};

        assert_int_equal(db_may_retry(&err), kind == ERR_BUSY);
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
    make_table(f);
    own(db_stmt) stmt = NULL;

    assert_true(db_prepare(f->db, "UPDATE t SET body = x'' WHERE id = 2", &stmt, &f->err));
    assert_true(db_run_one(stmt, &f->err));

    assert_true(fixture_aborts(f, update_none));
    assert_true(fixture_aborts(f, update_both));
}

static void a_refused_change_of_one_row_is_an_error_not_an_abort(void **state) {
    struct fixture *f = *state;
    make_table(f);
    own(db_stmt) stmt = NULL;

    assert_true(db_prepare(f->db, "INSERT INTO t (id) VALUES (1)", &stmt, &f->err));
    assert_false(db_run_one(stmt, &f->err));

    fixture_was_duplicate(f);
}

static void find_tells_whether_there_is_a_row_and_stays_on_it(void **state) {
    struct fixture *f = *state;
    make_table(f);
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
    own(db_stmt) stmt = NULL;

    assert_true(db_prepare(f->db, "SELECT ?, NULL, zeroblob(31), zeroblob(33)", &stmt, &f->err));
    db_bind_sha256(stmt, 1, digest);
    assert_int_equal(db_step(stmt, &f->err), DB_ROW);

    assert_true(db_sha256(stmt, 0, back));
    assert_memory_equal(back, digest, sizeof digest);
    for (int column = 1; column <= 3; column++) {
        memset(back, 1, sizeof back);
        assert_false(db_sha256(stmt, column, back));
        assert_memory_equal(back, zeros, sizeof zeros);
    }
}

int main(void) {
#define WITH_DB(test) cmocka_unit_test_setup_teardown(test, fixture_setup_empty, fixture_teardown)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_was_busy_may_be_tried_again),
        WITH_DB(a_change_of_one_row_aborts_when_it_was_another_number),
        WITH_DB(a_refused_change_of_one_row_is_an_error_not_an_abort),
        WITH_DB(find_tells_whether_there_is_a_row_and_stays_on_it),
        WITH_DB(a_digest_comes_back_and_what_is_none_reads_as_zeros),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
