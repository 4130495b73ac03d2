/* Rows that travel together. */
#include "store/rows.h"

#include "job_fixture.h"
#include "rows_fixture.h"

static const struct rows_write turn_in = {.kind = ROWS_INSERT,
                                          .table = "lane_turn",
                                          .columns = "queue_id, priority, user_id, last_key",
                                          .column_count = 4,
                                          .key_count = 3};
static const struct rows_write turn_set = {.kind = ROWS_UPDATE,
                                           .table = "lane_turn",
                                           .columns = "queue_id, priority, user_id, last_key",
                                           .column_count = 4,
                                           .key_count = 3};
static const struct rows_write turn_out = {.kind = ROWS_DELETE,
                                           .table = "lane_turn",
                                           .columns = "queue_id, priority, user_id",
                                           .column_count = 3,
                                           .key_count = 3};
static const struct rows_select turn_by_key = {
    .sql = "SELECT t.queue_id, t.priority, t.user_id, t.last_key FROM lane_turn t",
    .keys = {"t.queue_id", "t.priority", "t.user_id"},
    .key_count = 3};
static const struct rows_select turns_from = {
    .sql = "SELECT t.user_id FROM lane_turn t WHERE t.user_id >= ? ORDER BY t.user_id LIMIT ?"};

static void put(struct fixture *f, const struct rows_write *write, int64_t user, int64_t key) {
    const struct rows_value values[] = {rows_i64(1), rows_i64(1), rows_i64(user), rows_i64(key)};
    assert_true(db_put(f->db, write, values, &f->err));
}

static int64_t key_of(struct fixture *f, int64_t user) {
    own(db_stmt) stmt = NULL;
    assert_true(db_prepare(f->db,
                           "SELECT COALESCE(MAX(last_key), -1) FROM lane_turn WHERE user_id = ?",
                           &stmt, &f->err));
    db_bind_i64(stmt, 1, user);
    assert_int_equal(db_step(stmt, &f->err), DB_ROW);
    return db_i64(stmt, 0);
}

static int64_t statements(struct fixture *f) {
    return db_counts(f->db).statements;
}

static void rows_of_one_purpose_are_one_statement(void **state) {
    struct fixture *f = *state;
    fixture_begin(f);
    int64_t before = statements(f);

    for (int user = 1; user <= 50; user++) {
        put(f, &turn_in, user, user);
    }
    for (int user = 1; user <= 50; user++) {
        put(f, &turn_set, user, 2 * user);
    }
    fixture_commit(f);

    assert_int_equal(statements(f) - before, 2);
    assert_int_equal(key_of(f, 50), 100);
    assert_int_equal(fixture_i64(f, f->db, "SELECT count(*) FROM lane_turn"), 50);
}

static void the_last_value_of_a_row_counts(void **state) {
    struct fixture *f = *state;
    fixture_begin(f);

    put(f, &turn_in, 1, 10);
    put(f, &turn_set, 1, 20);
    put(f, &turn_set, 2, 5); /* of a row that only comes now */
    db_rollback(f->db);
    fixture_begin(f);
    put(f, &turn_in, 1, 10);
    put(f, &turn_set, 1, 20);
    put(f, &turn_set, 1, 30);
    fixture_commit(f);

    assert_int_equal(key_of(f, 1), 30);
    assert_int_equal(key_of(f, 2), -1);
}

/* Whatever the order of purposes, a key sees what was put for it in that order. */
static void a_key_keeps_its_order(void **state) {
    struct fixture *f = *state;
    fixture_begin(f);
    put(f, &turn_in, 1, 10);
    put(f, &turn_in, 2, 20);

    put(f, &turn_out, 1, 0);
    put(f, &turn_in, 1, 11);
    put(f, &turn_set, 1, 12);
    put(f, &turn_out, 2, 0);
    put(f, &turn_in, 3, 30);
    put(f, &turn_out, 1, 0);
    put(f, &turn_in, 1, 13);
    fixture_commit(f);

    assert_int_equal(key_of(f, 1), 13);
    assert_int_equal(key_of(f, 2), -1);
    assert_int_equal(key_of(f, 3), 30);
}

/* The same steps one by one and together, many times, with few keys so that they meet. */
static void together_is_as_one_by_one(void **state) {
    struct fixture *f = *state;
    uint64_t random = 7;
    for (int round = 0; round < 60; round++) {
        int64_t expected[4] = {-1, -1, -1, -1};
        fixture_exec(f, f->db, "DELETE FROM lane_turn");
        fixture_begin(f);
        for (int step = 0; step < 40; step++) {
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
            int64_t user = (int64_t)(random >> 40) % 4;
            bool there = expected[user] >= 0;
            bool out = there && (random >> 50) % 2 == 0;
            put(f, !there ? &turn_in : out ? &turn_out : &turn_set, user, step);
            expected[user] = out ? -1 : step;
        }
        fixture_commit(f);

        for (int64_t user = 0; user < 4; user++) {
            assert_int_equal(key_of(f, user), expected[user]);
        }
    }
}

static void a_read_sees_what_was_put_before_it(void **state) {
    struct fixture *f = *state;
    const struct rows_value key[] = {rows_i64(1), rows_i64(1), rows_i64(7)};
    struct seen seen = {.column = 3};
    const struct rows_read read = {
        .select = &turn_by_key, .values = key, .count = 1, .row = note_seen, .context = &seen};
    fixture_begin(f);
    put(f, &turn_in, 7, 70);

    assert_true(db_read(f->db, &read, 1, NULL, &f->err));

    assert_int_equal(seen.last, 70);
    assert_int_equal(key_of(f, 7), 70); /* as does an ordinary statement */
    db_rollback(f->db);
    assert_int_equal(key_of(f, 7), -1);
}

static void many_keys_are_one_statement_and_a_missing_one_is_no_row(void **state) {
    struct fixture *f = *state;
    struct rows_value keys[30];
    struct seen seen = {.column = 3};
    const struct rows_read read = {
        .select = &turn_by_key, .values = keys, .count = 10, .row = note_seen, .context = &seen};
    fixture_begin(f);
    for (int64_t user = 0; user < 9; user++) {
        put(f, &turn_in, user, user);
    }
    for (int64_t user = 0; user < 10; user++) {
        keys[3 * user] = rows_i64(1);
        keys[3 * user + 1] = rows_i64(1);
        keys[3 * user + 2] = rows_i64(user);
    }
    assert_true(db_flush(f->db, &f->err));
    int64_t before = statements(f);

    assert_true(db_read(f->db, &read, 1, NULL, &f->err));

    assert_int_equal(statements(f) - before, 1);
    assert_int_equal(seen.count, 9);
    db_rollback(f->db);
}

static void rows_found_by_a_whole_statement_are_locked(void **state) {
    struct fixture *f = *state;
    const struct rows_value values[] = {rows_i64(3), rows_i64(2)};
    struct seen seen = {.column = 0};
    int64_t now_ms = 0;
    const struct rows_read read = {.select = &turns_from,
                                   .values = values,
                                   .count = 2,
                                   .level = LOCK_JOB,
                                   .mode = LOCK_EXCLUSIVE,
                                   .row = note_seen,
                                   .context = &seen};
    fixture_begin(f);
    for (int64_t user = 1; user <= 6; user++) {
        put(f, &turn_in, user, user);
    }

    assert_true(db_read(f->db, &read, 1, &now_ms, &f->err));

    assert_int_equal(seen.count, 2);
    assert_int_equal(now_ms, START_MS);
    assert_true(db_has_lock(f->db, LOCK_JOB, LOCK_EXCLUSIVE, 3));
    assert_true(db_has_lock(f->db, LOCK_JOB, LOCK_EXCLUSIVE, 4));
    assert_false(db_has_lock(f->db, LOCK_JOB, LOCK_EXCLUSIVE, 5));
    db_rollback(f->db);
}

static void a_refused_row_fails_the_commit(void **state) {
    struct fixture *f = *state;
    fixture_begin(f);
    put(f, &turn_in, 1, 1);
    put(f, &turn_in, 1, 2);

    assert_false(db_commit(f->db, &f->err));

    fixture_was_duplicate(f);
    db_rollback(f->db);
    assert_int_equal(key_of(f, 1), -1);
}

static void update_what_is_not_there(struct fixture *f) {
    const struct rows_value values[] = {rows_i64(1), rows_i64(1), rows_i64(1), rows_i64(1)};
    (void)!(db_put(f->db, &turn_set, values, &f->err));
}

static void a_row_that_changes_nothing_aborts(void **state) {
    struct fixture *f = *state;

    assert_true(fixture_aborts(f, update_what_is_not_there)); /* outside a transaction: at once */
}

static void much_is_sent_before_the_commit(void **state) {
    struct fixture *f = *state;
    fixture_begin(f);

    for (int64_t user = 1; user <= 10000; user++) {
        put(f, &turn_in, user, user);
    }
    fixture_commit(f);

    assert_int_equal(fixture_i64(f, f->db, "SELECT count(*) FROM lane_turn"), 10000);
}

#define ROWS_TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        ROWS_TEST(rows_of_one_purpose_are_one_statement),
        ROWS_TEST(the_last_value_of_a_row_counts),
        ROWS_TEST(a_key_keeps_its_order),
        ROWS_TEST(together_is_as_one_by_one),
        ROWS_TEST(a_read_sees_what_was_put_before_it),
        ROWS_TEST(many_keys_are_one_statement_and_a_missing_one_is_no_row),
        ROWS_TEST(rows_found_by_a_whole_statement_are_locked),
        ROWS_TEST(a_refused_row_fails_the_commit),
        ROWS_TEST(a_row_that_changes_nothing_aborts),
        ROWS_TEST(much_is_sent_before_the_commit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
