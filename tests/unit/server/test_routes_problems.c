/* Problems as students see them over HTTP. */
#include "node_fixture.h"

/* What one has done is worked out soon after the verdict, not with it. */
static struct reply list_with_statuses(struct fixture *f, const struct person *who, int wanted) {
    for (int i = 0; i < 200; i++) {
        struct reply reply = get(f, who, "/api/v1/problems");
        int found = 0;
        expect(reply, 200);
        for (size_t at = 0; at < jr_count(reply_at(&reply, "items")); at++) {
            found += !reply_is_null(&reply, arena_printf(f->arena, "items.%zu.myStatus", at));
        }
        if (found >= wanted) {
            return reply;
        }
        clock_sleep_ms(&clock_real, 10);
    }
    fail_msg("the list never showed %d statuses", wanted);
    return (struct reply){0};
}

static void the_list_shows_titles_and_what_one_has_done(void **state) {
    struct fixture *f = *state;
    struct person admin = new_person(f, "eve", ROLE_ADMIN);
    struct person ann = new_person(f, "ann", ROLE_STUDENT);
    struct fake_node node = new_node(f, &admin, "n1");
    int64_t solved = new_problem(f, "one");
    int64_t tried = new_problem(f, "two");
    (void)new_problem(f, "three");
    (void)submitted(f, &ann, solved);
    struct fake_lease lease = node_claimed(f, &node, 1);
    node_settled(f, &node, &lease, VERDICT_ACCEPTED);
    (void)submitted(f, &ann, tried);
    lease = node_claimed(f, &node, 2);
    node_settled(f, &node, &lease, VERDICT_WRONG_ANSWER);

    struct reply reply = list_with_statuses(f, &ann, 2);
    struct reply others = get(f, &admin, "/api/v1/problems");

    expect(reply, 200);
    assert_int_equal(jr_count(reply_at(&reply, "items")), 3);
    for (int i = 0; i < 3; i++) {
        const char *at = arena_printf(f->arena, "items.%d", i);
        int64_t id = reply_i64(&reply, arena_printf(f->arena, "%s.id", at));
        const char *mine = arena_printf(f->arena, "%s.myStatus", at);
        assert_true(reply_is(&reply, arena_printf(f->arena, "%s.title", at), "Sum"));
        assert_true(id == solved  ? reply_is(&reply, mine, "ACCEPTED")
                    : id == tried ? reply_is(&reply, mine, "TRIED")
                                  : reply_is_null(&reply, mine));
        assert_true(reply_is_null(&others, mine));
    }
}

static void the_title_follows_the_readers_language(void **state) {
    struct fixture *f = *state;
    struct person ann = new_person(f, "ann", ROLE_STUDENT);
    (void)new_problem(f, "sum");

    struct reply reply = fixture_ask(
        f, &(struct ask){.path = "/api/v1/problems",
                         .headers = arena_printf(f->arena, "%sAccept-Language: zh-CN,en;q=0.5\r\n",
                                                 ann.headers)});

    expect(reply, 200);
    assert_true(reply_is(&reply, "items.0.title", "\xe5\x92\x8c"));
    assert_true(reply_is(&reply, "items.0.titles.en", "Sum"));
}

static void the_list_is_searched_and_paged(void **state) {
    struct fixture *f = *state;
    struct person ann = new_person(f, "ann", ROLE_STUDENT);
    (void)new_problem(f, "alpha");
    (void)new_problem(f, "beta");
    (void)new_problem(f, "gamma");

    struct reply found = get(f, &ann, "/api/v1/problems?search=bet");
    struct reply none = get(f, &ann, "/api/v1/problems?search=%25");
    struct reply page = get(f, &ann, "/api/v1/problems?limit=2");
    expect(page, 200);
    struct reply rest = get(f, &ann,
                            arena_printf(f->arena, "/api/v1/problems?limit=2&cursor=" STR_FMT,
                                         STR_ARG(reply_str(&page, "next"))));

    expect(found, 200);
    assert_int_equal(jr_count(reply_at(&found, "items")), 1);
    assert_true(reply_is(&found, "items.0.code", "beta"));
    assert_int_equal(jr_count(reply_at(&none, "items")), 0); /* no pattern of the database */
    assert_int_equal(jr_count(reply_at(&page, "items")), 2);
    assert_int_equal(jr_count(reply_at(&rest, "items")), 1);
    assert_true(reply_is_null(&rest, "next"));
}

static void a_problem_shows_all_but_its_secret_data(void **state) {
    struct fixture *f = *state;
    struct person ann = new_person(f, "ann", ROLE_STUDENT);
    int64_t id = new_problem(f, "sum");

    struct reply reply =
        get(f, &ann, arena_printf(f->arena, "/api/v1/problems/%lld", (long long)id));

    expect(reply, 200);
    assert_true(reply_is(&reply, "code", "sum"));
    assert_int_equal(reply_i64(&reply, "casesTotal"), 2);
    assert_int_equal(reply_i64(&reply, "sourceKb"), 128);
    assert_true(reply_i64(&reply, "timeLimitMs") > 0);
    assert_int_equal(reply_str(&reply, "manifestId").len, 64);
    assert_int_equal(jr_count(reply_at(&reply, "samples")), 1);
    assert_true(reply_is(&reply, "samples.0.input", "1 2\n"));
    assert_true(reply_is(&reply, "samples.0.answer", "3\n"));
    assert_true(reply_is(&reply, "statements.0.format", "markdown"));
    assert_non_null(memmem(reply.body.ptr, reply.body.len, "Add.", 4));
    assert_null(memmem(reply.body.ptr, reply.body.len, "20 22", 5));
    assert_null(memmem(reply.body.ptr, reply.body.len, "secret", 6));
    assert_int_equal(reply_str(&reply, "createdAt").len, 24);
}

static void a_statements_file_cannot_run_as_ours(void **state) {
    struct fixture *f = *state;
    struct person ann = new_person(f, "ann", ROLE_STUDENT);
    int64_t id = new_problem(f, "sum");

    struct reply reply =
        get(f, &ann, arena_printf(f->arena, "/api/v1/problems/%lld/files/plus.png", (long long)id));

    expect(reply, 200);
    assert_true(str_eq(reply.body, STR("\x89PNG not really")));
    assert_string_equal(header_of(f, &reply, "Content-Type"), "image/png");
    assert_string_equal(header_of(f, &reply, "X-Content-Type-Options"), "nosniff");
    assert_non_null(strstr(header_of(f, &reply, "Content-Security-Policy"), "sandbox"));
}

static void nothing_but_the_statements_files_is_given(void **state) {
    struct fixture *f = *state;
    struct person ann = new_person(f, "ann", ROLE_STUDENT);
    int64_t id = new_problem(f, "sum");
    static const char *const names[] = {
        "a.ans", "data%2fsecret%2fa.ans", "problem.yaml", "..%2f..%2fassize.db", "no.png", "%00"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct reply reply =
            get(f, &ann,
                arena_printf(f->arena, "/api/v1/problems/%lld/files/%s", (long long)id, names[i]));
        if (reply.status != 404 && reply.status != 400) {
            fail_msg("%s: %d " STR_FMT, names[i], reply.status, STR_ARG(reply.body));
        }
    }
    struct reply missing = get(f, &ann, "/api/v1/problems/999999/files/plus.png");
    expect(missing, 404);
}

static void what_is_not_there_is_said_so(void **state) {
    struct fixture *f = *state;
    struct person ann = new_person(f, "ann", ROLE_STUDENT);

    struct reply unknown = get(f, &ann, "/api/v1/problems/999999");
    struct reply word = get(f, &ann, "/api/v1/problems/sum");
    struct reply huge = get(f, &ann, "/api/v1/problems/99999999999999999999");
    struct reply nobody = get(f, NULL, "/api/v1/problems");

    expect_error(unknown, 404, "no_problem");
    expect_error(word, 404, "no_problem");
    expect_error(huge, 404, "no_problem");
    expect_error(nobody, 401, "no_session");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SERVER_TEST(the_list_shows_titles_and_what_one_has_done),
        SERVER_TEST(the_title_follows_the_readers_language),
        SERVER_TEST(the_list_is_searched_and_paged),
        SERVER_TEST(a_problem_shows_all_but_its_secret_data),
        SERVER_TEST(a_statements_file_cannot_run_as_ours),
        SERVER_TEST(nothing_but_the_statements_files_is_given),
        SERVER_TEST(what_is_not_there_is_said_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
