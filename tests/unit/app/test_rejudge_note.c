/* What happens to a job of a rejudging is noted in its item. */
#include "app/app_fixture.h"
#include "app/rejudge_note_internal.h"

/* Submission 1 has `verdict`, and job 2 of generation 2 judges it anew for rejudging 5. */
static struct held_job begin(struct fixture *f, enum verdict verdict) {
    struct held_job held = {
        .id = {2},
        .found = true,
        .job = {.id = {2}, .submission = {1}, .generation = 2, .state = JOB_RUNNING},
        .submission = {.id = {1}, .current_job = {2}, .effective_job = {1}, .verdict = verdict},
    };
    struct item_row item = {
        .rejudging = {5}, .submission = {1}, .state = ITEM_JUDGING, .job = {2}, .old_job = {1}};
    exec(f, "DELETE FROM rejudging_item");
    must(f, db_begin(f->app->db, &f->err));
    must(f, db_lock(f->app->db, LOCK_SUBMISSION, LOCK_EXCLUSIVE, 1, &f->err));
    must(f, item_insert(f->app->db, &item, &f->err));
    return held;
}

static struct item_row end(struct fixture *f) {
    struct item_row item = {0};
    bool found = false;
    must(f, item_get(f->app->db, (struct rejudging_id){5}, (struct submission_id){1}, &item, &found,
                     &f->err));
    assert_true(found);
    db_rollback(f->app->db);
    return item;
}

static void a_result_waits_unless_nothing_counted(void **state) {
    struct fixture *f = *state;
    static const struct {
        enum verdict counted;
        enum verdict now;
        bool beside;
        enum item_state state;
    } rows[] = {
        {VERDICT_WRONG_ANSWER, VERDICT_ACCEPTED, true, ITEM_JUDGED},
        {VERDICT_ACCEPTED, VERDICT_SYSTEM_ERROR, true, ITEM_FAILED},
        {VERDICT_NONE, VERDICT_ACCEPTED, false, ITEM_DIRECT},
        {VERDICT_SYSTEM_ERROR, VERDICT_WRONG_ANSWER, false, ITEM_DIRECT},
        {VERDICT_NONE, VERDICT_SYSTEM_ERROR, false, ITEM_DIRECT},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct held_job held = begin(f, rows[i].counted);
        struct submission_outcome outcome = {
            .verdict = rows[i].now, .score_micro = 7, .now_ms = 99};
        bool beside = false;

        must(f, rejudge_note_judged(f->app->db, &held, &outcome, &beside, &f->err));

        struct item_row item = end(f);
        assert_int_equal(beside, rows[i].beside);
        assert_int_equal(item.state, rows[i].state);
        assert_int_equal(item.after.verdict, rows[i].now);
        assert_int_equal(item.after.score_micro, 7);
        assert_int_equal(item.after.judged_ms, 99);
    }
}

static void a_first_judging_is_no_rejudging(void **state) {
    struct fixture *f = *state;
    struct held_job held = begin(f, VERDICT_ACCEPTED);
    struct submission_outcome outcome = {.verdict = VERDICT_ACCEPTED};
    bool beside = true;
    held.job.generation = 1;

    must(f, rejudge_note_judged(f->app->db, &held, &outcome, &beside, &f->err));

    assert_false(beside);
    assert_int_equal(end(f).state, ITEM_JUDGING);
}

static void a_closed_job_and_a_requeued_one_are_noted(void **state) {
    struct fixture *f = *state;
    struct held_job held = begin(f, VERDICT_ACCEPTED);
    must(f, rejudge_note_closed(f->app->db, &held, REASON_SUPERSEDED, &f->err));
    struct item_row item = end(f);
    assert_int_equal(item.state, ITEM_CANCELLED);
    assert_int_equal(item.reason, REASON_SUPERSEDED);

    held = begin(f, VERDICT_ACCEPTED);
    struct submission_outcome outcome = {.verdict = VERDICT_SYSTEM_ERROR};
    bool beside = false;
    must(f, rejudge_note_judged(f->app->db, &held, &outcome, &beside, &f->err));
    must(f, rejudge_note_requeued(f->app->db, held.id, (struct job_id){3}, &f->err));

    item = end(f);
    assert_int_equal(item.state, ITEM_JUDGING);
    assert_int_equal(item.job.value, 3);
    assert_int_equal(item.after.verdict, VERDICT_NONE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        APP_TEST(a_result_waits_unless_nothing_counted),
        APP_TEST(a_first_judging_is_no_rejudging),
        APP_TEST(a_closed_job_and_a_requeued_one_are_noted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
