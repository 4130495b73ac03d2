/* Whose turn it is. */
#include "store/turn_store.h"

#include "job_fixture.h"

static void set(struct fixture *f, int64_t queue, int64_t user, int64_t key, bool found) {
    fixture_begin(f);
    assert_true(turn_store_set(f->db, (struct queue_id){queue}, (struct user_id){user}, key, found,
                               &f->err));
    fixture_commit(f);
}

static int64_t get(struct fixture *f, int64_t queue, int64_t user, bool *ret_found) {
    int64_t key = -1;
    assert_true(turn_store_get(f->db, (struct queue_id){queue}, (struct user_id){user}, &key,
                               ret_found, &f->err));
    return key;
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
    assert_int_equal(fixture_i64(f, f->db, "SELECT count(*) FROM user_turn"), 2);
}

static void a_first_turn_is_written_once(void **state) {
    struct fixture *f = *state;
    set(f, 3, 7, 100, false);

    fixture_begin(f);
    assert_false(
        turn_store_set(f->db, (struct queue_id){3}, (struct user_id){7}, 150, false, &f->err));
    fixture_was_duplicate(f);
    db_rollback(f->db);
}

int main(void) {
#define WITH_DB(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        WITH_DB(a_user_without_a_turn_is_not_found),
        WITH_DB(each_user_of_each_queue_has_a_key),
        WITH_DB(a_later_key_replaces_that_one_row),
        WITH_DB(a_first_turn_is_written_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
