/* Reports for other servers. */
#include "store/progress_store.h"

#include "job_fixture.h"

static void put(struct fixture *f, int64_t submission, int64_t sequence, int64_t at_ms) {
    struct progress_row row = {.submission = {submission},
                               .job = {10 * submission},
                               .lease_epoch = 1,
                               .sequence = sequence,
                               .at_ms = at_ms,
                               .body = STR("{}")};
    fixture_begin(f);
    assert_true(progress_store_put(f->db, &row, &f->err));
    fixture_commit(f);
}

static void a_newer_report_takes_the_place_of_the_old_one(void **state) {
    struct fixture *f = *state;

    put(f, 1, 3, START_MS);
    put(f, 1, 4, START_MS + 1);

    assert_int_equal(fixture_i64(f, f->db, "SELECT count(*) FROM job_progress"), 1);
    assert_int_equal(fixture_i64(f, f->db, "SELECT sequence FROM job_progress"), 4);
}

static void what_is_over_or_old_goes(void **state) {
    struct fixture *f = *state;
    put(f, 1, 1, START_MS);
    put(f, 2, 1, START_MS + 5);
    put(f, 3, 1, START_MS + 9);

    fixture_begin(f);
    assert_true(progress_store_delete(f->db, (struct submission_id){3}, &f->err));
    assert_true(progress_store_delete(f->db, (struct submission_id){77}, &f->err));
    assert_true(progress_store_sweep(f->db, START_MS + 5, 10, &f->err));
    fixture_commit(f);

    assert_int_equal(fixture_i64(f, f->db, "SELECT count(*) FROM job_progress"), 1);
    assert_int_equal(fixture_i64(f, f->db, "SELECT submission_id FROM job_progress"), 2);
}

int main(void) {
#define WITH_DB(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        WITH_DB(a_newer_report_takes_the_place_of_the_old_one),
        WITH_DB(what_is_over_or_old_goes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
