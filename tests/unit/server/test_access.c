/* Who may ask: tokens, sessions that renew them, roles, origins, rates. */
#include "people.h"

static struct reply get_with(struct fixture *f, const char *path, const char *headers) {
    return fixture_ask(f, &(struct ask){.path = path, .headers = headers});
}

static void a_token_is_taken_as_cookie_and_as_bearer(void **state) {
    struct fixture *f = *state;
    struct person ann = new_person(f, "ann", ROLE_STUDENT);

    struct reply cookie = get_with(
        f, "/api/v1/session", arena_printf(f->arena, "Cookie: assize_token=%s\r\n", ann.token));
    struct reply bearer = get_with(
        f, "/api/v1/session", arena_printf(f->arena, "Authorization: Bearer %s\r\n", ann.token));

    expect(cookie, 200);
    expect(bearer, 200);
    assert_null(cookie_of(f, &bearer, "assize_token"));
}

static void a_token_that_is_not_ours_is_refused(void **state) {
    struct fixture *f = *state;
    struct person ann = new_person(f, "ann", ROLE_STUDENT);
    size_t len = strlen(ann.token);
    char *forged = arena_array(f->arena, len + 1, 1);
    memcpy(forged, ann.token, len + 1);
    forged[len - 5] = forged[len - 5] == 'A' ? 'B' : 'A';
    const char *const tokens[] = {forged, "x", "a.b.c", ""};
    for (size_t i = 0; i < 4; i++) {
        struct reply reply =
            get_with(f, "/api/v1/session",
                     arena_printf(f->arena, "Authorization: Bearer %s\r\n", tokens[i]));
        expect_error(reply, 401, "no_session");
    }
}

static void an_expired_token_is_renewed_by_the_session_unseen(void **state) {
    struct fixture *f = *state;
    struct person ann = new_person(f, "ann", ROLE_STUDENT);
    fixture_later(f, 6 * 60 * 1000);

    struct reply read = get(f, &ann, "/api/v1/session");
    struct reply write =
        send_json(f, &ann, "PUT", "/api/v1/session/password",
                  "{\"currentPassword\":\"%s\",\"newPassword\":\"another good one\"}", PASSWORD);

    expect(read, 200);
    expect(write, 204);
    const char *fresh = cookie_value(f, &read, "assize_token");
    assert_string_not_equal(fresh, ann.token);
    assert_null(cookie_of(f, &read, "assize_session")); /* that one stays as it is */
    struct reply again = get_with(f, "/api/v1/session",
                                  arena_printf(f->arena, "Cookie: assize_token=%s\r\n", fresh));
    expect(again, 200);
    assert_null(cookie_of(f, &again, "assize_token"));
}

static void an_expired_bearer_is_not_renewed(void **state) {
    struct fixture *f = *state;
    struct person ann = new_person(f, "ann", ROLE_STUDENT);
    fixture_later(f, 6 * 60 * 1000);

    struct reply reply =
        get_with(f, "/api/v1/session",
                 arena_printf(f->arena, "Authorization: Bearer %s\r\n%s", ann.token, ann.headers));

    expect_error(reply, 401, "no_session");
}

static void a_session_ends_after_thirty_days(void **state) {
    struct fixture *f = *state;
    struct person ann = new_person(f, "ann", ROLE_STUDENT);

    fixture_later(f, INT64_C(31) * 24 * 3600 * 1000);

    struct reply reply = get(f, &ann, "/api/v1/session");
    expect_error(reply, 401, "no_session");
}

static void a_role_that_is_not_enough_is_refused(void **state) {
    struct fixture *f = *state;
    struct person student = new_person(f, "ann", ROLE_STUDENT);
    struct person teacher = new_person(f, "bob", ROLE_TEACHER);
    struct person admin = new_person(f, "eve", ROLE_ADMIN);

    struct reply by_student = get(f, &student, "/api/v1/admin/users");
    struct reply by_teacher = get(f, &teacher, "/api/v1/admin/users");
    struct reply by_admin = get(f, &admin, "/api/v1/admin/users");
    struct reply by_nobody = get(f, NULL, "/api/v1/admin/users");

    expect_error(by_student, 403, "not_allowed");
    expect_error(by_teacher, 403, "not_allowed");
    expect(by_admin, 200);
    expect_error(by_nobody, 401, "no_session");
}

static void a_person_is_no_node(void **state) {
    struct fixture *f = *state;
    struct person admin = new_person(f, "eve", ROLE_ADMIN);
    const char *const headers[] = {
        NULL, admin.headers, arena_printf(f->arena, "Authorization: Bearer %s\r\n", admin.token)};
    for (size_t i = 0; i < 3; i++) {
        struct reply reply =
            fixture_ask(f, &(struct ask){.method = "POST",
                                         .path = "/api/v1/internal/judgers/heartbeat",
                                         .headers = headers[i],
                                         .type = "application/json",
                                         .body = STR("{}")});
        expect_error(reply, 401, "bad_credential");
    }
}

static struct reply sign_out_from(struct fixture *f, const struct person *who,
                                  const char *headers) {
    return fixture_ask(
        f, &(struct ask){.method = "DELETE",
                         .path = "/api/v1/session",
                         .headers = arena_printf(f->arena, "%s%s", who->headers, headers)});
}

static void a_write_from_another_sites_page_is_refused(void **state) {
    struct fixture *f = *state;
    struct person ann = new_person(f, "ann", ROLE_STUDENT);
    static const char *const foreign[] = {
        "Origin: http://evil.test\r\n", "Origin: null\r\n", "Sec-Fetch-Site: cross-site\r\n",
        "Origin: http://judge.test.evil.test\r\n", "Origin: http://judge.test:81\r\n"};
    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++) {
        struct reply reply = sign_out_from(f, &ann, foreign[i]);
        expect_error(reply, 403, "cross_site");
    }
    struct reply reply = get(f, &ann, "/api/v1/session");
    expect(reply, 200); /* nothing was done */
}

static void reading_from_another_site_and_writing_from_our_own_are_fine(void **state) {
    struct fixture *f = *state;
    struct person ann = new_person(f, "ann", ROLE_STUDENT);

    struct reply read =
        get_with(f, "/api/v1/session",
                 arena_printf(f->arena, "%sOrigin: http://evil.test\r\n", ann.headers));
    struct reply own =
        sign_out_from(f, &ann, "Origin: http://judge.test\r\nSec-Fetch-Site: same-origin\r\n");

    expect(read, 200);
    expect(own, 204);
}

static void a_bearer_needs_no_origin(void **state) {
    struct fixture *f = *state;
    struct person ann = new_person(f, "ann", ROLE_STUDENT);

    struct reply reply =
        fixture_ask(f, &(struct ask){.method = "DELETE",
                                     .path = "/api/v1/session",
                                     .headers = arena_printf(f->arena,
                                                             "Authorization: Bearer %s\r\n"
                                                             "Origin: http://elsewhere.test\r\n",
                                                             ann.token)});

    expect(reply, 204);
}

static struct reply sign_in_over_tls(struct fixture *f) {
    return fixture_ask(
        f, &(struct ask){.method = "POST",
                         .path = "/api/v1/session",
                         .headers = "X-Forwarded-Proto: https\r\n"
                                    "X-Forwarded-For: 203.0.113.9\r\n",
                         .type = "application/json",
                         .body = STR("{\"username\":\"ann\",\"password\":\"" PASSWORD "\"}")});
}

static void anybody_can_claim_tls_but_only_a_trusted_proxy_is_believed(void **state) {
    struct fixture *f = *state;
    (void)new_person(f, "ann", ROLE_STUDENT);

    struct reply reply = sign_in_over_tls(f);

    expect(reply, 200);
    assert_null(strstr(cookie_of(f, &reply, "assize_session"), "Secure"));
    fixture_close(f);
    f->trusted_proxies = "10.0.0.1 127.0.0.1";
    fixture_open(f);
    struct reply trusted = sign_in_over_tls(f);
    expect(trusted, 200);
    assert_non_null(strstr(cookie_of(f, &trusted, "assize_session"), "; Secure"));
    assert_non_null(strstr(cookie_of(f, &trusted, "assize_token"), "; Secure"));
}

static void too_many_requests_of_one_user_must_wait(void **state) {
    struct fixture *f = *state;
    struct person ann = new_person(f, "ann", ROLE_STUDENT);
    struct person bob = new_person(f, "bob", ROLE_STUDENT);
    struct reply reply = {0};
    int served = 0;

    for (int i = 0; i < 300 && reply.status != 429; i++) {
        reply = send_json(f, &ann, "POST", "/api/v1/submissions", "{}");
        served += reply.status != 429;
    }

    expect_error(reply, 429, "too_many_requests");
    assert_non_null(header_of(f, &reply, "Retry-After"));
    assert_null(reply_header_at(&reply, "Retry-After", 1, f->arena)); /* once */
    assert_true(served >= 120);
    struct reply other = send_json(f, &bob, "POST", "/api/v1/submissions", "{}");
    expect_error(other, 400, "bad_field");
    fixture_later(f, 10 * 1000);
    struct reply later = send_json(f, &ann, "POST", "/api/v1/submissions", "{}");
    expect_error(later, 400, "bad_field");
}

/* The address of all of them is the same, as behind one router. */
static void strangers_are_counted_and_who_is_known_is_not(void **state) {
    struct fixture *f = *state;
    struct person ann = new_person(f, "ann", ROLE_STUDENT);
    static const struct person guesser = {.headers = "Authorization: Bearer guessed\r\n"};
    struct reply reply = {0};
    int refused = 0;

    for (int i = 0; i < 1000 && reply.status != 429; i++) {
        reply = get(f, i % 2 == 0 ? NULL : &guesser, "/api/v1/submissions");
        refused += reply.status == 401;
    }

    expect_error(reply, 429, "too_many_requests");
    assert_non_null(header_of(f, &reply, "Retry-After"));
    assert_in_range(refused, 250, 400);
    struct reply known = get(f, &ann, "/api/v1/submissions");
    expect(known, 200);
    fixture_later(f, 30 * 1000);
    struct reply later = get(f, NULL, "/api/v1/submissions");
    expect_error(later, 401, "no_session");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SERVER_TEST(a_token_is_taken_as_cookie_and_as_bearer),
        SERVER_TEST(a_token_that_is_not_ours_is_refused),
        SERVER_TEST(an_expired_token_is_renewed_by_the_session_unseen),
        SERVER_TEST(an_expired_bearer_is_not_renewed),
        SERVER_TEST(a_session_ends_after_thirty_days),
        SERVER_TEST(a_role_that_is_not_enough_is_refused),
        SERVER_TEST(a_person_is_no_node),
        SERVER_TEST(strangers_are_counted_and_who_is_known_is_not),
        SERVER_TEST(a_write_from_another_sites_page_is_refused),
        SERVER_TEST(reading_from_another_site_and_writing_from_our_own_are_fine),
        SERVER_TEST(a_bearer_needs_no_origin),
        SERVER_TEST(anybody_can_claim_tls_but_only_a_trusted_proxy_is_believed),
        SERVER_TEST(too_many_requests_of_one_user_must_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
