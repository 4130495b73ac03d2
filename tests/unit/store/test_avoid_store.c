/* Nodes that failed a job. */
#include "store/avoid_store.h"

#include "job_fixture.h"

static void note(struct fixture *f, int64_t node, int64_t now_ms) {
    struct job_id job = {1};
    fixture_begin(f);
    assert_true(db_lock(f->db, LOCK_JOB, LOCK_EXCLUSIVE, job.value, &f->err));
    assert_true(avoid_store_note(f->db, job, (struct node_id){node}, now_ms, &f->err));
    fixture_commit(f);
}

static void each_node_is_noted_once_with_its_newest_time(void **state) {
    struct fixture *f = *state;

    note(f, 4, START_MS);
    note(f, 5, START_MS);
    note(f, 4, START_MS + 10);

    assert_int_equal(fixture_i64(f, f->db, "SELECT count(*) FROM job_avoid WHERE job_id = 1"), 2);
    assert_int_equal(fixture_i64(f, f->db, "SELECT at_ms FROM job_avoid WHERE node_id = 4"),
                     START_MS + 10);
}

static void a_closed_job_forgets_them(void **state) {
    struct fixture *f = *state;
    note(f, 4, START_MS);

    fixture_begin(f);
    assert_true(db_lock(f->db, LOCK_JOB, LOCK_EXCLUSIVE, 1, &f->err));
    assert_true(avoid_store_forget(f->db, (struct job_id){1}, &f->err));
    fixture_commit(f);

    assert_int_equal(fixture_i64(f, f->db, "SELECT count(*) FROM job_avoid"), 0);
}

int main(void) {
#define WITH_DB(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        WITH_DB(each_node_is_noted_once_with_its_newest_time),
        WITH_DB(a_closed_job_forgets_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
