/* Where jobs wait. */
#include "store/place_store.h"

#include "job_fixture.h"
#include "store/queue_store.h"

#define JOBS_MAX 16

static void make_ready(struct fixture *f, int64_t id, enum job_priority priority, int64_t key) {
    struct job job = queued_job(id);
    job.priority = priority;
    job.order_key = key;
    fixture_begin(f);
    assert_true(place_insert_ready(f->db, &job, &f->err));
    fixture_commit(f);
}

/* With its job, whose due time moves along. */
static void delay(struct fixture *f, int64_t id, int64_t due_ms) {
    struct job job = queued_job(id);
    job.due_ms = due_ms;
    fixture_insert_job(f, &job);
    fixture_begin(f);
    assert_true(place_insert_delayed(
        f->db, &job, due_ms == DELAYED_HELD_MS ? DELAY_HELD : DELAY_BACKOFF, &f->err));
    fixture_commit(f);
}

struct found {
    struct job_id jobs[JOBS_MAX];
    bool has_job[JOBS_MAX];
    int count;
};

static void take_found(void *context, struct db_stmt *row) {
    struct found *found = context;
    assert_true(found->count < JOBS_MAX);
    found->has_job[found->count] = !db_is_null(row, 1);
    found->jobs[found->count++].value = db_i64(row, 0);
}

static struct found next_ready(struct fixture *f, int64_t queue, int64_t max) {
    struct found found = {.count = 0};
    const struct rows_value values[] = {rows_i64(queue), rows_i64(PRIORITY_PRACTICE),
                                        rows_i64(max)};
    const struct rows_read read = {.select = ready_select(f->db),
                                   .values = values,
                                   .count = 3,
                                   .level = LOCK_JOB,
                                   .mode = LOCK_EXCLUSIVE,
                                   .row = take_found,
                                   .context = &found};
    fixture_begin(f);
    assert_true(db_read(f->db, &read, 1, NULL, &f->err));
    for (int i = 0; i < found.count; i++) {
        assert_true(db_has_lock(f->db, LOCK_JOB, LOCK_EXCLUSIVE, found.jobs[i].value));
    }
    fixture_commit(f);
    return found;
}

static void ready_jobs_come_in_the_order_of_their_keys_and_are_locked(void **state) {
    struct fixture *f = *state;
    struct job job = queued_job(4);
    fixture_insert_job(f, &job);
    make_ready(f, 1, PRIORITY_PRACTICE, 30);
    make_ready(f, 5, PRIORITY_PRACTICE, 20);
    make_ready(f, 4, PRIORITY_PRACTICE, 20);
    make_ready(f, 3, PRIORITY_PRACTICE, -5);
    make_ready(f, 2, PRIORITY_EXAM, 1);

    struct found found = next_ready(f, 3, JOBS_MAX);

    assert_int_equal(found.count, 4);
    assert_int_equal(found.jobs[0].value, 3);
    assert_int_equal(found.jobs[1].value, 4);
    assert_int_equal(found.jobs[2].value, 5);
    assert_int_equal(found.jobs[3].value, 1);
    assert_false(found.has_job[0]);
    assert_true(found.has_job[1]);
    assert_int_equal(next_ready(f, 3, 2).count, 2);
    assert_int_equal(next_ready(f, 4, JOBS_MAX).count, 0);
}

/* A sort would read, and on MySQL lock, the whole backlog. */
static void a_claim_finds_its_jobs_by_the_key_and_sorts_nothing(void **state) {
    struct fixture *f = *state;
    own_buf plan = {0};
    buf_init(&plan, 4096);
    for (int64_t id = 1; id <= 50; id++) {
        make_ready(f, id, PRIORITY_PRACTICE, id);
    }

    fixture_begin(f);
    assert_true(place_explain_claim(f->db, (struct queue_id){3}, &plan, &f->err));
    db_rollback(f->db);

    assert_non_null(strstr(buf_c(&plan), "PRIMARY"));
    assert_null(strstr(buf_c(&plan), "SCAN"));
    assert_null(strstr(buf_c(&plan), "TEMP B-TREE"));
    assert_null(strstr(buf_c(&plan), "filesort"));
}

static void a_place_is_taken_once(void **state) {
    struct fixture *f = *state;
    struct job ready = queued_job(1);
    struct job delayed = queued_job(2);
    delayed.due_ms = START_MS;

    fixture_begin(f);
    assert_true(place_insert_ready(f->db, &ready, &f->err));
    assert_true(place_insert_ready(f->db, &ready, &f->err));
    assert_false(db_flush(f->db, &f->err));
    fixture_was_duplicate(f);
    assert_true(place_insert_delayed(f->db, &delayed, DELAY_BACKOFF, &f->err));
    assert_true(place_insert_delayed(f->db, &delayed, DELAY_HELD, &f->err));
    assert_false(db_flush(f->db, &f->err));
    fixture_was_duplicate(f);
    db_rollback(f->db);
}

static void removing_takes_the_row_of_that_key_or_none(void **state) {
    struct fixture *f = *state;
    struct job ready = queued_job(1);
    struct job other_key = ready;
    other_key.order_key++;
    make_ready(f, 1, PRIORITY_PRACTICE, ready.order_key);
    delay(f, 2, START_MS + 5);

    fixture_begin(f);
    fixture_lock_job(f, 1);
    fixture_lock_job(f, 2);
    assert_true(place_delete_ready(f->db, &other_key, &f->err));
    assert_int_equal(fixture_i64(f, f->db, "SELECT count(*) FROM job_ready"), 1);
    assert_true(place_delete_ready(f->db, &ready, &f->err));
    assert_int_equal(fixture_i64(f, f->db, "SELECT count(*) FROM job_ready"), 0);
    assert_true(place_delete_ready(f->db, &ready, &f->err));
    assert_true(place_delete_delayed(f->db, START_MS, (struct job_id){2}, &f->err));
    assert_int_equal(fixture_i64(f, f->db, "SELECT count(*) FROM job_delayed"), 1);
    assert_true(place_delete_delayed(f->db, START_MS + 5, (struct job_id){2}, &f->err));
    fixture_commit(f);

    assert_int_equal(fixture_i64(f, f->db, "SELECT count(*) FROM job_delayed"), 0);
}

static void the_earliest_due_come_first_and_held_ones_never(void **state) {
    struct fixture *f = *state;
    struct due_job jobs[JOBS_MAX];
    int count = 0;
    delay(f, 1, START_MS + 30);
    delay(f, 2, START_MS + 10);
    delay(f, 3, DELAYED_HELD_MS);
    delay(f, 4, START_MS + 31);

    assert_true(place_due(f->db, START_MS + 30, jobs, JOBS_MAX, &count, &f->err));
    assert_int_equal(count, 2);
    assert_int_equal(jobs[0].job.value, 2);
    assert_int_equal(jobs[0].due_ms, START_MS + 10);
    assert_int_equal(jobs[1].job.value, 1);
    assert_true(place_due(f->db, START_MS + 30, jobs, 1, &count, &f->err));
    assert_int_equal(count, 1);
    assert_true(place_due(f->db, INT64_MAX, jobs, JOBS_MAX, &count, &f->err));

    assert_int_equal(count, 3);
}

static void a_jump_of_the_clock_moves_delays_and_their_jobs_but_held_ones(void **state) {
    struct fixture *f = *state;
    delay(f, 1, START_MS + 30);
    delay(f, 2, START_MS + 31);
    delay(f, 3, DELAYED_HELD_MS);

    fixture_begin(f);
    assert_true(place_shift(f->db, 700, &f->err));
    fixture_commit(f);

    assert_int_equal(fixture_i64(f, f->db, "SELECT due_ms FROM job_delayed WHERE job_id = 1"),
                     START_MS + 730);
    assert_int_equal(fixture_i64(f, f->db, "SELECT due_ms FROM job WHERE id = 2"), START_MS + 731);
    assert_int_equal(fixture_i64(f, f->db, "SELECT due_ms FROM job WHERE id = 3"), DELAYED_HELD_MS);
    assert_int_equal(fixture_i64(f, f->db,
                                 "SELECT count(*) FROM job j JOIN job_delayed d ON "
                                 "d.job_id = j.id AND d.due_ms = j.due_ms"),
                     3);
}

static void a_scan_goes_in_the_order_of_claims_up_to_a_limit(void **state) {
    struct fixture *f = *state;
    make_ready(f, 1, PRIORITY_EXAM, 99);     /* better priority: before */
    make_ready(f, 2, PRIORITY_PRACTICE, 10); /* earlier key: before */
    make_ready(f, 4, PRIORITY_PRACTICE, 20); /* same key, smaller id: before */
    make_ready(f, 5, PRIORITY_PRACTICE, 20); /* itself */
    make_ready(f, 6, PRIORITY_PRACTICE, 20);
    make_ready(f, 7, PRIORITY_REJUDGE, 1);
    static const int64_t order[] = {1, 2, 4, 5, 6, 7};
    struct job_id jobs[8];
    int count = 0;

    assert_true(place_scan(f->db, (struct queue_id){3}, jobs, 8, &count, &f->err));

    assert_int_equal(count, 6);
    for (int i = 0; i < count; i++) {
        assert_int_equal(jobs[i].value, order[i]);
    }
    assert_true(place_scan(f->db, (struct queue_id){3}, jobs, 4, &count, &f->err));
    assert_int_equal(count, 4);
    assert_true(place_scan(f->db, (struct queue_id){4}, jobs, 4, &count, &f->err));
    assert_int_equal(count, 0);
}

static void one_priority_is_counted_up_to_a_limit(void **state) {
    struct fixture *f = *state;
    static const struct {
        int64_t queue, max, depth;
        enum job_priority priority;
    } rows[] = {{3, 9, 2, PRIORITY_PRACTICE},
                {3, 1, 1, PRIORITY_PRACTICE},
                {3, 9, 0, PRIORITY_REJUDGE},
                {4, 9, 0, PRIORITY_PRACTICE}};
    make_ready(f, 1, PRIORITY_EXAM, 99);
    make_ready(f, 2, PRIORITY_PRACTICE, 10);
    make_ready(f, 4, PRIORITY_PRACTICE, 20);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct lane_query query = {
            .queue = {rows[i].queue}, .priority = rows[i].priority, .max = rows[i].max};
        int64_t depth = -1;

        assert_true(place_lane_depth(f->db, &query, &depth, &f->err));

        assert_int_equal(depth, rows[i].depth);
    }
}

static void the_oldest_of_the_next_is_found(void **state) {
    struct fixture *f = *state;
    int64_t created_ms = -1;
    assert_true(place_oldest(f->db, (struct queue_id){3}, 10, &created_ms, &f->err));
    assert_int_equal(created_ms, 0);
    for (int64_t id = 1; id <= 2; id++) {
        struct job job = queued_job(id);
        fixture_insert_job(f, &job);
    }
    make_ready(f, 1, PRIORITY_EXAM, 99);
    make_ready(f, 2, PRIORITY_PRACTICE, 10);
    assert_true(db_script(f->db, STR("UPDATE job SET created_ms = 5000 - id"), &f->err));

    assert_true(place_oldest(f->db, (struct queue_id){3}, 10, &created_ms, &f->err));
    assert_int_equal(created_ms, 4998);
    assert_true(place_oldest(f->db, (struct queue_id){3}, 1, &created_ms, &f->err));
    assert_int_equal(created_ms, 4999);
}

static void the_depth_of_a_queue_is_counted_up_to_a_limit(void **state) {
    struct fixture *f = *state;
    struct queue_id queue = {3};
    int64_t depth = -1;
    make_ready(f, 1, PRIORITY_EXAM, 99);
    make_ready(f, 2, PRIORITY_PRACTICE, 10);
    make_ready(f, 3, PRIORITY_REJUDGE, 10);
    delay(f, 4, START_MS);

    assert_true(place_depth(f->db, queue, 100, &depth, &f->err));
    assert_int_equal(depth, 3);
    assert_true(place_depth(f->db, queue, 2, &depth, &f->err));
    assert_int_equal(depth, 2);
    assert_true(place_depth(f->db, (struct queue_id){4}, 100, &depth, &f->err));

    assert_int_equal(depth, 0);
}

static void every_queue_with_a_ready_job_is_found_by_one_statement(void **state) {
    struct fixture *f = *state;
    struct queue_id queues[4] = {0};
    int count = 9;
    struct queue_row row = {.id = {3}, .pool = "cpp", .runtime_spec = "cpp-r1"};
    fixture_begin(f);
    assert_true(queue_store_insert(f->db, &row, &f->err));
    fixture_commit(f);
    assert_true(place_ready_queues(f->db, queues, 4, &count, &f->err));
    assert_int_equal(count, 0);
    make_ready(f, 1, PRIORITY_REJUDGE, 10);
    make_ready(f, 2, PRIORITY_PRACTICE, 10);
    delay(f, 4, START_MS);

    assert_true(place_ready_queues(f->db, queues, 4, &count, &f->err));

    assert_int_equal(count, 1);
    assert_int_equal(queues[0].value, 3);
    assert_true(place_ready_queues(f->db, queues, 0, &count, &f->err));
    assert_int_equal(count, 0);
}

int main(void) {
#define WITH_DB(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        WITH_DB(ready_jobs_come_in_the_order_of_their_keys_and_are_locked),
        WITH_DB(a_claim_finds_its_jobs_by_the_key_and_sorts_nothing),
        WITH_DB(a_place_is_taken_once),
        WITH_DB(removing_takes_the_row_of_that_key_or_none),
        WITH_DB(the_earliest_due_come_first_and_held_ones_never),
        WITH_DB(a_jump_of_the_clock_moves_delays_and_their_jobs_but_held_ones),
        WITH_DB(a_scan_goes_in_the_order_of_claims_up_to_a_limit),
        WITH_DB(one_priority_is_counted_up_to_a_limit),
        WITH_DB(the_oldest_of_the_next_is_found),
        WITH_DB(the_depth_of_a_queue_is_counted_up_to_a_limit),
        WITH_DB(every_queue_with_a_ready_job_is_found_by_one_statement),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
