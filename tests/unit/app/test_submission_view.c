/* What users see of their submissions. */
#include "app/app_fixture.h"

static void only_the_owner_and_staff_see_it(void **state) {
    struct fixture *f = *state;
    struct submission_id id = submit(f, 1);
    struct submission_view shown = {0};
    struct actor owner = user_actor(1);
    struct actor other = user_actor(2);

    assert_true(submission_get(f->app, &owner, id, f->arena, &shown, &f->err));
    assert_true(submission_get(f->app, &administrator, id, f->arena, &shown, &f->err));
    assert_false(submission_get(f->app, &other, id, f->arena, &shown, &f->err));
    assert_string_equal(f->err.code, "no_submission");
    other.role = ROLE_TEACHER;
    assert_true(submission_get(f->app, &other, id, f->arena, &shown, &f->err));
    id.value = 12345;
    assert_false(submission_get(f->app, &owner, id, f->arena, &shown, &f->err));
    assert_string_equal(f->err.code, "no_submission");
}

static void staff_words_are_for_those_who_make_problems(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    struct submission_id id = submit(f, 1);
    struct claimed_job job = claim_one(f, &node);
    struct actor student = user_actor(1);
    struct actor teacher = user_actor(1);
    struct submission_view shown = {0};
    teacher.role = ROLE_TEACHER;

    must(f, settle(f, &node, &job.lease, VERDICT_WRONG_ANSWER).item.ok);

    must(f, submission_get(f->app, &student, id, f->arena, &shown, &f->err));
    assert_int_equal(shown.judgement.case_count, 2);
    for (int i = 0; i < 2; i++) {
        assert_true(str_eq_c(shown.judgement.cases[i].message, "said so"));
        assert_int_equal(shown.judgement.cases[i].staff.len, 0);
    }
    must(f, submission_get(f->app, &teacher, id, f->arena, &shown, &f->err));
    assert_true(str_eq_c(shown.judgement.cases[1].staff, "expected 5"));
    must(f, submission_get(f->app, &administrator, id, f->arena, &shown, &f->err));
    assert_true(str_eq_c(shown.judgement.cases[1].staff, "expected 5"));
}

static void names_and_titles_come_along(void **state) {
    struct fixture *f = *state;

    struct submission_view shown = view(f, submit(f, 1));

    assert_true(str_eq_c(shown.username, "u1"));
    assert_true(str_eq_c(shown.problem_code, "p1"));
    assert_int_equal(shown.problem_title_count, 1);
    assert_true(str_eq_c(shown.problem_titles[0].text, "Title"));
    assert_int_equal(shown.created_ms, START_MS);
    assert_int_equal(shown.case_index, -1);
}

static void report(struct fixture *f, const struct test_node *node, const struct lease_ref *lease,
                   struct progress_item item) {
    item.lease = *lease;
    must(f, dispatch_progress(f->app, &node->actor, node->epoch, &item, 1, &f->err));
}

static void progress_shows_stage_and_cases(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    struct submission_id id = submit(f, 1);
    assert_string_equal(view(f, id).reason.code, "queued");
    assert_int_equal(view(f, id).reason.place, 1);
    struct claimed_job job = claim_one(f, &node);
    assert_string_equal(view(f, id).reason.code, "starting");

    report(f, &node, &job.lease,
           (struct progress_item){.sequence = 1, .stage = JUDGE_STAGE_COMPILING, .case_index = -1});
    assert_int_equal(view(f, id).state, SUBMISSION_COMPILING);
    assert_null(view(f, id).reason.code);
    struct case_result first = {.name = STR("sample/1"), .verdict = VERDICT_ACCEPTED};
    report(f, &node, &job.lease,
           (struct progress_item){.sequence = 2,
                                  .stage = JUDGE_STAGE_JUDGING,
                                  .case_index = 1,
                                  .cases_total = CASES,
                                  .finished = &first,
                                  .finished_count = 1});

    struct submission_view shown = view(f, id);
    assert_int_equal(shown.state, SUBMISSION_JUDGING);
    assert_int_equal(shown.case_index, 1);
    assert_int_equal(shown.cases_passed, 1);
    assert_int_equal(shown.verdict, VERDICT_NONE);
    assert_int_equal(shown.judgement.case_count, 1);
    assert_true(str_eq_c(shown.judgement.cases[0].name, "sample/1"));
}

static void nobody_waits_without_a_reason(void **state) {
    struct fixture *f = *state;
    struct submission_id first = submit(f, 1);
    struct submission_id second = submit(f, 1);
    assert_string_equal(view(f, first).reason.code, "no_node");
    assert_true(view(f, first).reason.text.len > 0);

    (void)make_node(f, "n1", 1, NULL);
    assert_string_equal(view(f, first).reason.code, "queued");
    assert_int_equal(view(f, first).reason.place, 1);
    assert_int_equal(view(f, second).reason.place, 2);

    clock_manual_advance(&f->clock, f->settings.offline_ms + 1);
    assert_string_equal(view(f, first).reason.code, "offline");
}

static struct submission_page list(struct fixture *f, const struct actor *actor,
                                   const struct submission_filter *filter) {
    struct submission_page page = {0};
    must(f, submission_list(f->app, actor, filter, f->arena, &page, &f->err));
    return page;
}

static void lists_go_from_the_newest_on_page_by_page(void **state) {
    struct fixture *f = *state;
    struct actor owner = user_actor(1);
    for (int i = 0; i < 5; i++) {
        (void)submit(f, 1);
        (void)submit(f, 2);
    }
    struct submission_filter filter = {.limit = 2};

    struct submission_page page = list(f, &owner, &filter);
    assert_int_equal(page.count, 2);
    assert_int_equal(page.items[0].id.value, 9);
    assert_int_equal(page.items[1].id.value, 7);
    filter.cursor = page.next;
    page = list(f, &owner, &filter);
    assert_int_equal(page.items[0].id.value, 5);
    filter.cursor = page.next;
    page = list(f, &owner, &filter);

    assert_int_equal(page.count, 1);
    assert_int_equal(page.next, 0);
    assert_true(page.items[0].source.ptr == NULL);
}

static void lists_filter_by_problem_and_user(void **state) {
    struct fixture *f = *state;
    struct actor owner = user_actor(1);
    (void)submit(f, 1);
    (void)submit(f, 2);
    struct submit_request other = {
        .actor = owner, .problem = {2}, .language = STR("cpp"), .source = STR("x")};
    AWAIT(f, &other, submission_submit(f->app, &other));
    assert_true(other.item.ok);

    assert_int_equal(
        list(f, &owner, &(struct submission_filter){.problem = {2}, .limit = 10}).count, 1);
    assert_int_equal(list(f, &owner, &(struct submission_filter){.limit = 10}).count, 2);
    assert_int_equal(
        list(f, &administrator, &(struct submission_filter){.all_users = true, .limit = 10}).count,
        3);
    assert_int_equal(
        list(f, &administrator,
             &(struct submission_filter){.all_users = true, .problem = {1}, .limit = 10})
            .count,
        2);
    struct submission_page page = {0};
    struct submission_filter all = {.all_users = true, .limit = 10};
    assert_false(submission_list(f->app, &owner, &all, f->arena, &page, &f->err));
    assert_int_equal(f->err.kind, ERR_DENIED);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        APP_TEST(only_the_owner_and_staff_see_it),
        APP_TEST(staff_words_are_for_those_who_make_problems),
        APP_TEST(names_and_titles_come_along),
        APP_TEST(progress_shows_stage_and_cases),
        APP_TEST(nobody_waits_without_a_reason),
        APP_TEST(lists_go_from_the_newest_on_page_by_page),
        APP_TEST(lists_filter_by_problem_and_user),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
