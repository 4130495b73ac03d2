/* API tokens. */
#include "app/api_token.h"
#include "app/app_fixture.h"

static void only_so_many_are_live(void **state) {
    struct fixture *f = *state;
    struct actor user = user_actor(1);
    user.session.value = 1;
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
    struct actor user = user_actor(1);
    user.session.value = 1;
    struct api_token_request request = {.name = STR("ci"), .scope = TOKEN_WRITE, .days = 1};
    struct api_token_made made = {0};
    struct actor found = {0};
    enum token_scope scope = TOKEN_READ;

    must(f, api_token_create(f->app, &user, &request, f->arena, &made, &f->err));

    must(f, api_token_check(f->app, str_from(made.secret), &found, &scope, &f->err));
    assert_int_equal(found.user.value, 1);
    assert_int_equal(scope, TOKEN_WRITE);
    assert_int_equal(found.session.value, 0);
    made.secret[10] = made.secret[10] == 'a' ? 'b' : 'a';
    assert_false(api_token_check(f->app, str_from(made.secret), &found, &scope, &f->err));
    assert_string_equal(f->err.code, "no_session");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        APP_TEST(only_so_many_are_live),
        APP_TEST(the_token_itself_is_never_stored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
