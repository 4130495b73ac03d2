/* Jobs and their snapshots. */
#include "store/job_store.h"

#include "base/limits.h"
#include "job_fixture.h"

static struct job get(struct fixture *f, int64_t id) {
    struct job job = {0};
    bool found = false;
    assert_true(job_store_get(f->db, (struct job_id){id}, &job, &found, &f->err));
    assert_true(found);
    return job;
}

static void a_new_job_comes_back_as_it_was(void **state) {
    struct fixture *f = *state;
    struct job in = queued_job(7);
    in.subject = SUBJECT_SQL;
    in.submission.value = 70;
    in.generation = 2;
    in.priority = PRIORITY_REJUDGE;
    in.due_ms = START_MS + 5;
    fixture_insert_job(f, &in);

    struct job job = get(f, 7);

    assert_int_equal(job.id.value, 7);
    assert_int_equal(job.subject, SUBJECT_SQL);
    assert_int_equal(job.submission.value, 70);
    assert_int_equal(job.generation, 2);
    assert_int_equal(job.queue.value, 3);
    assert_int_equal(job.priority, PRIORITY_REJUDGE);
    assert_int_equal(job.order_key, 70);
    assert_int_equal(job.due_ms, START_MS + 5);
    assert_int_equal(job.state, JOB_QUEUED);
    assert_int_equal(job.attempts, 0);
    assert_int_equal(job.lease_epoch, 0);
    assert_false(job.has_digest);
    assert_int_equal(fixture_i64(f, f->db, "SELECT created_ms FROM job"), START_MS);
}

static void a_job_nobody_made_is_not_found(void **state) {
    struct fixture *f = *state;
    struct job job = {.attempts = 5};
    bool found = true;

    assert_true(job_store_get(f->db, (struct job_id){9}, &job, &found, &f->err));

    assert_false(found);
    assert_int_equal(job.attempts, 5);
}

static void a_subject_has_one_job_a_generation(void **state) {
    struct fixture *f = *state;
    struct job first = queued_job(7);
    struct job same = queued_job(8);
    same.submission = first.submission;
    struct job next = same;
    next.generation = 2;
    fixture_insert_job(f, &first);

    fixture_begin(f);
    assert_true(job_store_insert(f->db, &same, START_MS, &f->err));
    assert_false(db_flush(f->db, &f->err));
    fixture_was_duplicate(f);
    assert_true(job_store_insert(f->db, &next, START_MS, &f->err));
    db_rollback(f->db);
}

static void an_update_writes_what_a_lease_changes(void **state) {
    struct fixture *f = *state;
    struct job job = queued_job(7);
    struct job other = queued_job(8);
    fixture_insert_job(f, &job);
    fixture_insert_job(f, &other);
    job.state = JOB_RUNNING;
    job.attempts = 2;
    job.lease_epoch = 4;
    job.lease_token = UINT64_MAX - 1; /* the top bit must survive a signed column */
    job.node.value = 5;
    job.fault_node.value = 6;
    job.order_key = 1; /* not among what changes */

    fixture_begin(f);
    fixture_lock_job(f, 7);
    assert_true(job_store_update(f->db, &job, &f->err));
    fixture_commit(f);

    struct job now = get(f, 7);
    assert_int_equal(now.state, JOB_RUNNING);
    assert_int_equal(now.attempts, 2);
    assert_int_equal(now.lease_epoch, 4);
    assert_true(now.lease_token == UINT64_MAX - 1);
    assert_int_equal(now.node.value, 5);
    assert_int_equal(now.fault_node.value, 6);
    assert_int_equal(now.order_key, 70);
    assert_int_equal(get(f, 8).state, JOB_QUEUED);
}

static void a_completed_job_has_its_digest_and_a_failed_one_none(void **state) {
    struct fixture *f = *state;
    struct job done = queued_job(7);
    struct job failed = queued_job(8);
    failed.due_ms = START_MS;
    fixture_insert_job(f, &done);
    fixture_insert_job(f, &failed);
    done.state = JOB_COMPLETED;
    done.has_digest = true;
    memset(done.digest, 0xd1, sizeof done.digest);
    failed.state = JOB_FAILED;
    failed.due_ms = 0;

    fixture_begin(f);
    fixture_lock_job(f, 7);
    fixture_lock_job(f, 8);
    assert_true(job_store_close(f->db, &done, START_MS + 9, &f->err));
    assert_true(job_store_close(f->db, &failed, START_MS + 9, &f->err));
    fixture_commit(f);

    struct job back = get(f, 7);
    assert_int_equal(back.state, JOB_COMPLETED);
    assert_true(back.has_digest);
    assert_memory_equal(back.digest, done.digest, sizeof done.digest);
    assert_int_equal(get(f, 8).state, JOB_FAILED);
    assert_int_equal(get(f, 8).due_ms, 0);
    assert_false(get(f, 8).has_digest);
    assert_int_equal(fixture_i64(f, f->db, "SELECT min(settled_ms) FROM job"), START_MS + 9);
}

static void update_unlocked(struct fixture *f) {
    struct job job = queued_job(7);
    if (db_begin(f->db, &f->err) && db_lock(f->db, LOCK_JOB, LOCK_SHARED, 7, &f->err)) {
        (void)!job_store_update(f->db, &job, &f->err);
    }
}

static void close_an_open_one(struct fixture *f) {
    struct job job = queued_job(7);
    if (db_begin(f->db, &f->err) && db_lock(f->db, LOCK_JOB, LOCK_EXCLUSIVE, 7, &f->err)) {
        (void)!job_store_close(f->db, &job, START_MS, &f->err);
    }
}

static void update_against_the_rules(struct fixture *f) {
    struct job job = queued_job(7);
    job.attempts = 1; /* with no lease */
    if (db_begin(f->db, &f->err) && db_lock(f->db, LOCK_JOB, LOCK_EXCLUSIVE, 7, &f->err)) {
        (void)!job_store_update(f->db, &job, &f->err);
    }
}

static void a_change_without_the_lock_or_against_the_rules_aborts(void **state) {
    struct fixture *f = *state;
    struct job job = queued_job(7);
    fixture_insert_job(f, &job);

    assert_true(fixture_aborts(f, update_unlocked));
    assert_true(fixture_aborts(f, close_an_open_one));
    assert_true(fixture_aborts(f, update_against_the_rules));
}

static void a_fault_comes_back_cut_to_its_room(void **state) {
    struct fixture *f = *state;
    own(arena) arena = arena_create(64 * KIB);
    static char longer[2000];
    memset(longer, 'f', sizeof longer);
    struct job job = queued_job(7);
    struct job_fault fault = {.job = {7}, .fault = FAULT_NODE, .code = STR("sandbox_failed")};
    fault.detail = str_of(longer, sizeof longer);
    struct job_fault back = {0};
    fixture_insert_job(f, &job);

    assert_true(job_store_fault(f->db, job.id, arena, &back, &f->err));
    assert_int_equal(back.fault, FAULT_NONE);
    assert_int_equal(back.code.len, 0);
    fixture_begin(f);
    fixture_lock_job(f, 7);
    assert_true(job_store_set_fault(f->db, &fault, &f->err));
    fixture_commit(f);
    assert_true(job_store_fault(f->db, job.id, arena, &back, &f->err));

    assert_int_equal(back.job.value, 7);
    assert_int_equal(back.fault, FAULT_NODE);
    assert_true(str_eq_c(back.code, "sandbox_failed"));
    assert_int_equal(back.detail.len, 1024);
    assert_false(job_store_fault(f->db, (struct job_id){9}, arena, &back, &f->err));
    assert_int_equal(f->err.kind, ERR_MISSING);
    assert_string_equal(f->err.code, "no_job");
}

static struct job_body a_body(void) {
    struct job_body body = {
        .pool = STR("general"),
        .runtime_spec = STR("spec-1"),
        .language = STR("cpp17"),
        .source_bytes = 321,
        .time_limit_ms = 1000,
        .memory_limit_kib = 262144,
        .output_limit_kib = 16384,
        .job_total_ms = 60000,
        .trace_id = STR("trace_1"),
    };
    memset(body.manifest_id, 0x11, sizeof body.manifest_id);
    memset(body.source_sha256, 0x22, sizeof body.source_sha256);
    return body;
}

static void a_snapshot_comes_back_as_it_was(void **state) {
    struct fixture *f = *state;
    own(arena) arena = arena_create(64 * KIB);
    struct job_body in = a_body();
    struct job_body body = {0};
    fixture_begin(f);
    assert_true(job_body_insert(f->db, (struct job_id){7}, &in, &f->err));
    fixture_commit(f);

    assert_true(job_body_get(f->db, (struct job_id){7}, arena, &body, &f->err));

    assert_true(str_eq(body.pool, in.pool));
    assert_true(str_eq(body.runtime_spec, in.runtime_spec));
    assert_true(str_eq(body.language, in.language));
    assert_memory_equal(body.manifest_id, in.manifest_id, 32);
    assert_memory_equal(body.source_sha256, in.source_sha256, 32);
    assert_int_equal(body.source_bytes, 321);
    assert_int_equal(body.time_limit_ms, 1000);
    assert_int_equal(body.memory_limit_kib, 262144);
    assert_int_equal(body.output_limit_kib, 16384);
    assert_int_equal(body.job_total_ms, 60000);
    assert_true(str_eq(body.trace_id, in.trace_id));
}

static void a_snapshot_is_written_once_and_may_be_missing(void **state) {
    struct fixture *f = *state;
    own(arena) arena = arena_create(64 * KIB);
    struct job_body in = a_body();
    struct job_body body = {0};

    assert_false(job_body_get(f->db, (struct job_id){7}, arena, &body, &f->err));
    assert_int_equal(f->err.kind, ERR_MISSING);
    assert_string_equal(f->err.code, "no_job");
    fixture_begin(f);
    assert_true(job_body_insert(f->db, (struct job_id){7}, &in, &f->err));
    assert_true(job_body_insert(f->db, (struct job_id){7}, &in, &f->err));
    assert_false(db_flush(f->db, &f->err));

    fixture_was_duplicate(f);
    db_rollback(f->db);
}

int main(void) {
#define WITH_DB(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        WITH_DB(a_new_job_comes_back_as_it_was),
        WITH_DB(a_job_nobody_made_is_not_found),
        WITH_DB(a_subject_has_one_job_a_generation),
        WITH_DB(an_update_writes_what_a_lease_changes),
        WITH_DB(a_completed_job_has_its_digest_and_a_failed_one_none),
        WITH_DB(a_change_without_the_lock_or_against_the_rules_aborts),
        WITH_DB(a_fault_comes_back_cut_to_its_room),
        WITH_DB(a_snapshot_comes_back_as_it_was),
        WITH_DB(a_snapshot_is_written_once_and_may_be_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
