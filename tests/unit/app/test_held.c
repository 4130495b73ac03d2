/* Jobs and nodes of a batch: locked in the one order, read under their locks. */
#include "app/app_fixture.h"
#include "app/held_internal.h"

static void ids_are_sorted_and_single(void **state) {
    (void)state;
    int64_t ids[] = {5, 3, 5, 9, 3, 1};
    int count = 6;
    int none = 0;

    ids_sort(ids, &count);
    ids_sort(NULL, &none);

    assert_int_equal(count, 4);
    assert_int_equal(ids[0], 1);
    assert_int_equal(ids[1], 3);
    assert_int_equal(ids[2], 5);
    assert_int_equal(ids[3], 9);
}

static void jobs_come_with_what_was_asked_for(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    struct submission_id first = submit(f, 1);
    (void)submit(f, 2);
    (void)claim_one(f, &node);
    const struct job_id ids[] = {{2}, {99}, {1}, {2}};
    struct held_jobs held = {0};
    struct db *db = f->app->db;

    must(f, db_begin(db, &f->err));
    must(f, hold_jobs(db, (struct job_list){ids, 4}, HOLD_SUBMISSIONS, f->arena, &held, &f->err));

    assert_int_equal(held.count, 3);
    assert_true(held_find(&held, (struct job_id){1})->has_lease);
    assert_int_equal(held_find(&held, (struct job_id){1})->submission.id.value, first.value);
    assert_false(held_find(&held, (struct job_id){2})->has_lease);
    assert_false(held_find(&held, (struct job_id){99})->found);
    assert_true(db_has_lock(db, LOCK_JOB, LOCK_EXCLUSIVE, 2));
    assert_true(db_has_lock(db, LOCK_SUBMISSION, LOCK_EXCLUSIVE, first.value));
    db_rollback(db);
}

static void nodes_that_are_gone_are_left_out(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    const struct node_id ids[] = {{777}, node.actor.node};
    struct held_nodes held = {0};
    struct db *db = f->app->db;

    must(f, db_begin(db, &f->err));
    must(f, hold_nodes(db, (struct node_list){ids, 2}, LOCK_SHARED, f->arena, &held, &f->err));

    assert_int_equal(held.count, 1);
    assert_non_null(held_node(&held, node.actor.node));
    assert_null(held_node(&held, (struct node_id){777}));
    db_rollback(db);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_are_sorted_and_single),
        APP_TEST(jobs_come_with_what_was_asked_for),
        APP_TEST(nodes_that_are_gone_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
