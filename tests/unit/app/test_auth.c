/* Signing in and out. */
#include "account_fixture.h"

#include "app/attempts_internal.h"
#include "data/password.h"

static void the_right_password_begins_a_session(void **state) {
    struct fixture *f = *state;
    struct session_view session;
    struct actor actor;

    assert_true(fixture_sign_in(f, "root", ADMIN_PASSWORD, &session));
    assert_true(auth_check_token(f->app, str_from(session.access_token), &actor, &f->err));

    assert_true(str_eq_c(session.user.username, "root"));
    assert_int_equal(strlen(session.secret), SESSION_SECRET_BYTES - 1);
    assert_int_equal(actor.kind, ACTOR_USER);
    assert_int_equal(actor.role, ROLE_ADMIN);
    assert_int_equal(actor.user.value, f->admin.user.value);
    assert_int_equal(actor.session.value, session.id.value);
    assert_int_equal(session.session_expires_ms, START_MS + INT64_C(30) * 86400 * 1000);
    assert_in_range(session.expires_ms, START_MS + 299000, START_MS + 300000);
}

static void names_are_found_without_case_and_without_spaces_around(void **state) {
    struct fixture *f = *state;
    struct session_view session;

    assert_true(fixture_sign_in(f, "  RooT ", ADMIN_PASSWORD, &session));

    assert_true(str_eq_c(session.user.username, "root"));
}

static void whatever_is_wrong_gets_one_answer(void **state) {
    struct fixture *f = *state;
    struct session_view session;
    static const char *const names[] = {"root", "nobody", "", "root'--",
                                        "0123456789012345678901234567890123456789012345678901234"
                                        "5678901234567890"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        assert_false(fixture_sign_in(f, names[i], "a wrong password", &session));

        assert_int_equal(f->err.kind, ERR_UNAUTHENTICATED);
        assert_string_equal(f->err.code, "bad_credentials");
        assert_string_equal(f->err.text, "the user name or the password is wrong");
    }
}

static void a_disabled_user_is_answered_like_a_stranger(void **state) {
    struct fixture *f = *state;
    struct actor student = fixture_user(f, "ada", ROLE_STUDENT);
    const bool disabled = true;
    struct user_update_request request = {.id = student.user, .disabled = &disabled};
    struct user_view user;
    struct session_view session;
    assert_true(user_update(f->app, &f->admin, &request, f->arena, &user, &f->err));

    assert_false(fixture_sign_in(f, "ada", ADMIN_PASSWORD, &session));

    assert_string_equal(f->err.code, "bad_credentials");
}

static void after_many_failures_even_the_right_password_waits(void **state) {
    struct fixture *f = *state;
    struct session_view session;
    for (int i = 0; i < ATTEMPTS_PAIR_MAX; i++) {
        assert_false(fixture_sign_in(f, "root", "a wrong password", &session));
        assert_string_equal(f->err.code, "bad_credentials");
    }

    assert_false(fixture_sign_in(f, "root", ADMIN_PASSWORD, &session));
    assert_string_equal(f->err.code, "too_many_attempts");
    clock_manual_advance(&f->clock, ATTEMPTS_WINDOW_MS);

    assert_true(fixture_sign_in(f, "root", ADMIN_PASSWORD, &session));
}

static void the_secret_renews_the_token(void **state) {
    struct fixture *f = *state;
    struct session_view session;
    struct session_view renewed;
    struct actor actor;
    assert_true(fixture_sign_in(f, "root", ADMIN_PASSWORD, &session));
    clock_manual_advance(&f->clock, 300001);

    assert_false(auth_check_token(f->app, str_from(session.access_token), &actor, &f->err));
    assert_string_equal(f->err.code, "no_session");
    assert_true(auth_renew(f->app, str_from(session.secret), f->arena, &renewed, &f->err));
    assert_true(auth_check_token(f->app, str_from(renewed.access_token), &actor, &f->err));

    assert_string_equal(renewed.secret, "");
    assert_int_equal(renewed.id.value, session.id.value);
    assert_int_equal(renewed.session_expires_ms, session.session_expires_ms);
    assert_int_equal(actor.session.value, session.id.value);
}

static void the_secret_itself_is_not_in_the_database(void **state) {
    struct fixture *f = *state;
    struct session_view session;
    assert_true(fixture_sign_in(f, "root", ADMIN_PASSWORD, &session));

    assert_int_equal(fixture_i64(f, "SELECT COUNT(*) FROM user_session"), 1);
    assert_int_equal(fixture_i64(f, "SELECT LENGTH(secret_digest) FROM user_session"), 32);
    assert_int_equal(
        fixture_i64(f, "SELECT COUNT(*) FROM `user` WHERE password_hash LIKE '$argon2id$%'"), 1);
}

static void assert_no_renewal(struct fixture *f, const char *secret) {
    struct session_view renewed;
    assert_false(auth_renew(f->app, str_from(secret), f->arena, &renewed, &f->err));
    assert_int_equal(f->err.kind, ERR_UNAUTHENTICATED);
    assert_string_equal(f->err.code, "no_session");
}

static void another_secret_renews_nothing(void **state) {
    struct fixture *f = *state;
    struct session_view session;
    assert_true(fixture_sign_in(f, "root", ADMIN_PASSWORD, &session));

    assert_no_renewal(f, "");
    assert_no_renewal(f, "short");
    assert_no_renewal(f, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA");
    session.secret[0] = session.secret[0] == 'A' ? 'B' : 'A';
    assert_no_renewal(f, session.secret);
}

static void a_session_ends_with_its_time(void **state) {
    struct fixture *f = *state;
    struct session_view session;
    assert_true(fixture_sign_in(f, "root", ADMIN_PASSWORD, &session));

    clock_manual_advance(&f->clock, INT64_C(30) * 86400 * 1000);

    assert_no_renewal(f, session.secret);
}

static void a_disabled_user_renews_nothing_whatever_became_of_the_session(void **state) {
    struct fixture *f = *state;
    struct session_view session;
    assert_true(fixture_sign_in(f, "root", ADMIN_PASSWORD, &session));
    assert_true(db_script(f->app->db, STR("UPDATE `user` SET disabled = 1"), &f->err));

    assert_no_renewal(f, session.secret);
}

static struct actor actor_of(struct fixture *f, const struct session_view *session) {
    struct actor actor;
    if (!auth_check_token(f->app, str_from(session->access_token), &actor, &f->err)) {
        fail_msg("%s", f->err.text);
    }
    return actor;
}

static void signing_out_ends_this_session_alone(void **state) {
    struct fixture *f = *state;
    struct session_view first;
    struct session_view second;
    struct session_view renewed;
    assert_true(fixture_sign_in(f, "root", ADMIN_PASSWORD, &first));
    assert_true(fixture_sign_in(f, "root", ADMIN_PASSWORD, &second));
    struct actor actor = actor_of(f, &first);

    assert_true(auth_sign_out(f->app, &actor, &f->err));

    assert_no_renewal(f, first.secret);
    assert_true(auth_renew(f->app, str_from(second.secret), f->arena, &renewed, &f->err));
}

static void nobody_cannot_sign_out(void **state) {
    struct fixture *f = *state;
    struct actor nobody = {0};

    assert_false(auth_sign_out(f->app, &nobody, &f->err));

    assert_string_equal(f->err.code, "no_session");
}

static void a_new_password_ends_the_other_sessions(void **state) {
    struct fixture *f = *state;
    struct session_view first;
    struct session_view second;
    struct session_view renewed;
    assert_true(fixture_sign_in(f, "root", ADMIN_PASSWORD, &first));
    assert_true(fixture_sign_in(f, "root", ADMIN_PASSWORD, &second));
    struct actor actor = actor_of(f, &first);

    assert_true(auth_change_password(f->app, &actor, STR(ADMIN_PASSWORD), STR("another password"),
                                     &f->err));

    assert_no_renewal(f, second.secret);
    assert_true(auth_renew(f->app, str_from(first.secret), f->arena, &renewed, &f->err));
    assert_false(fixture_sign_in(f, "root", ADMIN_PASSWORD, &second));
    assert_true(fixture_sign_in(f, "root", "another password", &second));
    assert_int_equal(
        fixture_i64(f, "SELECT COUNT(*) FROM audit_log WHERE action = 'user.password'"), 1);
}

static void a_wrong_current_password_changes_nothing(void **state) {
    struct fixture *f = *state;
    struct session_view session;
    assert_true(fixture_sign_in(f, "root", ADMIN_PASSWORD, &session));
    struct actor actor = actor_of(f, &session);

    assert_false(
        auth_change_password(f->app, &actor, STR("guess"), STR("another password"), &f->err));

    assert_int_equal(f->err.kind, ERR_DENIED);
    assert_string_equal(f->err.code, "wrong_password");
    assert_true(fixture_sign_in(f, "root", ADMIN_PASSWORD, &session));
}

static void the_current_password_cannot_be_guessed_for_long(void **state) {
    struct fixture *f = *state;
    struct session_view session;
    assert_true(fixture_sign_in(f, "root", ADMIN_PASSWORD, &session));
    struct actor actor = actor_of(f, &session);
    for (int i = 0; i < ATTEMPTS_PAIR_MAX; i++) {
        assert_false(
            auth_change_password(f->app, &actor, STR("guess"), STR("another password"), &f->err));
    }

    assert_false(auth_change_password(f->app, &actor, STR(ADMIN_PASSWORD), STR("another password"),
                                      &f->err));

    assert_string_equal(f->err.code, "too_many_attempts");
    assert_true(fixture_sign_in(f, "root", ADMIN_PASSWORD, &session));
}

static void a_new_password_must_be_long_enough(void **state) {
    struct fixture *f = *state;
    struct session_view session;
    assert_true(fixture_sign_in(f, "root", ADMIN_PASSWORD, &session));
    struct actor actor = actor_of(f, &session);

    assert_false(auth_change_password(f->app, &actor, STR(ADMIN_PASSWORD), STR("short"), &f->err));

    assert_string_equal(f->err.code, "bad_field");
    assert_non_null(strstr(f->err.text, "newPassword"));
}

static void a_token_of_an_ended_session_changes_no_password(void **state) {
    struct fixture *f = *state;
    struct session_view session;
    assert_true(fixture_sign_in(f, "root", ADMIN_PASSWORD, &session));
    struct actor actor = actor_of(f, &session);
    assert_true(auth_sign_out(f->app, &actor, &f->err));

    assert_false(auth_change_password(f->app, &actor, STR(ADMIN_PASSWORD), STR("another password"),
                                      &f->err));

    assert_string_equal(f->err.code, "no_session");
}

static void the_oldest_session_ends_when_there_are_too_many(void **state) {
    struct fixture *f = *state;
    struct session_view first;
    struct session_view session;
    assert_true(fixture_sign_in(f, "root", ADMIN_PASSWORD, &first));

    for (int i = 0; i < 50; i++) {
        assert_true(fixture_sign_in(f, "root", ADMIN_PASSWORD, &session));
    }

    assert_int_equal(fixture_i64(f, "SELECT COUNT(*) FROM user_session"), 50);
    assert_no_renewal(f, first.secret);
}

static void the_first_administrator_is_made_once(void **state) {
    struct fixture *f = *state;
    struct str password = {0};
    struct str again = {0};
    struct session_view session;
    bool created = false;

    assert_true(auth_ensure_admin(f->app, f->arena, &created, &password, &f->err));
    assert_true(created);
    assert_true(fixture_sign_in(f, "admin", password.ptr, &session));
    assert_int_equal(session.user.role, ROLE_ADMIN);
    assert_true(auth_ensure_admin(f->app, f->arena, &created, &again, &f->err));

    assert_false(created);
    assert_int_equal(again.len, 0);
}

static void a_student_called_admin_becomes_one_when_there_is_none(void **state) {
    struct fixture *f = *state;
    struct str password = {0};
    struct session_view session;
    bool created = false;
    (void)fixture_user(f, "Admin", ROLE_STUDENT);

    assert_true(auth_ensure_admin(f->app, f->arena, &created, &password, &f->err));

    assert_true(created);
    assert_true(fixture_sign_in(f, "admin", password.ptr, &session));
    assert_int_equal(session.user.role, ROLE_ADMIN);
}

static void a_password_can_be_reset_with_the_database_at_hand(void **state) {
    struct fixture *f = *state;
    struct str password = {0};
    struct session_view old;
    struct session_view session;
    assert_true(fixture_sign_in(f, "root", ADMIN_PASSWORD, &old));

    assert_true(auth_reset_password(f->app, STR("ROOT"), f->arena, &password, &f->err));

    assert_no_renewal(f, old.secret);
    assert_false(fixture_sign_in(f, "root", ADMIN_PASSWORD, &session));
    assert_true(fixture_sign_in(f, "root", password.ptr, &session));
}

static void resetting_makes_a_missing_admin_but_nobody_else(void **state) {
    struct fixture *f = *state;
    struct str password = {0};
    struct session_view session;

    assert_false(auth_reset_password(f->app, STR("nobody"), f->arena, &password, &f->err));
    assert_string_equal(f->err.code, "no_user");
    assert_true(auth_reset_password(f->app, STR("admin"), f->arena, &password, &f->err));

    assert_true(fixture_sign_in(f, "admin", password.ptr, &session));
}

static void a_hash_of_another_cost_is_renewed_at_sign_in(void **state) {
    struct fixture *f = *state;
    static const struct password_cost other = {.memory_bytes = 16384, .passes = 1};
    struct session_view session;
    char hash[PASSWORD_HASH_BYTES];
    own(db_stmt) stmt = NULL;
    assert_true(password_hash(STR(ADMIN_PASSWORD), &other, hash, &f->err));
    assert_true(db_prepare(f->app->db, "UPDATE `user` SET password_hash = ?", &stmt, &f->err));
    db_bind_text(stmt, 1, str_from(hash));
    assert_true(db_run(stmt, NULL, &f->err));
    db_stmt_release(take(stmt));

    assert_true(fixture_sign_in(f, "root", ADMIN_PASSWORD, &session));

    assert_int_equal(
        fixture_i64(f, "SELECT COUNT(*) FROM `user` WHERE password_hash LIKE '%m=16,%'"), 0);
    assert_true(fixture_sign_in(f, "root", ADMIN_PASSWORD, &session));
}

int main(void) {
#define WITH_APP(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
#define WITH_NOBODY(test)                                                                          \
    cmocka_unit_test_setup_teardown(test, fixture_setup_empty, fixture_teardown)
    const struct CMUnitTest tests[] = {
        WITH_APP(the_right_password_begins_a_session),
        WITH_APP(names_are_found_without_case_and_without_spaces_around),
        WITH_APP(whatever_is_wrong_gets_one_answer),
        WITH_APP(a_disabled_user_is_answered_like_a_stranger),
        WITH_APP(after_many_failures_even_the_right_password_waits),
        WITH_APP(the_secret_renews_the_token),
        WITH_APP(the_secret_itself_is_not_in_the_database),
        WITH_APP(another_secret_renews_nothing),
        WITH_APP(a_session_ends_with_its_time),
        WITH_APP(a_disabled_user_renews_nothing_whatever_became_of_the_session),
        WITH_APP(signing_out_ends_this_session_alone),
        WITH_APP(nobody_cannot_sign_out),
        WITH_APP(a_new_password_ends_the_other_sessions),
        WITH_APP(a_wrong_current_password_changes_nothing),
        WITH_APP(the_current_password_cannot_be_guessed_for_long),
        WITH_APP(a_new_password_must_be_long_enough),
        WITH_APP(a_token_of_an_ended_session_changes_no_password),
        WITH_APP(the_oldest_session_ends_when_there_are_too_many),
        WITH_NOBODY(the_first_administrator_is_made_once),
        WITH_NOBODY(a_student_called_admin_becomes_one_when_there_is_none),
        WITH_APP(a_password_can_be_reset_with_the_database_at_hand),
        WITH_NOBODY(resetting_makes_a_missing_admin_but_nobody_else),
        WITH_APP(a_hash_of_another_cost_is_renewed_at_sign_in),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
