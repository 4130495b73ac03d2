/* Whose turn it is. */
#include "store/turn_store.h"

#include "job_fixture.h"
#include "rows_fixture.h"

static struct turn_owner owner_of(int64_t queue, int64_t user) {
    return (struct turn_owner){.queue = {queue}, .priority = PRIORITY_PRACTICE, .user = {user}};
}

static void set(struct fixture *f, int64_t queue, int64_t user, int64_t key, bool found) {
    struct turn_owner owner = owner_of(queue, user);
    fixture_begin(f);
    assert_true(turn_store_set(f->db, &owner, key, found, &f->err));
    fixture_commit(f);
}

static int64_t get(struct fixture *f, int64_t queue, int64_t user, bool *ret_found) {
    const struct rows_value key[] = {rows_i64(queue), rows_i64(PRIORITY_PRACTICE), rows_i64(user)};
    struct seen seen = fixture_read(f, &turn_select, key, 1, 3);
    *ret_found = seen.count == 1;
    return seen.last;
}

static void a_user_without_a_turn_is_not_found(void **state) {
    struct fixture *f = *state;
    bool found = true;

    assert_int_equal(get(f, 3, 7, &found), 0);

    assert_false(found);
}

static void each_user_of_each_queue_has_a_key(void **state) {
    struct fixture *f = *state;
    bool found = false;
    set(f, 3, 7, 100, false);
    set(f, 3, 8, 200, false);
    set(f, 4, 7, INT64_C(9007199254740991), false);

    assert_int_equal(get(f, 3, 7, &found), 100);
    assert_true(found);
    assert_int_equal(get(f, 3, 8, &found), 200);
    assert_int_equal(get(f, 4, 7, &found), INT64_C(9007199254740991));
    (void)get(f, 4, 8, &found);

    assert_false(found);
}

static void a_later_key_replaces_that_one_row(void **state) {
    struct fixture *f = *state;
    bool found = false;
    set(f, 3, 7, 100, false);
    set(f, 3, 8, 200, false);

    set(f, 3, 7, 150, true);

    assert_int_equal(get(f, 3, 7, &found), 150);
    assert_int_equal(get(f, 3, 8, &found), 200);
    assert_int_equal(fixture_i64(f, f->db, "SELECT count(*) FROM lane_turn"), 2);
}

static void a_first_turn_is_written_once(void **state) {
    struct fixture *f = *state;
    struct turn_owner owner = owner_of(3, 7);
    set(f, 3, 7, 100, false);

    fixture_begin(f);
    assert_true(turn_store_set(f->db, &owner, 150, false, &f->err));
    assert_false(db_flush(f->db, &f->err));
    fixture_was_duplicate(f);
    db_rollback(f->db);
}

static void each_priority_has_its_own_turns(void **state) {
    struct fixture *f = *state;
    const struct rows_value bulk[] = {rows_i64(3), rows_i64(PRIORITY_REJUDGE), rows_i64(7)};
    set(f, 3, 7, 100, false);

    assert_int_equal(fixture_read(f, &turn_select, bulk, 1, 3).count, 0);
}

int main(void) {
#define WITH_DB(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        WITH_DB(a_user_without_a_turn_is_not_found), WITH_DB(each_user_of_each_queue_has_a_key),
        WITH_DB(a_later_key_replaces_that_one_row),  WITH_DB(each_priority_has_its_own_turns),
        WITH_DB(a_first_turn_is_written_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
