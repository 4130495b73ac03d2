/* Why jobs are held, and which manifests have failed too often. */
#include "store/hold_store.h"

#include "job_people.h"

static void a_hold_is_found_until_it_is_removed(void **state) {
    struct fixture *f = *state;
    own(arena) arena = arena_create(1 << 20);
    struct job_hold hold = {.job = {7},
                            .kind = HOLD_BY_PROBLEM,
                            .reason = STR("broken"),
                            .actor = {3},
                            .at_ms = START_MS};
    struct job_hold read = {0};
    bool found = false;
    fixture_begin(f);
    fixture_lock_job(f, 7);

    assert_true(job_hold_insert(f->db, &hold, &f->err));
    assert_true(job_hold_get(f->db, hold.job, arena, &read, &found, &f->err));
    assert_true(found && str_eq_c(read.reason, "broken"));
    assert_int_equal(read.kind, HOLD_BY_PROBLEM);
    assert_int_equal(read.actor.value, 3);
    assert_int_equal(read.at_ms, START_MS);
    assert_true(job_hold_delete(f->db, hold.job, &f->err));

    assert_true(job_hold_get(f->db, hold.job, arena, &read, &found, &f->err));
    assert_false(found);
    fixture_commit(f);
}

static void a_submission_counts_once_however_often_it_fails(void **state) {
    struct fixture *f = *state;
    static const uint8_t manifest[32] = {1};
    int64_t count = 0;
    fixture_begin(f);
    for (int64_t id = 1; id <= 3; id++) {
        fixture_lock(f, LOCK_SUBMISSION, id);
        assert_true(manifest_fault_add(f->db, manifest, (struct submission_id){id}, 5, &f->err));
        assert_true(manifest_fault_add(f->db, manifest, (struct submission_id){id}, 6, &f->err));
    }

    assert_true(manifest_fault_count(f->db, manifest, 10, &count, &f->err));
    assert_int_equal(count, 3);
    assert_true(manifest_fault_count(f->db, manifest, 2, &count, &f->err));
    assert_int_equal(count, 2);
    assert_true(manifest_fault_forget(f->db, manifest, &f->err));

    assert_true(manifest_fault_count(f->db, manifest, 10, &count, &f->err));
    assert_int_equal(count, 0);
    fixture_commit(f);
}

static void a_manifests_hold_is_kept_listed_and_finds_its_jobs(void **state) {
    struct fixture *f = *state;
    own(arena) arena = arena_create(1 << 20);
    struct manifest_hold hold = {.problem = {1},
                                 .state = MANIFEST_HOLDING,
                                 .code = STR("checker_crashed"),
                                 .detail = STR("signal 11"),
                                 .at_ms = 9};
    struct manifest_hold read[2];
    struct manifest_holds holds = {.rows = read, .max = 2};
    struct submission_id jobs[4];
    bool found = false;
    int count = 0;
    plant_people(f);

    assert_true(manifest_hold_insert(f->db, &hold, &f->err));
    assert_true(manifest_hold_jobs(f->db, &hold, jobs, 4, &count, &f->err));
    assert_int_equal(count, 1);
    assert_int_equal(jobs[0].value, 1); /* 2 is held by an operator already */
    hold.state = MANIFEST_RELEASING;
    hold.cursor = 4;
    assert_true(manifest_hold_update(f->db, &hold, &f->err));
    assert_true(manifest_hold_get(f->db, hold.manifest, arena, read, &found, &f->err));
    assert_true(found && str_eq_c(read[0].detail, "signal 11"));
    assert_int_equal(read[0].state, MANIFEST_RELEASING);
    assert_int_equal(read[0].cursor, 4);
    assert_true(manifest_hold_list(f->db, (struct problem_id){2}, arena, &holds, &f->err));
    assert_int_equal(holds.count, 0);
    assert_true(manifest_hold_list(f->db, (struct problem_id){0}, arena, &holds, &f->err));
    assert_int_equal(holds.count, 1);
    assert_true(manifest_hold_delete(f->db, hold.manifest, &f->err));
    assert_true(manifest_hold_get(f->db, hold.manifest, arena, read, &found, &f->err));
    assert_false(found);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_hold_is_found_until_it_is_removed, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(a_submission_counts_once_however_often_it_fails,
                                        fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(a_manifests_hold_is_kept_listed_and_finds_its_jobs,
                                        fixture_setup, fixture_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
