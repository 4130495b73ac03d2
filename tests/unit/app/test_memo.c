/* What is remembered from one request to the next. */
#include "app/memo_internal.h"

#include "app/app_fixture.h"

static void a_job_is_remembered_until_another_takes_its_place(void **state) {
    struct fixture *f = *state;
    struct job_memo memo = {.job = {5}, .submission = {9}, .manifest_id = {1}};
    struct job_memo found = {.job = {0}};
    assert_false(memo_find_job(f->app, (struct job_id){5}, &found));

    memo_keep_job(f->app, &memo);

    assert_true(memo_find_job(f->app, (struct job_id){5}, &found));
    assert_int_equal(found.submission.value, 9);
    assert_false(memo_find_job(f->app, (struct job_id){0}, &found));
    for (int64_t i = 6; i < 100000; i++) {
        memo.job.value = i;
        memo_keep_job(f->app, &memo);
    }
    assert_false(memo_find_job(f->app, (struct job_id){5}, &found));
    assert_true(memo_find_job(f->app, (struct job_id){99999}, &found));
}

static void a_problem_is_remembered_with_texts_of_its_own(void **state) {
    struct fixture *f = *state;
    char languages[] = "cpp java";
    struct problem_row problem = {
        .id = {7}, .code = STR("aplusb"), .languages = str_from(languages), .revision = 3};
    struct problem_row found = {.id = {0}};
    assert_false(memo_find_problem(f->app, (struct problem_id){7}, f->arena, &found));

    memo_keep_problem(f->app, &problem);
    languages[0] = 'x';

    assert_true(memo_find_problem(f->app, (struct problem_id){7}, f->arena, &found));
    assert_true(str_eq(found.languages, STR("cpp java")) && str_eq(found.code, STR("aplusb")));
    problem.revision = 4;
    memo_keep_problem(f->app, &problem);
    assert_true(memo_find_problem(f->app, (struct problem_id){7}, f->arena, &found));
    assert_int_equal(found.revision, 4);
}

/* Its first submission has read the problem; the second one must not be judged by the old data. */
static void a_submission_after_an_edit_gets_what_the_problem_is_now(void **state) {
    struct fixture *f = *state;
    (void)submit(f, 1);
    assert_true(db_script(f->app->db,
                          STR("UPDATE problem SET manifest_id = x'"
                              "0000000000000000000000000000000000000000000000000000000000000000"
                              "', revision = revision + 1"),
                          &f->err));

    struct submit_request second = submit_keyed(f, 1, "int main() { return 1; }", NULL);

    assert_false(second.item.ok); /* there is no such manifest: it was looked for */
    assert_int_equal(query(f, "SELECT count(*) FROM submission"), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        APP_TEST(a_job_is_remembered_until_another_takes_its_place),
        APP_TEST(a_problem_is_remembered_with_texts_of_its_own),
        APP_TEST(a_submission_after_an_edit_gets_what_the_problem_is_now),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
