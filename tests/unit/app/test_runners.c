/* Who runs the writer's batches. With two of them: test_writer.c, test_app_threads.c. */
#include "app/runners_internal.h"

#include "app/app_fixture.h"

static void an_app_that_is_stepped_has_one(void **state) {
    struct fixture *f = *state;
    (void)submit(f, 1);

    int64_t first = runner_take_id(f->app, ID_JOB);

    assert_int_equal(runner_take_id(f->app, ID_JOB), first + 1);
    assert_ptr_equal(runner_db(f->app), f->app->db);
    assert_ptr_equal(runner_news(f->app), f->app->news);
    assert_null(f->app->more);
}

static void what_was_never_opened_is_closed_without_harm(void **state) {
    (void)state;
    struct app app = {.threads = false};

    runners_stop(&app);
    runners_free(&app);

    assert_null(app.writer);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        APP_TEST(an_app_that_is_stepped_has_one),
        cmocka_unit_test(what_was_never_opened_is_closed_without_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
