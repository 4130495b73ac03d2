/* One server at a time maintains. */
#include "app/app_fixture.h"
#include "app/maintainer_internal.h"

static bool take_lease(struct fixture *f, struct str what) {
    bool held = false;
    must(f, db_begin(f->app->db, &f->err) &&
                maintainer_take(f->app, f->app->db, what, &held, &f->err) &&
                db_commit(f->app->db, &f->err));
    return held;
}

static void another_server_waits_until_the_lease_is_over(void **state) {
    struct fixture *f = *state;
    assert_true(take_lease(f, STR("x")));
    assert_true(take_lease(f, STR("x"))); /* its own, longer */
    exec(f, "UPDATE maintenance_lease SET owner = 'another'");

    assert_false(take_lease(f, STR("x")));
    assert_true(take_lease(f, STR("y")));
    clock_manual_advance(&f->clock, 180000);

    assert_true(take_lease(f, STR("x")));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        APP_TEST(another_server_waits_until_the_lease_is_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
