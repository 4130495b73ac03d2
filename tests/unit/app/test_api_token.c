/* API tokens. */
#include "app/api_token.h"
#include "app/app_fixture.h"
#include "app/auth.h"

/* The actor of the fixture's first user, with a session. */
static struct actor signed_in(struct fixture *f) {
    struct actor user = user_actor(1);
    user.session.value = 7;
    exec(f, "INSERT INTO user_session VALUES (7, 1, "
            "x'0707070707070707070707070707070707070707070707070707070707070707', "
            "0, 0, 9000000000000000, 0)");
    return user;
}

static void only_so_many_are_live(void **state) {
    struct fixture *f = *state;
    struct actor user = signed_in(f);
    struct api_token_request request = {.name = STR("ci"), .scope = TOKEN_READ, .days = 1};
    struct api_token_made made = {0};
    for (int i = 0; i < API_TOKENS_MAX; i++) {
        must(f, api_token_create(f->app, &user, &request, f->arena, &made, &f->err));
    }

    assert_false(api_token_create(f->app, &user, &request, f->arena, &made, &f->err));

    assert_string_equal(f->err.code, "too_many_tokens");
    must(f, api_token_revoke(f->app, &user, made.token.id, &f->err));
    must(f, api_token_create(f->app, &user, &request, f->arena, &made, &f->err));
}

static void the_token_itself_is_never_stored(void **state) {
    struct fixture *f = *state;
    struct actor user = signed_in(f);
    struct api_token_request request = {.name = STR("ci"), .scope = TOKEN_WRITE, .days = 1};
    struct api_token_made made = {0};
    struct actor found = {0};
    enum token_scope scope = TOKEN_READ;

    must(f, api_token_create(f->app, &user, &request, f->arena, &made, &f->err));

    must(f, api_token_check(f->app, str_from(made.secret), &found, &scope, &f->err));
    assert_int_equal(found.user.value, 1);
    assert_int_equal(scope, TOKEN_WRITE);
    assert_int_equal(found.session.value, 0);
    assert_true(found.by_token);
    made.secret[10] = made.secret[10] == 'a' ? 'b' : 'a';
    assert_false(api_token_check(f->app, str_from(made.secret), &found, &scope, &f->err));
    assert_string_equal(f->err.code, "no_session");
}

/* Its own token is good for some minutes more. */
static void a_session_that_was_ended_makes_no_tokens(void **state) {
    struct fixture *f = *state;
    struct actor user = signed_in(f);
    struct api_token_request request = {.name = STR("ci"), .scope = TOKEN_WRITE, .days = 366};
    struct api_token_made made = {0};
    exec(f, "UPDATE user_session SET revoked_ms = 1");

    assert_false(api_token_create(f->app, &user, &request, f->arena, &made, &f->err));

    assert_string_equal(f->err.code, "no_session");
    assert_int_equal(query(f, "SELECT count(*) FROM api_token"), 0);
}

static void a_token_makes_nothing_that_outlives_it(void **state) {
    struct fixture *f = *state;
    struct actor token = administrator;
    struct str password = STR("a password of the thief");
    struct user_create_request create = {.username = STR("thief"), .role = ROLE_ADMIN};
    struct user_update_request update = {.id = {1}, .password = &password};
    struct api_token_request request = {.name = STR("ci"), .scope = TOKEN_WRITE, .days = 1};
    struct api_token_made made = {0};
    struct user_created created;
    struct user_view changed;
    token.by_token = true;

    assert_false(user_create(f->app, &token, &create, f->arena, &created, &f->err));
    assert_string_equal(f->err.code, "not_allowed");
    assert_false(user_update(f->app, &token, &update, f->arena, &changed, &f->err));
    assert_string_equal(f->err.code, "not_allowed");
    assert_false(api_token_create(f->app, &token, &request, f->arena, &made, &f->err));
    assert_string_equal(f->err.code, "not_allowed");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        APP_TEST(only_so_many_are_live),
        APP_TEST(the_token_itself_is_never_stored),
        APP_TEST(a_session_that_was_ended_makes_no_tokens),
        APP_TEST(a_token_makes_nothing_that_outlives_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
