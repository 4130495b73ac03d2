/* Reading questions and writing answers: what all routes have in common. */
#include "people.h"

static struct reply join_from(struct fixture *f, const char *forwarded) {
    return fixture_ask(
        f, &(struct ask){.method = "POST",
                         .path = "/api/v1/internal/judgers/join",
                         .headers = arena_printf(f->arena, "X-Forwarded-For: %s\r\n", forwarded),
                         .type = "application/json",
                         .body = STR("{}")});
}

/* As many as this client may send at once. */
static void exhaust(struct fixture *f, const char *forwarded) {
    struct reply reply = {0};
    for (int i = 0; i < 200 && reply.status != 429; i++) {
        reply = join_from(f, forwarded);
    }
    expect_error(reply, 429, "too_many_requests");
}

static void a_trusted_proxy_names_the_client_by_its_own_last_word(void **state) {
    struct fixture *f = *state;
    fixture_close(f);
    f->trusted_proxies = "127.0.0.1";
    fixture_open(f);

    exhaust(f, "203.0.113.1, 198.51.100.7");

    struct reply same = join_from(f, "203.0.113.99, 198.51.100.7"); /* the first was made up */
    struct reply alone = join_from(f, "198.51.100.7");
    struct reply other = join_from(f, "203.0.113.1, 198.51.100.8");
    expect_error(same, 429, "too_many_requests");
    expect_error(alone, 429, "too_many_requests");
    expect_error(other, 400, "bad_field");
}

static void who_is_not_trusted_cannot_name_another_client(void **state) {
    struct fixture *f = *state;

    exhaust(f, "203.0.113.1");

    struct reply other = join_from(f, "203.0.113.2");
    expect_error(other, 429, "too_many_requests");
}

static void what_failed_inside_is_for_the_log_only(void **state) {
    struct fixture *f = *state;
    struct person ann = new_person(f, "ann", ROLE_STUDENT);
    int64_t problem = new_problem(f, "sum");
    const char *blobs = arena_printf(f->arena, "%s/blobs", f->folder);
    assert_true(file_remove_tree(blobs, &f->err));

    struct reply reply =
        get(f, &ann,
            arena_printf(f->arena, "/api/v1/problems/%lld/files/plus.png", (long long)problem));

    expect_error(reply, 500, "internal");
    assert_null(memmem(reply.body.ptr, reply.body.len, f->folder, strlen(f->folder)));
    assert_null(memmem(reply.body.ptr, reply.body.len, "blob", 4));
}

static void an_unknown_field_is_named(void **state) {
    struct fixture *f = *state;

    struct reply reply = send_json(f, NULL, "POST", "/api/v1/session", "{\"usrname\":\"a\"}");

    expect_error(reply, 400, "unknown_field");
    struct str detail = reply_str(&reply, "detail");
    assert_non_null(memmem(detail.ptr, detail.len, "usrname", 7));
}

static void a_deep_or_broken_body_is_refused_with_its_place(void **state) {
    struct fixture *f = *state;
    char deep[128];
    memset(deep, '[', sizeof deep);
    const struct str bodies[] = {str_of(deep, sizeof deep), STR("{\"username\":\"a\"}}"),
                                 STR("{\"username\":\"\xff\"}"), STR("{'username':1}")};
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
        struct reply reply = fixture_ask(f, &(struct ask){.method = "POST",
                                                          .path = "/api/v1/session",
                                                          .type = "application/json",
                                                          .body = bodies[i]});
        expect_error(reply, 400, "bad_json");
        struct str detail = reply_str(&reply, "detail");
        assert_non_null(memmem(detail.ptr, detail.len, "line 1", 6));
    }
}

static void an_id_that_is_none_is_missing_not_broken(void **state) {
    struct fixture *f = *state;
    struct person ann = new_person(f, "ann", ROLE_STUDENT);
    static const char *const ids[] = {"0", "-1", "1.0", "x", "9007199254740992", "%20", "1;"};
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        struct reply reply = get(f, &ann, arena_printf(f->arena, "/api/v1/problems/%s", ids[i]));
        expect_error(reply, 404, "no_problem");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SERVER_TEST(a_trusted_proxy_names_the_client_by_its_own_last_word),
        SERVER_TEST(who_is_not_trusted_cannot_name_another_client),
        SERVER_TEST(what_failed_inside_is_for_the_log_only),
        SERVER_TEST(an_unknown_field_is_named),
        SERVER_TEST(a_deep_or_broken_body_is_refused_with_its_place),
        SERVER_TEST(an_id_that_is_none_is_missing_not_broken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
