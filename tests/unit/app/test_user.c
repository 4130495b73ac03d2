/* Accounts as administrators see them. */
#include "account_fixture.h"

static bool create(struct fixture *f, const struct actor *actor, const char *name,
                   struct user_created *ret_created) {
    struct user_create_request request = {
        .username = str_from(name), .display_name = STR("Someone"), .role = ROLE_STUDENT};
    return user_create(f->app, actor, &request, f->arena, ret_created, &f->err);
}

static void a_user_without_a_password_gets_one_that_works(void **state) {
    struct fixture *f = *state;
    struct user_created created;
    struct session_view session;

    assert_true(create(f, &f->admin, "Ada", &created));

    assert_true(created.password.len >= 16);
    assert_true(created.user.id.value > 0);
    assert_int_equal(created.user.role, ROLE_STUDENT);
    assert_int_equal(created.user.created_ms, START_MS);
    assert_true(fixture_sign_in(f, "ada", created.password.ptr, &session));
    assert_int_equal(fixture_i64(f, "SELECT COUNT(*) FROM audit_log WHERE action = 'user.create' "
                                    "AND actor_kind = 1"),
                     1);
}

static void a_given_password_is_not_given_back(void **state) {
    struct fixture *f = *state;
    struct user_create_request request = {.username = STR("ada"),
                                          .display_name = STR("Ada"),
                                          .role = ROLE_TEACHER,
                                          .password = STR("given password")};
    struct user_created created = {.password = STR("x")};
    struct session_view session;

    assert_true(user_create(f->app, &f->admin, &request, f->arena, &created, &f->err));

    assert_int_equal(created.password.len, 0);
    assert_true(fixture_sign_in(f, "ada", "given password", &session));
}

static void a_name_is_taken_whatever_its_case(void **state) {
    struct fixture *f = *state;
    struct user_created created;
    assert_true(create(f, &f->admin, "ada", &created));

    assert_false(create(f, &f->admin, "ADA", &created));

    assert_int_equal(f->err.kind, ERR_CONFLICT);
    assert_string_equal(f->err.code, "conflict_username");
    assert_int_equal(fixture_i64(f, "SELECT COUNT(*) FROM `user`"), 2);
}

static void bad_fields_are_named(void **state) {
    struct fixture *f = *state;
    const struct {
        struct user_create_request request;
        const char *says;
    } rows[] = {
        {{STR(""), STR("A"), ROLE_STUDENT, STR("")}, "username"},
        {{STR("a b"), STR("A"), ROLE_STUDENT, STR("")}, "username"},
        {{STR("ada"), STR(""), ROLE_STUDENT, STR("")}, "displayName"},
        {{STR("ada"), STR("a\nb"), ROLE_STUDENT, STR("")}, "displayName"},
        {{STR("ada"), STR(" a"), ROLE_STUDENT, STR("")}, "displayName"},
        {{STR("ada"), STR("\xff"), ROLE_STUDENT, STR("")}, "displayName"},
        {{STR("ada"), STR("A"), ROLE_NONE, STR("")}, "role"},
        {{STR("ada"), STR("A"), ROLE_STUDENT, STR("short")}, "password"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct user_created created;

        assert_false(user_create(f->app, &f->admin, &rows[i].request, f->arena, &created, &f->err));

        assert_string_equal(f->err.code, "bad_field");
        assert_non_null(strstr(f->err.text, rows[i].says));
    }
    assert_int_equal(fixture_i64(f, "SELECT COUNT(*) FROM `user`"), 1);
}

static void only_administrators_manage_users(void **state) {
    struct fixture *f = *state;
    struct actor nobody = {0};
    struct actor teacher = fixture_user(f, "teacher", ROLE_TEACHER);
    struct user_created created;
    struct user_view user;
    struct user_page page;
    const struct user_filter filter = {.limit = 10};
    const bool disabled = true;
    struct user_update_request request = {.id = f->admin.user, .disabled = &disabled};

    assert_false(create(f, &teacher, "ada", &created));
    assert_string_equal(f->err.code, "not_allowed");
    assert_false(user_update(f->app, &teacher, &request, f->arena, &user, &f->err));
    assert_string_equal(f->err.code, "not_allowed");
    assert_false(user_list(f->app, &teacher, &filter, f->arena, &page, &f->err));
    assert_string_equal(f->err.code, "not_allowed");
    assert_false(create(f, &nobody, "ada", &created));
    assert_string_equal(f->err.code, "no_session");
}

static void a_right_that_was_lost_meanwhile_counts_no_more(void **state) {
    struct fixture *f = *state;
    struct actor second = fixture_user(f, "second", ROLE_ADMIN);
    const enum role student = ROLE_STUDENT;
    struct user_update_request request = {.id = second.user, .role = &student};
    struct user_created created;
    struct user_view user;
    assert_true(user_update(f->app, &f->admin, &request, f->arena, &user, &f->err));

    assert_false(create(f, &second, "ada", &created));

    assert_string_equal(f->err.code, "not_allowed");
}

static void an_update_changes_what_is_given(void **state) {
    struct fixture *f = *state;
    struct actor ada = fixture_user(f, "ada", ROLE_STUDENT);
    const struct str name = STR("Countess");
    const enum role role = ROLE_TEACHER;
    const struct str password = STR("a fresh password");
    struct user_update_request request = {
        .id = ada.user, .display_name = &name, .role = &role, .password = &password};
    struct user_view user;
    struct session_view session;

    assert_true(user_update(f->app, &f->admin, &request, f->arena, &user, &f->err));

    assert_true(str_eq_c(user.display_name, "Countess"));
    assert_true(str_eq_c(user.username, "ada"));
    assert_int_equal(user.role, ROLE_TEACHER);
    assert_false(user.disabled);
    assert_true(fixture_sign_in(f, "ada", "a fresh password", &session));
    assert_int_equal(session.user.role, ROLE_TEACHER);
}

static void disabling_ends_the_sessions(void **state) {
    struct fixture *f = *state;
    struct actor ada = fixture_user(f, "ada", ROLE_STUDENT);
    const bool disabled = true;
    const bool enabled = false;
    struct user_update_request request = {.id = ada.user, .disabled = &disabled};
    struct session_view session;
    struct session_view renewed;
    struct user_view user;
    assert_true(fixture_sign_in(f, "ada", ADMIN_PASSWORD, &session));

    assert_true(user_update(f->app, &f->admin, &request, f->arena, &user, &f->err));
    request.disabled = &enabled;
    assert_true(user_update(f->app, &f->admin, &request, f->arena, &user, &f->err));

    assert_false(auth_renew(f->app, str_from(session.secret), f->arena, &renewed, &f->err));
    assert_true(fixture_sign_in(f, "ada", ADMIN_PASSWORD, &session));
}

static void the_last_administrator_stays(void **state) {
    struct fixture *f = *state;
    struct actor second = fixture_user(f, "second", ROLE_ADMIN);
    const bool disabled = true;
    const enum role teacher = ROLE_TEACHER;
    struct user_update_request disable_second = {.id = second.user, .disabled = &disabled};
    struct user_update_request disable_first = {.id = f->admin.user, .disabled = &disabled};
    struct user_update_request demote_first = {.id = f->admin.user, .role = &teacher};
    struct user_view user;
    assert_true(user_update(f->app, &f->admin, &disable_second, f->arena, &user, &f->err));

    assert_false(user_update(f->app, &f->admin, &disable_first, f->arena, &user, &f->err));
    assert_string_equal(f->err.code, "conflict_last_admin");
    assert_false(user_update(f->app, &f->admin, &demote_first, f->arena, &user, &f->err));

    assert_string_equal(f->err.code, "conflict_last_admin");
    assert_true(user_update(f->app, &f->admin, &disable_second, f->arena, &user, &f->err));
}

static void an_unknown_user_cannot_be_updated(void **state) {
    struct fixture *f = *state;
    const bool disabled = true;
    struct user_update_request request = {.id = {999999}, .disabled = &disabled};
    struct user_view user;

    assert_false(user_update(f->app, &f->admin, &request, f->arena, &user, &f->err));

    assert_string_equal(f->err.code, "no_user");
}

static void one_sees_oneself_and_an_administrator_all(void **state) {
    struct fixture *f = *state;
    struct actor ada = fixture_user(f, "ada", ROLE_STUDENT);
    struct actor bob = fixture_user(f, "bob", ROLE_TEACHER);
    struct user_view user;

    assert_true(user_get(f->app, &ada, ada.user, f->arena, &user, &f->err));
    assert_true(user_get(f->app, &f->admin, ada.user, f->arena, &user, &f->err));
    assert_true(str_eq_c(user.username, "ada"));
    assert_false(user_get(f->app, &bob, ada.user, f->arena, &user, &f->err));

    assert_string_equal(f->err.code, "no_user");
}

static void users_come_in_pages(void **state) {
    struct fixture *f = *state;
    struct user_page page;
    struct user_filter filter = {.limit = 3};
    int seen = 0;
    int pages = 0;
    for (int i = 0; i < 6; i++) {
        (void)fixture_user(f, arena_printf(f->arena, "user%d", i), ROLE_STUDENT);
    }

    do {
        assert_true(user_list(f->app, &f->admin, &filter, f->arena, &page, &f->err));
        seen += page.count;
        pages++;
        filter.cursor = page.next;
    } while (filter.cursor != 0);

    assert_int_equal(seen, 7);
    assert_int_equal(pages, 3);
    filter.limit = 0;
    assert_false(user_list(f->app, &f->admin, &filter, f->arena, &page, &f->err));
    filter.limit = LIST_LIMIT_MAX + 1;
    assert_false(user_list(f->app, &f->admin, &filter, f->arena, &page, &f->err));
    assert_string_equal(f->err.code, "bad_parameter");
}

int main(void) {
#define WITH_APP(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        WITH_APP(a_user_without_a_password_gets_one_that_works),
        WITH_APP(a_given_password_is_not_given_back),
        WITH_APP(a_name_is_taken_whatever_its_case),
        WITH_APP(bad_fields_are_named),
        WITH_APP(only_administrators_manage_users),
        WITH_APP(a_right_that_was_lost_meanwhile_counts_no_more),
        WITH_APP(an_update_changes_what_is_given),
        WITH_APP(disabling_ends_the_sessions),
        WITH_APP(the_last_administrator_stays),
        WITH_APP(an_unknown_user_cannot_be_updated),
        WITH_APP(one_sees_oneself_and_an_administrator_all),
        WITH_APP(users_come_in_pages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
