/* The highest time any server has seen. */
#include "store/guard_store.h"

#include "job_fixture.h"

static void set(struct fixture *f, int64_t highest_ms) {
    struct guard_row row = {.highest_ms = highest_ms, .outage = {7, 9}};
    fixture_begin(f);
    assert_true(guard_store_set(f->db, &row, &f->err));
    fixture_commit(f);
}

static void nothing_was_seen_at_first(void **state) {
    struct fixture *f = *state;
    struct guard_row row = {.highest_ms = -1};

    assert_true(guard_store_get(f->db, &row, &f->err));

    assert_int_equal(row.highest_ms, 0);
}

static void the_time_is_kept_in_one_row(void **state) {
    struct fixture *f = *state;
    struct guard_row row = {0};
    set(f, START_MS);
    set(f, START_MS + 5);
    set(f, START_MS + 5); /* unchanged: must not be taken for a missing row */

    assert_true(guard_store_get(f->db, &row, &f->err));

    assert_int_equal(row.highest_ms, START_MS + 5);
    assert_int_equal(row.outage.from_ms, 7);
    assert_int_equal(row.outage.until_ms, 9);
    assert_int_equal(fixture_i64(f, f->db, "SELECT count(*) FROM clock_guard"), 1);
}

static void another_connection_sees_it(void **state) {
    struct fixture *f = *state;
    own(db) reader = fixture_open(f, true);
    struct guard_row row = {0};
    set(f, START_MS);

    assert_true(guard_store_get(reader, &row, &f->err));

    assert_int_equal(row.highest_ms, START_MS);
}

int main(void) {
#define WITH_DB(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        WITH_DB(nothing_was_seen_at_first),
        WITH_DB(the_time_is_kept_in_one_row),
        WITH_DB(another_connection_sees_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
