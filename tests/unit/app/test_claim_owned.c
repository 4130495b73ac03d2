/* Claims by one owner a queue: what happens between the look at the ready jobs and their locks. */
#include "app/app_fixture.h"
#include "app/job.h"
#include "store/db_fault.h"

/* What somebody else commits just before this claim owns the queue. */
struct meanwhile {
    struct fixture *f;
    const char *sql;
    int often; /* how many times more */
    int seen;
};

static bool on_owning(void *context, enum db_point point, const char *sql, struct err *err) {
    struct meanwhile *meanwhile = context;
    (void)err;
    if (point != DB_POINT_STEP || strstr(sql, "UPDATE queue_owner") == NULL) {
        return true;
    }
    meanwhile->seen++;
    if (meanwhile->often > 0) {
        meanwhile->often--;
        exec(meanwhile->f, meanwhile->sql);
    }
    return true;
}

static struct claim_request claim_while(struct fixture *f, const struct test_node *node,
                                        struct meanwhile *meanwhile) {
    meanwhile->f = f;
    db_set_fault(f->app->db, on_owning, meanwhile);
    struct claim_request request = claim(f, node, 1);
    db_set_fault(f->app->db, NULL, NULL);
    f->err = request.item.err;
    must(f, request.item.ok);
    return request;
}

static int64_t term(struct fixture *f) {
    return query(f, "SELECT coalesce(max(term), 0) FROM queue_owner");
}

static void only_a_claim_that_found_jobs_begins_a_term(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 4, NULL);
    assert_int_equal(claim(f, &node, 1).job_count, 0);
    assert_int_equal(term(f), 0);
    (void)submit(f, 1);
    (void)submit(f, 2);

    assert_int_equal(claim(f, &node, 1).job_count, 1);
    assert_int_equal(claim(f, &node, 4).job_count, 1);
    assert_int_equal(claim(f, &node, 4).job_count, 0);

    assert_int_equal(term(f), 2);
}

static void a_job_that_was_moved_meanwhile_leaves_no_row_behind(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 4, NULL);
    (void)submit(f, 1);
    struct meanwhile moved = {.sql = "UPDATE job SET order_key = order_key + 5;"
                                     "UPDATE job_ready SET order_key = order_key + 5",
                              .often = 1};

    assert_int_equal(claim_while(f, &node, &moved).job_count, 1);

    assert_int_equal(query(f, "SELECT count(*) FROM job_ready"), 0);
}

static void a_job_that_was_put_off_meanwhile_is_left(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 4, NULL);
    (void)submit(f, 1);
    struct meanwhile delayed = {
        .sql = "UPDATE job SET due_ms = 1700000500000; DELETE FROM job_ready;"
               "INSERT INTO job_delayed (due_ms, job_id, reason) SELECT due_ms, id, 1 FROM job",
        .often = 1};

    assert_int_equal(claim_while(f, &node, &delayed).job_count, 0);

    assert_int_equal(query(f, "SELECT count(*) FROM job_lease"), 0);
    assert_int_equal(query(f, "SELECT count(*) FROM job_delayed"), 1);
}

/* Where the lock is a word only, two may read the same term. */
static void a_claim_whose_term_is_over_is_made_anew(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 4, NULL);
    (void)submit(f, 1);
    (void)submit(f, 1);
    assert_int_equal(claim(f, &node, 1).job_count, 1);
    struct meanwhile taken = {.sql = "UPDATE queue_owner SET term = term + 1", .often = 2};

    assert_int_equal(claim_while(f, &node, &taken).job_count, 1);

    assert_int_equal(taken.seen, 3);
    assert_int_equal(query(f, "SELECT count(*) FROM job_lease"), 2);
}

static bool on_any(void *context, enum db_point point, const char *sql, struct err *err) {
    (void)err;
    int *statements = context;
    if (point == DB_POINT_STEP) {
        (*statements)++;
        assert_null(strstr(sql, "SKIP LOCKED"));
    }
    return true;
}

static void nothing_says_skip_locked(void **state) {
    struct fixture *f = *state;
    int statements = 0;
    struct test_node node = make_node(f, "n1", 4, NULL);
    db_set_fault(f->app->db, on_any, &statements);
    struct submission_id cancelled = submit(f, 1);
    (void)submit(f, 1);

    must(f, job_change_one(f->app, &administrator, ACTION_CANCEL, cancelled, STR("no"), &f->err));
    assert_int_equal(claim(f, &node, 4).job_count, 1);

    db_set_fault(f->app->db, NULL, NULL);
    assert_true(statements > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        APP_TEST(only_a_claim_that_found_jobs_begins_a_term),
        APP_TEST(a_job_that_was_moved_meanwhile_leaves_no_row_behind),
        APP_TEST(a_job_that_was_put_off_meanwhile_is_left),
        APP_TEST(a_claim_whose_term_is_over_is_made_anew),
        APP_TEST(nothing_says_skip_locked),
    };
    (void)setenv("ASSIZE_TEST_CLAIMS", "owned", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
