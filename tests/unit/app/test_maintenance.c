/* Tasks run when they are due, and not before. */
#include "app/app_fixture.h"
#include "app/parts_internal.h"

static void a_task_waits_for_its_period(void **state) {
    struct fixture *f = *state;
    struct test_node node = make_node(f, "n1", 1, NULL);
    (void)submit(f, 1);
    (void)claim_one(f, &node);
    drain(f);
    clock_manual_advance(&f->clock, f->settings.lease_ms);
    drain(f); /* reaps */
    assert_int_equal(query(f, "SELECT count(*) FROM job_lease"), 0);
    assert_true(beat(f, &node).item.ok);
    (void)claim_one(f, &node);
    exec(f, "UPDATE job_lease SET lease_until_ms = 0");

    clock_manual_advance(&f->clock, f->settings.reap_ms - 1);
    drain(f);
    assert_int_equal(query(f, "SELECT count(*) FROM job_lease"), 1);
    clock_manual_advance(&f->clock, 1);
    drain(f);

    assert_int_equal(query(f, "SELECT count(*) FROM job_lease"), 0);
}

static void nothing_to_do_is_said(void **state) {
    struct fixture *f = *state;
    drain(f);

    assert_false(maintenance_step(f->app));
    assert_false(app_step(f->app));
}

static void an_idle_app_asks_little_of_the_database(void **state) {
    struct fixture *f = *state;
    if (test_db_is_mysql()) { /* counts statements: bench queue's idle cost says it there */
        skip();
    }
    drain(f);
    int64_t before = query(f, "SELECT total_changes()");

    advance(f, 1000);

    assert_in_range(query(f, "SELECT total_changes()") - before, 0, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        APP_TEST(a_task_waits_for_its_period),
        APP_TEST(nothing_to_do_is_said),
        APP_TEST(an_idle_app_asks_little_of_the_database),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
