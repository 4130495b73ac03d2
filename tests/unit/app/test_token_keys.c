/* The keys of access tokens. */
#include "account_fixture.h"

#include "app/auth_internal.h"

#define DAY_MS INT64_C(86400000)

static struct str sign(struct fixture *f, struct token_keys *keys) {
    struct jwt_claims claims = {.sub = 7,
                                .sid = 9,
                                .role = "student",
                                .iat_s = clock_utc_ms(&f->clock.clock) / 1000,
                                .exp_s = clock_utc_ms(&f->clock.clock) / 1000 + 300};
    own_buf token = {0};
    buf_init(&token, 1 * KIB);
    if (!token_keys_sign(f->app, keys, &claims, &token, &f->err)) {
        fail_msg("%s", f->err.text);
    }
    return arena_str(f->arena, buf_str(&token));
}

static void forget_keys_in_database(struct fixture *f) {
    assert_true(db_script(f->app->db, STR("DELETE FROM server_key"), &f->err));
}

static bool verify(struct fixture *f, struct token_keys *keys, struct str token) {
    struct jwt_claims claims = {0};
    bool ok = token_keys_verify(f->app, keys, token, &claims, &f->err);
    assert_true(!ok || claims.sub == 7);
    return ok;
}

static void the_first_key_is_made_when_it_is_needed(void **state) {
    struct fixture *f = *state;
    assert_int_equal(fixture_i64(f, "SELECT COUNT(*) FROM server_key"), 0);

    struct str token = sign(f, f->app->auth->keys);

    assert_true(verify(f, f->app->auth->keys, token));
    assert_int_equal(fixture_i64(f, "SELECT COUNT(*) FROM server_key"), 1);
    assert_int_equal(fixture_i64(f, "SELECT LENGTH(secret) FROM server_key"), JWT_SECRET_BYTES);
}

static void another_server_accepts_the_token_and_uses_the_same_key(void **state) {
    struct fixture *f = *state;
    own(token_keys) other = token_keys_create();

    struct str token = sign(f, f->app->auth->keys);

    assert_true(verify(f, other, token));
    assert_true(verify(f, f->app->auth->keys, sign(f, other)));
    assert_int_equal(fixture_i64(f, "SELECT COUNT(*) FROM server_key"), 1);
}

static void a_key_signs_for_a_month_and_is_accepted_a_little_longer(void **state) {
    struct fixture *f = *state;
    struct token_keys *keys = f->app->auth->keys;
    (void)sign(f, keys);
    clock_manual_advance(&f->clock, TOKEN_KEY_DAYS * DAY_MS - 1);
    struct str last = sign(f, keys);
    assert_int_equal(fixture_i64(f, "SELECT COUNT(*) FROM server_key"), 1);

    clock_manual_advance(&f->clock, 1);
    struct str next = sign(f, keys);

    assert_int_equal(fixture_i64(f, "SELECT COUNT(*) FROM server_key"), 2);
    assert_true(verify(f, keys, last));
    assert_true(verify(f, keys, next));
}

static void old_keys_are_deleted_when_a_new_one_is_made(void **state) {
    struct fixture *f = *state;
    struct token_keys *keys = f->app->auth->keys;

    for (int i = 0; i < 4; i++) {
        (void)sign(f, keys);
        clock_manual_advance(&f->clock, (TOKEN_KEY_DAYS + 1) * DAY_MS);
    }

    assert_int_equal(fixture_i64(f, "SELECT COUNT(*) FROM server_key"), 1);
}

static void an_unknown_key_makes_the_keys_be_read_again_after_a_while(void **state) {
    struct fixture *f = *state;
    struct token_keys *keys = f->app->auth->keys;
    own(token_keys) other = token_keys_create();
    assert_true(verify(f, keys, sign(f, keys)));
    forget_keys_in_database(f);
    struct str strange = sign(f, other);

    assert_false(verify(f, keys, strange));
    assert_int_equal(f->err.kind, ERR_UNAUTHENTICATED);
    clock_manual_advance(&f->clock, 10000);

    assert_true(verify(f, keys, strange));
}

static void a_key_is_forgotten_with_the_last_token_it_may_have_signed(void **state) {
    struct fixture *f = *state;
    struct token_keys *keys = f->app->auth->keys;
    int64_t now_s = clock_utc_ms(&f->clock.clock) / 1000;
    struct jwt_claims claims = {
        .sub = 7, .role = "student", .iat_s = now_s, .exp_s = now_s + INT64_C(86400) * 365};
    own_buf token = {0};
    buf_init(&token, 1 * KIB);
    assert_true(token_keys_sign(f->app, keys, &claims, &token, &f->err));

    clock_manual_advance(&f->clock, TOKEN_KEY_DAYS * DAY_MS);
    assert_true(verify(f, keys, buf_str(&token)));
    clock_manual_advance(&f->clock, 600000);

    assert_false(verify(f, keys, buf_str(&token)));
}

static void a_changed_token_is_refused(void **state) {
    struct fixture *f = *state;
    struct str token = sign(f, f->app->auth->keys);
    char *copy = arena_alloc(f->arena, token.len);
    memcpy(copy, token.ptr, token.len);
    copy[token.len / 2] = copy[token.len / 2] == 'A' ? 'B' : 'A';

    assert_false(verify(f, f->app->auth->keys, str_of(copy, token.len)));
    assert_false(verify(f, f->app->auth->keys, STR("")));
    assert_false(verify(f, f->app->auth->keys, str_sub(token, 0, token.len - 1)));
}

int main(void) {
#define WITH_APP(test) cmocka_unit_test_setup_teardown(test, fixture_setup_empty, fixture_teardown)
    const struct CMUnitTest tests[] = {
        WITH_APP(the_first_key_is_made_when_it_is_needed),
        WITH_APP(another_server_accepts_the_token_and_uses_the_same_key),
        WITH_APP(a_key_signs_for_a_month_and_is_accepted_a_little_longer),
        WITH_APP(old_keys_are_deleted_when_a_new_one_is_made),
        WITH_APP(an_unknown_key_makes_the_keys_be_read_again_after_a_while),
        WITH_APP(a_key_is_forgotten_with_the_last_token_it_may_have_signed),
        WITH_APP(a_changed_token_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
