/* What the database says of an actor counts, not what his token once said. */
#include "app/actor_now_internal.h"
#include "app/app_fixture.h"

static void a_right_that_was_lost_is_gone(void **state) {
    struct fixture *f = *state;
    struct actor admin = {.kind = ACTOR_USER, .role = ROLE_ADMIN, .user = {1}};
    struct actor student = user_actor(1);

    assert_false(actor_need_role_now(f->app->db, &admin, ROLE_ADMIN, &f->err));
    assert_string_equal(f->err.code, "not_allowed");
    exec(f, "UPDATE `user` SET role = 3 WHERE id = 1");
    assert_true(actor_need_role_now(f->app->db, &admin, ROLE_ADMIN, &f->err));
    assert_false(actor_need_role_now(f->app->db, &student, ROLE_ADMIN, &f->err));
    exec(f, "UPDATE `user` SET disabled = 1 WHERE id = 1");
    assert_false(actor_need_role_now(f->app->db, &admin, ROLE_ADMIN, &f->err));
    assert_true(actor_need_role_now(f->app->db, &the_system, ROLE_ADMIN, &f->err));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        APP_TEST(a_right_that_was_lost_is_gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
