/* API tokens over HTTP. */
#include "people.h"

static void refused(struct reply reply, int status, const char *code) {
    expect_error(reply, status, code);
}

static struct person by_token(struct fixture *f, const struct reply *made) {
    struct person person = {0};
    person.headers = arena_printf(f->arena, "Authorization: Bearer " STR_FMT "\r\n",
                                  STR_ARG(reply_str(made, "secret")));
    return person;
}

static struct reply make(struct fixture *f, const struct person *who, const char *scope) {
    struct reply made = send_json(f, who, "POST", "/api/v1/tokens",
                                  "{\"name\":\"ci\",\"scope\":\"%s\",\"days\":30}", scope);
    expect(made, 201);
    return made;
}

static struct reply revoked_by(struct fixture *f, const struct person *who, int64_t id) {
    return fixture_ask(
        f, &(struct ask){.method = "DELETE",
                         .path = arena_printf(f->arena, "/api/v1/tokens/%lld", (long long)id),
                         .headers = who->headers});
}

static void a_token_speaks_for_its_user_until_it_is_revoked(void **state) {
    struct fixture *f = *state;
    struct person eve = new_person(f, "eve", ROLE_ADMIN);
    struct reply made = make(f, &eve, "write");
    struct person program = by_token(f, &made);

    expect(get(f, &program, "/api/v1/admin/pools"), 200);
    struct reply group = send_json(f, &program, "POST", "/api/v1/admin/host-groups",
                                   "{\"name\":\"rack\",\"slots\":2}");
    expect(group, 201);
    struct reply list = get(f, &eve, "/api/v1/tokens");
    expect(list, 200);
    assert_true(reply_is(&list, "items.0.name", "ci"));
    expect(revoked_by(f, &eve, reply_i64(&made, "token.id")), 204);

    refused(get(f, &program, "/api/v1/admin/pools"), 401, "no_session");
    refused(revoked_by(f, &eve, reply_i64(&made, "token.id")), 404, "no_token");
}

static void a_token_for_reading_changes_nothing(void **state) {
    struct fixture *f = *state;
    struct person eve = new_person(f, "eve", ROLE_ADMIN);
    struct reply made = make(f, &eve, "read");
    struct person program = by_token(f, &made);

    expect(get(f, &program, "/api/v1/admin/host-groups"), 200);
    refused(send_json(f, &program, "POST", "/api/v1/admin/host-groups",
                      "{\"name\":\"rack\",\"slots\":2}"),
            403, "not_allowed");
}

static void a_token_has_the_rights_of_its_user_and_makes_no_other(void **state) {
    struct fixture *f = *state;
    struct person sue = new_person(f, "sue", ROLE_STUDENT);
    struct reply made = make(f, &sue, "write");
    struct person program = by_token(f, &made);

    refused(get(f, &program, "/api/v1/admin/pools"), 403, "not_allowed");
    refused(get(f, &program, "/api/v1/tokens"), 403, "not_allowed");
    refused(send_json(f, &program, "POST", "/api/v1/tokens",
                      "{\"name\":\"x\",\"scope\":\"write\",\"days\":1}"),
            403, "not_allowed");
    refused(revoked_by(f, &program, reply_i64(&made, "token.id")), 403, "not_allowed");
}

static void a_token_ends_by_itself_and_with_its_user(void **state) {
    struct fixture *f = *state;
    struct person eve = new_person(f, "eve", ROLE_ADMIN);
    struct person sue = new_person(f, "sue", ROLE_STUDENT);
    struct reply of_sue = make(f, &sue, "read");
    struct reply of_eve = make(f, &eve, "read");
    struct person her_program = by_token(f, &of_sue);
    struct person his_program = by_token(f, &of_eve);
    expect(get(f, &her_program, "/api/v1/problems"), 200);

    expect(send_json(f, &eve, "PATCH",
                     arena_printf(f->arena, "/api/v1/admin/users/%lld", (long long)sue.id),
                     "{\"disabled\":true}"),
           200);
    refused(get(f, &her_program, "/api/v1/problems"), 401, "no_session");
    expect(send_json(f, &eve, "PATCH",
                     arena_printf(f->arena, "/api/v1/admin/users/%lld", (long long)sue.id),
                     "{\"disabled\":false}"),
           200);
    refused(get(f, &her_program, "/api/v1/problems"), 401, "no_session");
    fixture_later(f, INT64_C(31) * 24 * 3600 * 1000);
    refused(get(f, &his_program, "/api/v1/problems"), 401, "no_session");
}

static void what_is_asked_wrong_is_refused(void **state) {
    struct fixture *f = *state;
    struct person sue = new_person(f, "sue", ROLE_STUDENT);
    static const char *const bodies[] = {
        "{\"name\":\"\",\"scope\":\"read\",\"days\":1}",
        "{\"name\":\"x\",\"scope\":\"admin\",\"days\":1}",
        "{\"name\":\"x\",\"scope\":\"read\",\"days\":0}",
        "{\"name\":\"x\",\"scope\":\"read\",\"days\":367}",
        "{\"name\":\"x\",\"scope\":\"read\"}",
    };
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
        refused(send_json(f, &sue, "POST", "/api/v1/tokens", "%s", bodies[i]), 400, "bad_field");
    }
    struct person guess = {.headers = "Authorization: Bearer "
                                      "assize_0123456789012345678901234567890123456789012\r\n"};
    refused(get(f, &guess, "/api/v1/problems"), 401, "no_session");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SERVER_TEST(a_token_speaks_for_its_user_until_it_is_revoked),
        SERVER_TEST(a_token_for_reading_changes_nothing),
        SERVER_TEST(a_token_has_the_rights_of_its_user_and_makes_no_other),
        SERVER_TEST(a_token_ends_by_itself_and_with_its_user),
        SERVER_TEST(what_is_asked_wrong_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
