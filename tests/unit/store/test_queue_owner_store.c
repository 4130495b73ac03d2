/* Who claims of a queue: terms follow each other, and a term that is over is noticed. */
#include "store/queue_owner_store.h"

#include "job_fixture.h"
#include "rows_fixture.h"

static int64_t read_term(struct fixture *f, int64_t queue) {
    const struct rows_value key[] = {rows_i64(queue)};
    struct seen seen = fixture_read(f, &queue_owner_select, key, 1, 1);
    return seen.count == 1 ? seen.last : 0;
}

static bool own_queue(struct fixture *f, struct db *db, int64_t queue, int64_t term) {
    const struct queue_ownership read = {.queue = {queue}, .term = term};
    assert_true(db_lock(db, LOCK_QUEUE, LOCK_EXCLUSIVE, queue, &f->err));
    return queue_owner_take(db, &read, STR("me"), &f->err);
}

static void each_owner_begins_the_next_term(void **state) {
    struct fixture *f = *state;

    for (int64_t term = 0; term < 3; term++) {
        fixture_begin(f);
        assert_true(own_queue(f, f->db, 7, term));
        fixture_commit(f);
        assert_int_equal(read_term(f, 7), term + 1);
    }

    assert_int_equal(read_term(f, 8), 0);
}

static void a_term_that_is_over_is_to_be_tried_again(void **state) {
    struct fixture *f = *state;
    fixture_begin(f);
    assert_true(own_queue(f, f->db, 7, 0));
    assert_true(own_queue(f, f->db, 7, 1));

    assert_false(own_queue(f, f->db, 7, 1));

    assert_true(db_may_retry(&f->err));
    db_rollback(f->db);
    assert_int_equal(read_term(f, 7), 0); /* nothing was kept */
}

int main(void) {
#define WITH_DB(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        WITH_DB(each_owner_begins_the_next_term),
        WITH_DB(a_term_that_is_over_is_to_be_tried_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
