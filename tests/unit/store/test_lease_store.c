/* Leases. */
#include "store/lease_store.h"

#include "job_fixture.h"
#include "rows_fixture.h"

#define JOBS_MAX 8

static struct lease a_lease(int64_t job, int64_t node) {
    return (struct lease){
        .job = {job},
        .node = {node},
        .host_group = {2},
        .session_epoch = 6,
        .epoch = 4,
        .token = UINT64_MAX - (uint64_t)job, /* the top bit must survive a signed column */
        .claim_key = UINT64_C(1) << 63 | 5,
        .until_ms = START_MS + job * 10,
        .stop_at_ms = START_MS + 1000,
        .claimed_ms = START_MS - 1,
    };
}

static void insert(struct fixture *f, const struct lease *lease) {
    fixture_begin(f);
    fixture_lock_job(f, lease->job.value);
    assert_true(lease_store_insert(f->db, lease, &f->err));
    fixture_commit(f);
}

static void a_lease_comes_back_as_it_was(void **state) {
    struct fixture *f = *state;
    struct lease in = a_lease(7, 5);
    struct lease lease = {0};
    bool found = false;
    insert(f, &in);

    assert_true(lease_store_get(f->db, in.job, &lease, &found, &f->err));

    assert_true(found);
    assert_int_equal(lease.job.value, 7);
    assert_int_equal(lease.node.value, 5);
    assert_int_equal(lease.host_group.value, 2);
    assert_int_equal(lease.session_epoch, 6);
    assert_int_equal(lease.epoch, 4);
    assert_true(lease.token == in.token);
    assert_true(lease.claim_key == in.claim_key);
    assert_int_equal(lease.until_ms, START_MS + 70);
    assert_int_equal(lease.stop_at_ms, START_MS + 1000);
    assert_int_equal(lease.claimed_ms, START_MS - 1);
    assert_false(lease.revoked);
}

static void a_job_has_one_lease_until_it_is_removed(void **state) {
    struct fixture *f = *state;
    struct lease first = a_lease(7, 5);
    struct lease second = a_lease(7, 6);
    bool found = true;
    insert(f, &first);

    fixture_begin(f);
    fixture_lock_job(f, 7);
    assert_true(lease_store_insert(f->db, &second, &f->err));
    assert_false(db_flush(f->db, &f->err));
    fixture_was_duplicate(f);
    assert_true(lease_store_delete(f->db, first.job, &f->err));
    assert_true(lease_store_get(f->db, first.job, &first, &found, &f->err));
    assert_false(found);
    assert_true(lease_store_insert(f->db, &second, &f->err));
    fixture_commit(f);
}

static void insert_unlocked(struct fixture *f) {
    struct lease lease = a_lease(7, 5);
    if (db_begin(f->db, &f->err)) {
        (void)!lease_store_insert(f->db, &lease, &f->err);
    }
}

static void insert_past_the_stop(struct fixture *f) {
    struct lease lease = a_lease(7, 5);
    lease.until_ms = lease.stop_at_ms + 1;
    if (db_begin(f->db, &f->err) && db_lock(f->db, LOCK_JOB, LOCK_EXCLUSIVE, 7, &f->err)) {
        (void)!lease_store_insert(f->db, &lease, &f->err);
    }
}

static void delete_what_is_not_there(struct fixture *f) {
    if (db_begin(f->db, &f->err) && db_lock(f->db, LOCK_JOB, LOCK_EXCLUSIVE, 7, &f->err)) {
        (void)!(lease_store_delete(f->db, (struct job_id){7}, &f->err) && db_flush(f->db, &f->err));
    }
}

static void a_lease_without_lock_or_past_its_stop_aborts(void **state) {
    struct fixture *f = *state;

    assert_true(fixture_aborts(f, insert_unlocked));
    assert_true(fixture_aborts(f, insert_past_the_stop));
    assert_true(fixture_aborts(f, delete_what_is_not_there));
}

static void slots_in_use_are_counted_from_leases(void **state) {
    struct fixture *f = *state;
    for (int64_t job = 1; job <= 5; job++) {
        struct lease lease = a_lease(job, job <= 3 ? 5 : 6);
        lease.host_group.value = job == 5 ? 0 : 2;
        insert(f, &lease);
    }

    const struct rows_value key[] = {rows_i64(5)};
    const struct rows_value others[] = {rows_i64(6), rows_i64(9)};
    const struct rows_value group[] = {rows_i64(2)};
    assert_int_equal(fixture_read(f, &lease_of_node_select, key, 1, 0).count, 3);
    assert_int_equal(fixture_read(f, &lease_of_node_select, others, 2, 0).count, 2);

    assert_int_equal(fixture_read(f, &lease_count_select, group, 1, 1).last, 4);
}

static void the_earliest_ended_come_first_and_a_renewed_one_not_at_all(void **state) {
    struct fixture *f = *state;
    struct job_id jobs[JOBS_MAX];
    struct lease_page page = {.jobs = jobs, .max = JOBS_MAX};
    static const int64_t until[] = {40, 20, 30, 31};
    for (int64_t job = 1; job <= 4; job++) {
        struct lease lease = a_lease(job, 5);
        lease.until_ms = START_MS + until[job - 1];
        insert(f, &lease);
    }

    assert_true(lease_store_expired(f->db, START_MS + 30, &page, &f->err));
    assert_int_equal(page.count, 2);
    assert_int_equal(jobs[0].value, 2);
    assert_int_equal(jobs[1].value, 3);
    fixture_begin(f);
    fixture_lock_job(f, 2);
    assert_true(lease_store_set_until(f->db, (struct job_id){2}, START_MS + 35, &f->err));
    fixture_commit(f);
    page.max = 3;
    assert_true(lease_store_expired(f->db, START_MS + 99, &page, &f->err));

    assert_int_equal(page.count, 3);
    assert_int_equal(jobs[0].value, 3);
    assert_int_equal(jobs[1].value, 4);
    assert_int_equal(jobs[2].value, 2);
}

static void leases_are_found_by_node_and_by_claim(void **state) {
    struct fixture *f = *state;
    struct job_id jobs[JOBS_MAX];
    struct lease_page page = {.jobs = jobs, .max = JOBS_MAX};
    struct node node = {.id = {5}, .session_epoch = 6};
    for (int64_t job = 6; job >= 1; job--) {
        struct lease lease = a_lease(job, job == 1 ? 9 : 5);
        lease.session_epoch = job == 2 ? 5 : job == 6 ? 7 : 6;
        lease.claim_key += job == 3;
        insert(f, &lease);
    }

    assert_true(lease_store_of_node(f->db, node.id, &page, &f->err));
    assert_int_equal(page.count, 5);
    assert_int_equal(jobs[0].value, 2);
    assert_int_equal(jobs[4].value, 6);
    page.max = 1;
    assert_true(lease_store_of_node(f->db, node.id, &page, &f->err));

    assert_int_equal(page.count, 1);
}

static void a_jump_of_the_clock_moves_all_leases_along(void **state) {
    struct fixture *f = *state;
    struct lease in[] = {a_lease(1, 5), a_lease(2, 6)};
    insert(f, &in[0]);
    insert(f, &in[1]);

    fixture_begin(f);
    assert_true(lease_store_shift(f->db, -5000, &f->err));
    fixture_commit(f);

    for (size_t i = 0; i < 2; i++) {
        struct lease lease = {0};
        bool found = false;
        assert_true(lease_store_get(f->db, in[i].job, &lease, &found, &f->err));
        assert_int_equal(lease.until_ms, in[i].until_ms - 5000);
        assert_int_equal(lease.stop_at_ms, in[i].stop_at_ms - 5000);
        assert_int_equal(lease.claimed_ms, in[i].claimed_ms - 5000);
    }
}

int main(void) {
#define WITH_DB(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        WITH_DB(a_lease_comes_back_as_it_was),
        WITH_DB(a_job_has_one_lease_until_it_is_removed),
        WITH_DB(a_lease_without_lock_or_past_its_stop_aborts),
        WITH_DB(slots_in_use_are_counted_from_leases),
        WITH_DB(the_earliest_ended_come_first_and_a_renewed_one_not_at_all),
        WITH_DB(leases_are_found_by_node_and_by_claim),
        WITH_DB(a_jump_of_the_clock_moves_all_leases_along),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
