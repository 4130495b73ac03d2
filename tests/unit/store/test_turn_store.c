/* Whose turn it is. */
#include "store/turn_store.h"

#include "job_fixture.h"

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
    struct turn_owner owner = owner_of(queue, user);
    int64_t key = -1;
    assert_true(turn_store_get(f->db, &owner, &key, ret_found, &f->err));
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
    assert_int_equal(fixture_i64(f, f->db, "SELECT count(*) FROM lane_turn"), 2);
}

static void a_first_turn_is_written_once(void **state) {
    struct fixture *f = *state;
    struct turn_owner owner = owner_of(3, 7);
    set(f, 3, 7, 100, false);

    fixture_begin(f);
    assert_false(turn_store_set(f->db, &owner, 150, false, &f->err));
    fixture_was_duplicate(f);
    db_rollback(f->db);
}

static void each_priority_has_its_own_turns(void **state) {
    struct fixture *f = *state;
    struct turn_owner bulk = owner_of(3, 7);
    int64_t key = -1;
    bool found = false;
    bulk.priority = PRIORITY_REJUDGE;
    set(f, 3, 7, 100, false);

    assert_true(turn_store_get(f->db, &bulk, &key, &found, &f->err));

    assert_false(found);
    assert_int_equal(key, 0);
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
