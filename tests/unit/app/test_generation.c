/* Moving a job between its states and places leaves it in exactly one. */
#include "app/app_fixture.h"
#include "app/generation_internal.h"
#include "app/news_internal.h"

static struct held_job *hold_one(struct fixture *f, int64_t job, int64_t *ret_now_ms) {
    struct job_id id = {job};
    struct held_jobs *held = arena_new(f->arena, struct held_jobs);
    news_reset(f->app);
    must(f, db_begin(f->app->db, &f->err));
    must(f, hold_jobs(f->app->db, (struct job_list){&id, 1}, HOLD_SUBMISSIONS, f->arena, held,
                      &f->err));
    must(f, db_now(f->app->db, ret_now_ms, &f->err));
    return &held->rows[0];
}

static void leave(struct fixture *f) {
    must(f, db_commit(f->app->db, &f->err));
    news_tell(f->app, NULL, 0);
}

static void a_job_is_held_and_let_go(void **state) {
    struct fixture *f = *state;
    int64_t now_ms = 0;
    bool done = false;
    (void)submit(f, 1);
    struct job_hold hold = {.job = {1}, .kind = HOLD_BY_OPERATOR};

    struct held_job *held = hold_one(f, 1, &now_ms);
    must(f, job_put_on_hold(f->app, f->app->db, held, &hold, &done, &f->err));
    leave(f);
    assert_true(done && job_is_on_hold(&held->job));
    check_invariants(f);
    held = hold_one(f, 1, &now_ms);
    must(f, job_let_go(f->app, f->app->db, held, &f->err));
    leave(f);

    assert_false(job_is_on_hold(&held->job));
    check_invariants(f);
    assert_int_equal(query(f, "SELECT count(*) FROM job_ready"), 1);
}

/* On a database that locks rows a claim may have the ready row already. */
static void a_row_that_is_not_there_is_left_to_who_has_it(void **state) {
    struct fixture *f = *state;
    int64_t now_ms = 0;
    bool done = true;
    (void)submit(f, 1);
    struct job_hold hold = {.job = {1}, .kind = HOLD_BY_OPERATOR};
    struct held_job *held = hold_one(f, 1, &now_ms);
    exec(f, "DELETE FROM job_ready");

    must(f, job_put_on_hold(f->app, f->app->db, held, &hold, &done, &f->err));

    assert_false(done);
    assert_int_equal(query(f, "SELECT count(*) FROM job_hold"), 0);
    db_rollback(f->app->db);
}

static void a_new_generation_takes_over_from_a_closed_one(void **state) {
    struct fixture *f = *state;
    int64_t now_ms = 0;
    struct submission_id id = submit(f, 1);
    struct job_body body = {0};
    struct held_job *held = hold_one(f, 1, &now_ms);
    must(f, job_body_get(f->app->db, held->id, f->arena, &body, &f->err));
    struct generation generation = {.body = &body,
                                    .queue = held->job.queue,
                                    .priority = PRIORITY_REJUDGE,
                                    .order_key = 5,
                                    .now_ms = now_ms};

    must(f, job_withdraw(f->app, f->app->db, held, now_ms, &f->err));
    must(f, generation_add(f->app, f->app->db, held, &generation, &f->err));
    leave(f);

    check_invariants(f);
    assert_int_equal(held->submission.current_job.value, generation.job.value);
    assert_int_equal(view(f, id).generation, 2);
    assert_int_equal(query(f, "SELECT count(*) FROM job_ready WHERE priority = 2"), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        APP_TEST(a_job_is_held_and_let_go),
        APP_TEST(a_row_that_is_not_there_is_left_to_who_has_it),
        APP_TEST(a_new_generation_takes_over_from_a_closed_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
