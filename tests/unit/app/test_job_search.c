/* Jobs as operators see them. */
#include "app/app_fixture.h"
#include "app/job.h"

static void a_page_names_job_place_and_reason(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    struct job_filter filter = {.limit = 2};
    struct job_page page = {0};
    (void)submit(f, 1);
    (void)claim_one(f, &node);
    (void)submit(f, 2);
    (void)submit(f, 2);

    must(f, job_list(f->app, &administrator, &filter, f->arena, &page, &f->err));

    assert_int_equal(page.count, 2);
    assert_int_equal(page.next, 2);
    assert_int_equal(page.items[0].row.submission.value, 3);
    assert_true(str_eq_c(page.items[0].pool, "cpp"));
    assert_string_equal(page.items[0].waiting.code, "queued");
    filter.cursor = page.next;
    must(f, job_list(f->app, &administrator, &filter, f->arena, &page, &f->err));
    assert_int_equal(page.count, 1);
    assert_int_equal(page.next, 0);
    assert_string_equal(job_state_name(page.items[0].row.job.state), "RUNNING");
    assert_true(str_eq_c(page.items[0].row.node_name, "n1"));
}

static void only_administrators_look(void **state) {
    struct fixture *f = *state;
    struct actor user = user_actor(1);
    struct job_filter filter = {0};
    struct job_page page = {0};
    struct job_detail detail = {0};
    int64_t count = 0;
    (void)submit(f, 1);

    assert_false(job_list(f->app, &user, &filter, f->arena, &page, &f->err));
    assert_false(job_count(f->app, &user, &filter.selection, 9, &count, &f->err));
    assert_false(
        job_detail_get(f->app, &user, (struct submission_id){1}, f->arena, &detail, &f->err));
    assert_string_equal(f->err.code, "not_allowed");
}

static void the_history_shows_each_judging_and_which_counts(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    struct job_detail detail = {0};
    struct submission_id id = submit(f, 1);
    struct claimed_job first = claim_one(f, &node);
    exec(f, "UPDATE job SET attempts = 3, lease_epoch = 3; UPDATE job_lease SET lease_epoch = 3");
    first.lease.epoch = 3;
    assert_true(report_failure(f, &node, &first.lease, FAULT_JOB).failed);
    drain(f);
    must(f, job_change_one(f->app, &the_system, ACTION_REQUEUE, id, STR("again"), &f->err));
    struct claimed_job second = claim_one(f, &node);
    assert_true(settle(f, &node, &second.lease, VERDICT_ACCEPTED).item.ok);

    must(f, job_detail_get(f->app, &administrator, id, f->arena, &detail, &f->err));

    assert_int_equal(detail.generation_count, 2);
    assert_int_equal(detail.generations[0].verdict, VERDICT_SYSTEM_ERROR);
    assert_true(str_eq_c(detail.generations[0].row.fault_code, "sandbox_failed"));
    assert_false(detail.generations[0].effective);
    assert_int_equal(detail.generations[1].verdict, VERDICT_ACCEPTED);
    assert_int_equal(detail.generations[1].score_micro, SCORE_FULL_MICRO);
    assert_true(detail.generations[1].effective && detail.generations[1].current);
    assert_false(job_detail_get(f->app, &administrator, (struct submission_id){99}, f->arena,
                                &detail, &f->err));
    assert_string_equal(f->err.code, "no_submission");
}

/* As a requeue by `op` leaves it. */
static void fail_and_put_back(struct fixture *f, const struct test_node *node,
                              const struct actor *op, struct submission_id id) {
    struct claimed_job job = claim_one(f, node);
    exec(f, "UPDATE job SET attempts = 3, lease_epoch = 3; UPDATE job_lease SET lease_epoch = 3");
    job.lease.epoch = 3;
    assert_true(report_failure(f, node, &job.lease, FAULT_JOB).failed);
    drain(f);
    must(f, job_change_one(f->app, op, ACTION_REQUEUE, id, STR("disk full"), &f->err));
}

static void the_history_names_who_had_it_judged_again(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    struct job_detail detail = {0};
    exec(f, "UPDATE `user` SET role = 3 WHERE id = 2");
    struct actor op = {.kind = ACTOR_USER, .role = ROLE_ADMIN, .user = {2}};
    struct actor teacher = {.kind = ACTOR_USER, .role = ROLE_TEACHER, .user = {3}};
    struct submission_id id = submit(f, 1);
    fail_and_put_back(f, &node, &op, id);
    struct claimed_job second = claim_one(f, &node);
    assert_true(settle(f, &node, &second.lease, VERDICT_ACCEPTED).item.ok);

    must(f, job_detail_get(f->app, &teacher, id, f->arena, &detail, &f->err));

    assert_int_equal(detail.generation_count, 2);
    assert_int_equal(detail.generations[0].by.len, 0);
    assert_true(str_eq_c(detail.generations[1].by, "u2"));
    assert_true(str_eq_c(detail.generations[1].reason, "disk full"));
    assert_int_equal(detail.generations[1].rejudging, 0);
}

static void what_the_system_put_back_names_nobody(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    struct job_detail detail = {0};
    struct submission_id id = submit(f, 1);
    fail_and_put_back(f, &node, &the_system, id);

    must(f, job_detail_get(f->app, &administrator, id, f->arena, &detail, &f->err));

    assert_int_equal(detail.generations[1].by.len, 0);
    assert_true(str_eq_c(detail.generations[1].reason, "disk full"));
}

static void who_holds_a_job_is_named(void **state) {
    struct fixture *f = *state;
    struct job_detail detail = {0};
    exec(f, "UPDATE `user` SET role = 3 WHERE id = 2");
    struct actor op = {.kind = ACTOR_USER, .role = ROLE_ADMIN, .user = {2}};
    struct submission_id id = submit(f, 1);
    must(f, job_change_one(f->app, &op, ACTION_HOLD, id, STR("look first"), &f->err));

    must(f, job_detail_get(f->app, &op, id, f->arena, &detail, &f->err));

    assert_true(str_eq_c(detail.hold_actor, "u2"));
    assert_true(str_eq_c(detail.current.row.hold_reason, "look first"));
    assert_int_equal(detail.held_ms, START_MS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        APP_TEST(a_page_names_job_place_and_reason),
        APP_TEST(only_administrators_look),
        APP_TEST(the_history_shows_each_judging_and_which_counts),
        APP_TEST(the_history_names_who_had_it_judged_again),
        APP_TEST(what_the_system_put_back_names_nobody),
        APP_TEST(who_holds_a_job_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
