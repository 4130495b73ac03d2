/* Signing in and out over HTTP, and what the cookies look like. */
#include "people.h"

static const char *sign_in_body(const char *name, const char *password, struct fixture *f) {
    return arena_printf(f->arena, "{\"username\":\"%s\",\"password\":\"%s\"}", name, password);
}

static struct reply try_sign_in(struct fixture *f, const char *name, const char *password,
                                const char *headers) {
    return fixture_ask(f, &(struct ask){.method = "POST",
                                        .path = "/api/v1/session",
                                        .headers = headers,
                                        .type = "application/json",
                                        .body = str_from(sign_in_body(name, password, f))});
}

static void check_cookie(const char *line, int64_t lifetime_s) {
    struct err err = {0};
    int64_t max_age = 0;
    const char *rest = strstr(line, "; Path=/; HttpOnly; SameSite=Lax; Max-Age=");
    assert_non_null(rest);
    assert_true(str_to_i64(str_from(strrchr(rest, '=') + 1), 0, INT32_MAX, &max_age, &err));
    assert_in_range(max_age, lifetime_s - 5, lifetime_s);
}

static void signing_in_answers_who_one_is_and_sets_both_cookies(void **state) {
    struct fixture *f = *state;
    struct person ann = new_person(f, "ann", ROLE_TEACHER);

    struct reply reply = try_sign_in(f, "ann", PASSWORD, NULL);

    expect(reply, 200);
    assert_int_equal(reply_i64(&reply, "user.id"), ann.id);
    assert_true(reply_is(&reply, "user.username", "ann"));
    assert_true(reply_is(&reply, "user.role", "teacher"));
    assert_int_equal(reply_str(&reply, "expiresAt").len, 24);
    assert_string_equal(header_of(f, &reply, "Cache-Control"), "no-store");
    const char *session = cookie_of(f, &reply, "assize_session");
    const char *token = cookie_of(f, &reply, "assize_token");
    assert_non_null(session);
    assert_non_null(token);
    check_cookie(session, 30 * 24 * 3600);
    check_cookie(token, 300);
    assert_null(strstr(session, "Secure")); /* plain HTTP: the browser would drop it */
    assert_int_equal(strlen(cookie_value(f, &reply, "assize_session")), 43);
    assert_true(reply_is(&reply, "accessToken", cookie_value(f, &reply, "assize_token")));
}

static void a_wrong_name_and_a_wrong_password_are_one_answer(void **state) {
    struct fixture *f = *state;
    (void)new_person(f, "ann", ROLE_STUDENT);

    struct reply name = try_sign_in(f, "bob", PASSWORD, NULL);
    struct reply password = try_sign_in(f, "ann", "another password", NULL);

    expect_error(name, 401, "bad_credentials");
    expect_error(password, 401, "bad_credentials");
    assert_true(str_eq(reply_str(&name, "detail"), reply_str(&password, "detail")));
    assert_null(cookie_of(f, &name, "assize_session"));
}

static void many_failures_must_wait(void **state) {
    struct fixture *f = *state;
    (void)new_person(f, "ann", ROLE_STUDENT);
    struct reply reply = {0};

    for (int i = 0; i < 40 && reply.status != 429; i++) {
        reply = try_sign_in(f, "ann", "another password", NULL);
    }

    expect_error(reply, 429, "too_many_attempts");
    int64_t wait_s = 0;
    assert_true(
        str_to_i64(str_from(header_of(f, &reply, "Retry-After")), 1, 3600, &wait_s, &f->err));
    assert_true(wait_s > 60); /* of the window, not of a busy moment */
    struct reply right = try_sign_in(f, "ann", PASSWORD, NULL);
    expect_error(right, 429, "too_many_attempts");
}

static void a_body_that_is_not_right_is_refused_by_name(void **state) {
    struct fixture *f = *state;
    static const struct {
        const char *body, *code, *says;
    } rows[] = {
        {"", "bad_json", ""},
        {"{\"username\":", "bad_json", "line 1"},
        {"[]", "bad_field", ""},
        {"{\"username\":\"a\"}", "bad_field", "`password`"},
        {"{\"username\":1,\"password\":\"x\"}", "bad_field", "`username`"},
        {"{\"username\":\"a\",\"password\":\"x\",\"remember\":true}", "unknown_field", "remember"},
        {"{\"username\":\"a\",\"username\":\"b\",\"password\":\"x\"}", "bad_json", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct reply reply = send_json(f, NULL, "POST", "/api/v1/session", "%s", rows[i].body);
        expect_error(reply, 400, rows[i].code);
        if (memmem(reply.body.ptr, reply.body.len, rows[i].says, strlen(rows[i].says)) == NULL) {
            fail_msg("%s: " STR_FMT, rows[i].body, STR_ARG(reply.body));
        }
    }
}

static void another_content_type_is_refused(void **state) {
    struct fixture *f = *state;
    static const char *const types[] = {"text/plain", "application/x-www-form-urlencoded", NULL,
                                        "application/jsonx"};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        struct reply reply = fixture_ask(f, &(struct ask){.method = "POST",
                                                          .path = "/api/v1/session",
                                                          .type = types[i],
                                                          .body = STR("{}")});
        expect_error(reply, 415, "wrong_content_type");
    }
    struct reply reply = fixture_ask(f, &(struct ask){.method = "POST",
                                                      .path = "/api/v1/session",
                                                      .type = "Application/JSON; charset=utf-8",
                                                      .body = STR("{}")});
    expect_error(reply, 400, "bad_field");
}

static void a_body_over_its_limit_is_refused(void **state) {
    struct fixture *f = *state;
    char *long_body = arena_array(f->arena, 4097, 1);
    memset(long_body, ' ', 4097);

    struct reply reply = fixture_ask(f, &(struct ask){.method = "POST",
                                                      .path = "/api/v1/session",
                                                      .type = "application/json",
                                                      .body = str_of(long_body, 4097)});

    expect(reply, 413);
    assert_true(reply_is(&reply, "code", "too_large"));
}

static void the_session_tells_who_is_signed_in_but_not_its_token(void **state) {
    struct fixture *f = *state;
    struct person ann = new_person(f, "ann", ROLE_ADMIN);

    struct reply reply = get(f, &ann, "/api/v1/session");

    expect(reply, 200);
    assert_true(reply_is(&reply, "user.role", "admin"));
    assert_null(reply_at(&reply, "accessToken"));
    struct reply anonymous = get(f, NULL, "/api/v1/session");
    expect_error(anonymous, 401, "no_session");
}

static void signing_out_ends_the_session_for_good(void **state) {
    struct fixture *f = *state;
    struct person ann = new_person(f, "ann", ROLE_STUDENT);

    struct reply reply = send_json(f, &ann, "DELETE", "/api/v1/session", NULL);

    expect(reply, 204);
    assert_int_equal(reply.body.len, 0);
    assert_non_null(strstr(cookie_of(f, &reply, "assize_session"), "=; "));
    assert_non_null(strstr(cookie_of(f, &reply, "assize_session"), "Max-Age=0"));
    assert_non_null(strstr(cookie_of(f, &reply, "assize_token"), "Max-Age=0"));
    struct person thief = {
        .headers = arena_printf(f->arena, "Cookie: assize_session=%s\r\n", ann.session)};
    struct reply again = get(f, &thief, "/api/v1/session");
    expect_error(again, 401, "no_session");
}

static void a_changed_password_ends_the_other_sessions(void **state) {
    struct fixture *f = *state;
    struct person here = new_person(f, "ann", ROLE_STUDENT);
    struct person there = sign_in(f, "ann", PASSWORD);

    struct reply wrong =
        send_json(f, &here, "PUT", "/api/v1/session/password",
                  "{\"currentPassword\":\"not this one\",\"newPassword\":\"another good one\"}");
    struct reply weak =
        send_json(f, &here, "PUT", "/api/v1/session/password",
                  "{\"currentPassword\":\"%s\",\"newPassword\":\"short\"}", PASSWORD);
    struct reply changed =
        send_json(f, &here, "PUT", "/api/v1/session/password",
                  "{\"currentPassword\":\"%s\",\"newPassword\":\"another good one\"}", PASSWORD);

    expect_error(wrong, 403, "wrong_password");
    expect_error(weak, 400, "bad_field");
    expect(changed, 204);
    fixture_later(f, 6 * 60 * 1000); /* both tokens are over: only the session decides */
    struct reply mine = get(f, &here, "/api/v1/session");
    expect(mine, 200);
    struct reply theirs = get(f, &there, "/api/v1/session");
    expect_error(theirs, 401, "no_session");
    struct reply old = try_sign_in(f, "ann", PASSWORD, NULL);
    expect_error(old, 401, "bad_credentials");
    (void)sign_in(f, "ann", "another good one");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SERVER_TEST(signing_in_answers_who_one_is_and_sets_both_cookies),
        SERVER_TEST(a_wrong_name_and_a_wrong_password_are_one_answer),
        SERVER_TEST(many_failures_must_wait),
        SERVER_TEST(a_body_that_is_not_right_is_refused_by_name),
        SERVER_TEST(another_content_type_is_refused),
        SERVER_TEST(a_body_over_its_limit_is_refused),
        SERVER_TEST(the_session_tells_who_is_signed_in_but_not_its_token),
        SERVER_TEST(signing_out_ends_the_session_for_good),
        SERVER_TEST(a_changed_password_ends_the_other_sessions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
